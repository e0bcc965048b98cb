"""memory-lab local: a real small language model, served to other programs on this machine."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `local`."""
    parser.add_argument("--port", type=int, default=8322, metavar="N", help="0 takes one that is free (default: 8322)")


def run(args: argparse.Namespace) -> int:
    """The exit code, when Ctrl-C ends it.  Raises SettingError for a port, or where the extra is not installed."""
    from ..local import make_server

    with make_server(args.port) as server:
        print(f"SmolLM2-135M-Instruct answers at {server.url}, to this machine alone. Ctrl-C ends it.\n"
              f"  OPENAI_BASE_URL={server.url} OPENAI_API_KEY=none\n"
              "  MEMORY_LAB_MODEL=smollm2\n"
              "smollm2 is sent notes in the third person, smollm2-raw the chat as it is. What has the extra itself "
              "needs no server: MEMORY_LAB_MODEL=local.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.")
    return 0
