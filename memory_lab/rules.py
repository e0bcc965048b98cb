"""Which rules a list of messages breaks: those of the OpenAI API, and those that only stricter servers have.

Copy with: errors.py, messages.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .errors import MessageError
from .messages import INSTRUCTIONS, RULES, Message, check_message


def message_problems(messages: Sequence[Message], *, strict: bool = False) -> Iterable[MessageError]:
    """Each rule that the list breaks, as found from first to last, as the error that check_messages would raise.

    strict: also the rules that only stricter servers have (error.server == "strict").  Cost: one pass.
    """
    def problem(rule: str, index: int | None, what: str) -> MessageError:
        server, asks = RULES[rule]
        who = "the OpenAI API" if server == "openai" else "stricter servers"
        where = "messages" if index is None else f"messages[{index}]"
        return MessageError(f"{where}: {what} (rule {rule!r} of {who}: {asks})", index=index, rule=rule, server=server)

    if not messages:
        yield problem("empty", None, "the list is empty")
    call, open_ids, instructions, speaker = 0, Counter(), 0, None
    for index, message in enumerate(messages):
        try:
            check_message(message, index)
        except MessageError as error:
            yield error
            continue
        role = message["role"]
        if role == "tool":
            if open_ids[message["tool_call_id"]] > 0:
                open_ids[message["tool_call_id"]] -= 1
            else:
                yield problem("orphan_result", index, f"result {message['tool_call_id']!r} without its call before it")
            continue
        if +open_ids:
            yield problem("missing_result", call, f"no result for {', '.join(map(repr, sorted(+open_ids)))}")
        calls = message.get("tool_calls", [])
        call, open_ids = index, Counter(each["id"] for each in calls)
        if role == "assistant" and message.get("content") is None and not calls and "refusal" not in message:
            yield problem("content", index, "neither content nor tool_calls nor a refusal")
        if strict and role in INSTRUCTIONS:
            instructions += 1
            if instructions > 1:
                yield problem("one_system", index, f"{role} message number {instructions}")
            if speaker is not None:
                yield problem("system_first", index, f"a {role} message behind a {speaker} message")
        elif strict:
            if speaker is None and role != "user":
                yield problem("user_first", index, f"the {role} speaks first")
            elif role == speaker and messages[index - 1]["role"] in (role, *INSTRUCTIONS):
                yield problem("alternation", index, f"a second {role} message in a row")
        if role not in INSTRUCTIONS:
            speaker = role
    if +open_ids:
        yield problem("missing_result", call, f"no result for {', '.join(map(repr, sorted(+open_ids)))}")
