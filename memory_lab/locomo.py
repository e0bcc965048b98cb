"""Dialogues in the schema of LoCoMo, as conversations.

Copy with: conversations.py, messages.py, errors.py.  Chapter 12.
Source: Maharana et al. 2024, "Evaluating very long-term conversational memory of LLM agents".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from .conversations import Conversation, Probe
from .errors import LogError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}


def from_locomo(sample: Mapping, *, name: str | None = None, language: str = "en", source: str = "") -> Conversation:
    """The conversation in one sample of the LoCoMo schema: speaker_a speaks as user, speaker_b as assistant.

    Each message carries its speaker's name; ids are the dia ids; a session's time is spread by a minute an utterance.
    Probes: evidence as log indices in order, without ids that name no utterance; the adversarial ones (category 5) are
    unanswerable, and their tempting wrong answer is forbidden. In real LoCoMo data an answer is not always verbatim,
    and some questions have no usable evidence: so the result is not validated here.
    Raises LogError if there is no session, or an utterance or question lacks a field.

    >>> said = [{"speaker": "Ana", "dia_id": "D1:1", "text": "I moved to Graz."}]
    >>> asked = [{"question": "Where does Ana live?", "answer": "Graz", "evidence": ["D1:1"], "category": 4}]
    >>> talk = {"speaker_a": "Ana", "speaker_b": "Ben", "session_1": said}
    >>> from_locomo({"conversation": talk, "qa": asked}).probes[0].evidence
    (0,)
    """
    if not isinstance(sample, Mapping) or not isinstance(sample.get("conversation"), Mapping):
        raise LogError("LoCoMo sample: no object 'conversation' in it: pass one item of the file's list")
    talk = sample["conversation"]
    # A date may stand there without its session, so the sessions themselves are what counts.
    sessions = sorted(int(found[1]) for key in talk if (found := re.fullmatch(r"session_(\d+)", key)) and talk[key])
    if not sessions:
        raise LogError("LoCoMo sample: 'conversation' has no session_1, session_2: pass one item of the file's list")
    messages, times, ids = [], [], []
    for session in sessions:
        start = _time(talk.get(f"session_{session}_date_time"), session)
        for minute, said in enumerate(talk[f"session_{session}"]):
            where = f"session_{session}, utterance {minute}"
            speaker, text, dia_id = _fields(said, ("speaker", "text", "dia_id"), where)
            role = "user" if speaker == talk.get("speaker_a") else "assistant"
            # The API takes only these characters in a name.
            messages.append({"role": role, "name": re.sub(r"[^A-Za-z0-9_-]", "_", speaker)[:64], "content": text})
            times.append(start and (start + timedelta(minutes=minute)).isoformat())
            ids.append(dia_id)
    index = {dia_id: at for at, dia_id in reversed(list(enumerate(ids)))}
    probes = tuple(_probe(number, qa, index) for number, qa in enumerate(sample.get("qa") or ()))
    title = f"{talk.get('speaker_a')} and {talk.get('speaker_b')}, {len(sessions)} sessions"
    return Conversation(name or str(sample.get("sample_id", "locomo")), title, language, None, tuple(messages), probes,
                        source, tuple(times) if all(times) else None, tuple(ids))


def _probe(number: int, qa: Mapping, index: Mapping[str, int]) -> Probe:
    question, = _fields(qa, ("question",), f"qa {number}")
    category = CATEGORIES.get(qa.get("category"), str(qa.get("category", "")))
    common = {"question": question, "category": category, "id": f"q{number}", "type": qa.get("type", "free")}
    if category == "adversarial":
        tempting = qa.get("adversarial_answer")
        return Probe(**common, answerable=False, forbid=() if tempting is None else (str(tempting),))
    answer, = _fields(qa, ("answer",), f"qa {number}")
    # One string may hold several ids ("D8:6; D9:17"), a slip ("D:11:26"), zeros in front ("D30:05"), or none ("D").
    cited = (f"D{int(d)}:{int(t)}" for item in qa.get("evidence") or () for d, t in re.findall(r"D:?(\d+):(\d+)", item))
    evidence = tuple(sorted({index[dia_id] for dia_id in cited if dia_id in index}))
    accept = (str(answer), *map(str, qa.get("accept", ())))
    return Probe(**common, accept=accept, forbid=tuple(map(str, qa.get("forbid", ()))), evidence=evidence)


def _fields(item: object, wanted: tuple[str, ...], where: str) -> list:
    missing = [key for key in wanted if not isinstance(item, Mapping) or key not in item]
    if missing:
        raise LogError(f"LoCoMo sample, {where}: {', '.join(missing)} missing: add it, or leave the item out")
    return [item[key] for key in wanted]


def _time(text: str | None, session: int) -> datetime | None:
    try:
        return datetime.strptime(text.replace(",", ""), "%I:%M %p on %d %B %Y") if text else None
    except ValueError as error:
        where = f"LoCoMo sample, session_{session}_date_time"
        raise LogError(f"{where}: {text!r} is not a time: write it like '1:56 pm on 8 May, 2023'") from error
