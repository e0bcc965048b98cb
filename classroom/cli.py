"""The command `classroom`: one line a subcommand, each imported only when it is called.

A subcommand is a module with `add_arguments(parser)` and `run(arguments) -> int`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "build": ("classroom.build", "turn the course's text into executed notebooks and exercises"),
    "release": ("classroom.release", "make the zip for a class and the manifest for its teacher"),
    "check": ("classroom.check", "check an exercise of your own: the first thing to mend, hints, how far you are"),
    "grade": ("classroom.grade", "grade a class: points, feedback and a gradebook from a folder of submissions"),
    "similarity": ("classroom.similarity", "which submissions are alike: advice, no verdict"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of the subcommand that the arguments name."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="classroom", description="Notebooks, exercises and grades for a course.")
    listed = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, text) in COMMANDS.items():
        listed.add_parser(name, help=text, add_help=False)
    command = parser.parse_args(words[:1]).command
    module = importlib.import_module(COMMANDS[command][0])
    own = argparse.ArgumentParser(prog=f"classroom {command}", description=COMMANDS[command][1])
    module.add_arguments(own)
    return module.run(own.parse_args(words[1:]))


if __name__ == "__main__":
    sys.exit(main())
