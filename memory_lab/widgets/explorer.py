"""The cell that is alive where a kernel and a front-end run, and its static twin in a page.  Chapter 8."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from ..conversations import Conversation
from . import panels
from .settings import MEMORIES, Maker
from .state import ExplorerState
from .twin import ExplorerTwin

VIEW = "application/vnd.jupyter.widget-view+json"


def live() -> bool:
    """Whether a person sits in front of this kernel, in JupyterLab or Notebook.

    A Jupyter server names the notebook to each kernel that it starts for one (JPY_SESSION_NAME); nbclient, nbval and
    `make notebooks` start kernels of their own and do not.  MEMORY_LAB_LIVE=1 or 0 says it for other front-ends.
    """
    said = os.environ.get("MEMORY_LAB_LIVE")
    return said != "0" if said else bool(os.environ.get("JPY_SESSION_NAME"))


class MemoryExplorer:
    """A conversation, a memory and its limits to choose; the context, its parts, facts and last fold to see.

    conversation: a Conversation, or the name of a shipped one.  memory: a name of `memories` (makers as tradeoff()
    takes them; the whole numbers that a partial was given get a slider).  settings: values to begin with.
    limits: values of the first setting (mostly token_limit) that the static twin offers.
    client: who replies and answers (default: the offline model, no key).
    In JupyterLab and Notebook the cell is live: type into the chat, ask a question, move a limit; where a limit is too
    small the cell says why.  What you typed is said again to each memory that you choose.  Elsewhere, or without
    ipywidgets, it is the twin.  widget() gives the widget itself, for any other front-end.
    Raises SettingError for names and settings that are not there.  Cost: see ExplorerState; the twin: see ExplorerTwin.
    """

    def __init__(self, conversation: Conversation | str = "five_facts", memory: str = "layers", *,
                 memories: Mapping[str, Maker] = MEMORIES, limits: Sequence[int] = (), client: Any = None,
                 **settings: int):
        given = {"conversation": conversation, "memory": memory, "memories": memories}
        self.state = ExplorerState(**given, client=client)
        self._twin = ExplorerState(**given)  # of its own, and offline: no key pays for a page that nobody looks at
        if settings:
            self.state.set(**settings)
            self._twin.set(**settings)
        self._limits = list(limits)

    @cached_property
    def view(self) -> Any:
        """The widgets, an ExplorerView.  Raises ImportError without ipywidgets."""
        from .view import ExplorerView

        return ExplorerView(self.state)

    def widget(self) -> Any:
        """The ipywidgets tree, to display in a front-end that live() does not know."""
        return self.view.root

    @cached_property
    def twin(self) -> ExplorerTwin:
        """What a page without a kernel shows: the explorer as it was made, whatever was done with it since."""
        return ExplorerTwin(self._twin, self._limits)

    def _repr_html_(self) -> str | None:
        return None if self._alive() else self.twin._repr_html_()

    def __repr__(self) -> str:
        return panels.status(self.state) if self._alive() else repr(self.twin)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The widget's view, if somebody is there to use it."""
        return {VIEW: self.widget()._repr_mimebundle_()[VIEW]} if self._alive() else {}

    def _alive(self) -> bool:
        return live() and find_spec("ipywidgets") is not None
