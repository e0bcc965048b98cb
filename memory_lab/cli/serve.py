"""memory-lab serve: the offline model for other programs."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `serve`."""
    parser.add_argument("--port", type=int, default=8321, metavar="N", help="0 takes one that is free (default: 8321)")


def run(args: argparse.Namespace) -> int:
    """The exit code, when Ctrl-C ends it.  Raises SettingError for a port that cannot be used."""
    from ..serve import make_server

    with make_server(args.port) as server:
        print(f"The offline model answers at {server.url}, to this machine alone. Ctrl-C ends it.\n"
              f"  OPENAI_BASE_URL={server.url} OPENAI_API_KEY=none MEMORY_LAB_MODEL=offline", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.")
    return 0
