"""A conversation that outlives a call that fails, a stream that breaks off, a process that is killed.

    ChatSession        a memory, a client and a store, for a script, a terminal or a threaded server
    AsyncChatSession   the same for asyncio; it folds in the background, so that no turn waits for a summary
    Keeper             what both share: the memory and its log in the store, kept in step
    Scratchpad         notes of a session that the model does not see

Many sessions may share a client and a store.  Chapter 11.
"""

from .background import AsyncChatSession
from .chat import ChatSession
from .keeper import Keeper
from .scratchpad import Scratchpad
from .talk import INTERRUPTED

__all__ = ["INTERRUPTED", "AsyncChatSession", "ChatSession", "Keeper", "Scratchpad"]
