"""Whether each stored history still breaks its law, and none of ours: .bench-venv/bin/python bench/peers/again.py."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "bench"), str(ROOT / "tests")]  # this folder's files are called as the libraries are


def main() -> int:
    from entrants import offline_vocabulary

    from memory_lab.peers import load_peers
    from peers import entrants
    from peers.laws import NotTaken, broken
    from peers.model import Model

    offline_vocabulary(ROOT / "_build/tiktoken")
    stored, model, wrong = load_peers(), Model(), []
    everyone = entrants()
    for entrant in everyone:
        for law, case in stored.broken(entrant.name).items():
            for each in [entrant, *(other for other in everyone if other.ours)]:
                try:
                    found = broken(each, case["history"], case["system"], case["limit"], model, fault=case["fault"])
                except NotTaken:
                    found = set()
                if found if each.ours else law not in found:
                    wrong.append(f"{each.name}: law {law}, found {sorted(found)} on the history of {entrant.name}")
    model.close()
    print("\n".join(wrong) or "each history breaks its law, and none of ours")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
