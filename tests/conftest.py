"""What holds for every test: generated inputs are the same on each run, and Ctrl-C reaches the programs under test."""

from __future__ import annotations

import signal

import nbval.kernel
from book_site import browser, http, site  # noqa: F401 - fixtures, made once for all modules that ask
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)  # no verdict hangs on a seed or on a busy machine
settings.load_profile("house")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: a child would inherit its deafness
    signal.signal(signal.SIGINT, signal.default_int_handler)

_start = nbval.kernel.start_new_kernel


def start_new_kernel(*args, **settings):
    """A started kernel.  Two kernels that start at once may pick the same ports; the one that loses starts again."""
    for last in (False, False, True):
        try:
            return _start(*args, **settings)
        except RuntimeError:
            if last:
                raise
    raise AssertionError("never reached")


nbval.kernel.start_new_kernel = start_new_kernel
