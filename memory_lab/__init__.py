"""Memory Lab: what a chatbot should remember, as small files that can be copied.

Names are loaded when first used, so that `import memory_lab` takes neither openai nor matplotlib nor a vocabulary.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "budget": ("WINDOWS", "Budget"),
    "conversations": ("Conversation", "Probe"),
    "errors": ("EndpointError", "LogError", "MemoryLabError", "MessageError", "ModelOutputError", "SettingError",
               "SpendingError", "StoreError", "TokenLimitError", "VersionError"),
    "estimate": ("estimate_tokens",),
    "evaluate": ("replay", "tradeoff"),
    "facts": ("Fact", "FactTable", "FactTableMemory"),
    "hierarchy": ("HierarchicalSummaryMemory",),
    "layered": ("HybridMemory", "LayeredMemory", "choose"),
    "masking": ("mask",),
    "memory": ("BaseMemory", "Memory"),
    "messages": ("Message", "assistant", "check_messages", "developer", "system", "tool", "tool_call", "turns", "user"),
    "outline": ("State",),
    "report": ("Table",),
    "retrieval": ("Items", "SqliteStore", "VectorMemory"),
    "rules": ("message_problems",),
    "selection": ("SelectiveMemory",),
    "session": ("AsyncChatSession", "ChatSession"),
    "summary": ("SummaryMemory", "summarize"),
    "tokens": ("ContentCounter", "TokenCounter", "clip"),
    "tool_results": ("ToolClearing", "ToolClearingMemory"),
    "truncation": ("BufferMemory", "FixedWindowMemory", "PopOldestMemory", "SlidingWindowMemory"),
    "window": ("TokenWindowMemory", "trim"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'memory_lab' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
