"""openai-agents' SQLiteSession, which limits items and not tokens."""

from __future__ import annotations

from typing import Any

from memory_lab import Message

from .adapter import Adapter, Entrant
from .model import Model

ITEMS = 20


class Session(Adapter):
    """Instructions stand outside of the session, as an agent's do.  A message is one item, and one more per call."""

    def __init__(self, system: str | None, items: int, model: Model):
        from agents import SQLiteSession

        self.front = [] if system is None else [{"role": "system", "content": system}]
        self.session, self.items, self.run = SQLiteSession("bench"), items, model.run

    def native(self, message: Message) -> list[dict[str, Any]]:
        if message["role"] == "tool":
            return [{"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}]
        calls = [{"type": "function_call", "call_id": call["id"], **call["function"]}
                 for call in message.get("tool_calls", ())]
        if calls and not message["content"]:
            return calls
        return [{key: value for key, value in message.items() if key != "tool_calls"}, *calls]

    def put(self, native: list[dict[str, Any]]) -> None:
        self.run(self.session.add_items(native))

    def context(self) -> list[Any]:
        return [*self.front, *self.run(self.session.get_items(self.items))]

    def plain(self, natives: list[Any]) -> list[Message]:
        out: list[Message] = []
        for item in natives:
            if item.get("type") == "function_call":
                call = {"id": item["call_id"], "type": "function",
                        "function": {"name": item["name"], "arguments": item["arguments"]}}
                if out and "tool_calls" in out[-1]:
                    out[-1]["tool_calls"].append(call)
                else:
                    out.append({"role": "assistant", "content": None, "tool_calls": [call]})
            elif item.get("type") == "function_call_output":
                out.append({"role": "tool", "content": item["output"], "tool_call_id": item["call_id"]})
            else:
                out.append(dict(item))
        return out

    def close(self) -> None:
        self.session.close()


def _make(system: str | None, limit: int, model: Model) -> Session:
    return Session(system, ITEMS if limit >= 500 else 2 + limit % 7, model)


ENTRANTS = (
    Entrant("SQLiteSession", "openai-agents", f"get_items({ITEMS}), in memory; it has no limit in tokens", _make,
            "a protocol of four verbs with stores for SQL, Redis, MongoDB, encrypted; kept on disk",
            limited=False),
)
