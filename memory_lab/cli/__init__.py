"""The command memory-lab: one file per subcommand, imported only when it is called.

A subcommand is a module here with HELP (one line), add_arguments(parser) and run(args) -> exit code, added to COMMANDS.
Exit codes: 0 done, 1 the input cannot be used (one line on stderr), 2 wrong usage, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from ..errors import MemoryLabError, SettingError

COMMANDS = {
    "chat": "a chat in the terminal that shows what the model sees, what was folded and what was lost",
    "local": "a real small language model as an OpenAI-compatible server on this machine, for other programs",
    "serve": "the offline model as an OpenAI-compatible server on this machine, for other programs",
    "replay": "a real chat log through every memory: what it costs, what is forgotten, which limit to take",
    "tables": "the shipped conversations through every memory: what it costs, what it still holds, what is answered",
    "bench": "dialogues in LoCoMo's schema: how much of the evidence retrieval finds, by strategy and token budget",
}


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the command line argv (default: this process's own).

    >>> main(["--version"])  # doctest: +ELLIPSIS
    memory-lab ...
    0
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that knows no Chinese shows ? and goes on
            stream.reconfigure(errors="replace")
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except SettingError as error:
        return _complain(error, 2)
    except MemoryLabError as error:
        return _complain(error, 1)
    except KeyboardInterrupt:
        print("\nmemory-lab: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone. Python would complain once more when it closes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _complain(error: Exception, code: int) -> int:
    print("memory-lab:", " ".join(str(error).split()), file=sys.stderr)  # one line, whatever a log put into it
    return code


def _run(argv: list[str]) -> int:
    # Only the subcommand that is called is imported: --help must not wait for tiktoken, openai or matplotlib.
    chosen = next((word for word in argv if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(prog="memory-lab", description="What a chatbot should remember, measured.")
    parser.add_argument("--version", action="version", version=f"memory-lab {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        if name == chosen:
            module = import_module(f".{name}", __name__)
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has printed its help or its complaint
        return stop.code if isinstance(stop.code, int) else 2
    if args.command is None:
        parser.print_help()
        return 2
    return args.run(args)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("memory-lab")
    except PackageNotFoundError:
        return "(not installed)"
