"""What holds for every test: generated inputs are the same on each run, and Ctrl-C reaches the programs under test."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)  # no verdict hangs on a seed or on a busy machine
settings.load_profile("house")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: a child would inherit its deafness
    signal.signal(signal.SIGINT, signal.default_int_handler)
