"""Conversations with planted facts, and the questions that probe for them.

A conversation is a scripted chat: both sides are written down, so that every memory is tested on the same words. A probe
is a question whose answer was (or was not) said in it. The shipped ones lie in data/, one JSON file each, written for this
project; `long_300` is generated (longchat.py), and dialogues in the LoCoMo schema are read by `from_locomo`.

Copy with: errors.py.  Chapter 4.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

from .errors import LogError

TYPES = ("number", "date", "name", "choice", "free")
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True)
class Probe:
    """A question to a memory, and what counts as its answer.

    type: one of TYPES.  accept: the forms of the right answer.  forbid: stale or misleading values.
    answerable: False for what was never said; then nothing is accepted and the right answer is "I do not know".
    evidence: log indices of the messages that state the fact, newest valid statement.
    at: asked after the first `at` messages of the log (None: at the end).  category, id: words for tables.
    """

    question: str
    type: str
    accept: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    answerable: bool = True
    evidence: tuple[int, ...] = ()
    at: int | None = None
    category: str = ""
    id: str = ""


@dataclass(frozen=True)
class Conversation:
    """A scripted chat with its probes.

    messages: plain OpenAI message dicts, oldest first, without the system text, which goes to a memory's constructor:
    so an index here is an index of the log.  times: one ISO time a message.  ids: one outside name a message ("D3:7").
    source: who wrote it, and what is peculiar to it.
    """

    name: str
    title: str
    language: str
    system: str | None
    messages: tuple[dict, ...]
    probes: tuple[Probe, ...]
    source: str
    times: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None


def names() -> list[str]:
    """The names that `load` takes, sorted.

    >>> "kyoto_en" in names() and "long_300" in names()
    True
    """
    shipped = (file.name for file in resources.files("memory_lab").joinpath("data").iterdir())
    return sorted([name.removesuffix(".json") for name in shipped if name.endswith(".json")] + ["long_300"])


def load(name: str) -> Conversation:
    """The shipped conversation of that name, validated.

    Raises LogError for an unknown name. `long_300` is generated on each call (about 20 ms).

    >>> load("kyoto_en").probes[0].accept
    ('shellfish',)
    """
    if name not in names():
        raise LogError(f"no conversation is called {name!r}: take one of {', '.join(names())}, or load_file(path)")
    if name == "long_300":
        from .longchat import generate
        return from_locomo(generate(seed=7, turns=300), name=name, source="Generated for this project by longchat.py.")
    text = resources.files("memory_lab").joinpath("data", f"{name}.json").read_text(encoding="utf-8")
    return _read(text, f"data/{name}.json")


def load_file(path: str | Path) -> Conversation:
    """The conversation in a JSON file of your own, validated; the fields are those of `Conversation` and `Probe`.

    Raises LogError with the file, the place in it, and what was expected there; OSError if there is no such file.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LogError(f"{path}: byte {error.start} is not UTF-8: save the file as UTF-8") from error
    return _read(text, str(path))


def validate(conversation: Conversation) -> None:
    """Nothing, if every probe can be checked against the messages; else LogError says which probe is wrong and why.

    Evidence exists and comes before the question; an answerable probe's evidence contains an accepted form (width, case
    and white space aside); a forbidden value was really said; an unanswerable probe accepts nothing and has no evidence.
    """
    where, messages = conversation.name, conversation.messages
    for field, items in (("times", conversation.times), ("ids", conversation.ids)):
        if items is not None and len(items) != len(messages):
            raise LogError(f"{where}: {len(items)} {field} for {len(messages)} messages: give one for each, or none")
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise LogError(f"{where}: message {index} is not an object with a role: write it as the OpenAI API takes it")
    texts = [_plain(_text(message)) for message in messages]
    for number, probe in enumerate(conversation.probes):
        problem = _problem(probe, texts)
        if problem:
            raise LogError(f"{where}: probe {number} ({probe.question!r}): {problem}")


def from_locomo(sample: Mapping, *, name: str | None = None, language: str = "en", source: str = "") -> Conversation:
    """The conversation in one sample of the LoCoMo schema: speaker_a speaks as user, speaker_b as assistant.

    Each message carries its speaker's name; ids are the dia ids; a session's time is spread by a minute an utterance.
    Probes: evidence as log indices, in order (ids that name no utterance are left out); the adversarial ones (category 5)
    are unanswerable, and their tempting wrong answer is forbidden. Answers are not always verbatim in real LoCoMo data,
    and some questions have no usable evidence, so the result is not validated here.  Raises LogError if no session is found.
    Source: Maharana et al. 2024, LoCoMo.
    """
    if not isinstance(sample, Mapping) or not isinstance(sample.get("conversation"), Mapping):
        raise LogError("LoCoMo sample: no object 'conversation' in it: pass one item of the file's list")
    talk = sample["conversation"]
    sessions = sorted(int(found[1]) for key in talk if (found := re.fullmatch(r"session_(\d+)", key)) and talk[key])
    if not sessions:
        raise LogError("LoCoMo sample: 'conversation' has no session_1, session_2, ...: is it one item of the file's list?")
    messages, times, ids = [], [], []
    for session in sessions:
        start = _session_time(talk.get(f"session_{session}_date_time"))
        for minute, said in enumerate(talk[f"session_{session}"]):
            role = "user" if said["speaker"] == talk.get("speaker_a") else "assistant"
            messages.append({"role": role, "name": _api_name(said["speaker"]), "content": said["text"]})
            times.append(start and (start + timedelta(minutes=minute)).isoformat())
            ids.append(said["dia_id"])
    index = {dia_id: at for at, dia_id in reversed(list(enumerate(ids)))}
    probes = tuple(_locomo_probe(number, qa, index) for number, qa in enumerate(sample.get("qa", ())))
    title = f"{talk.get('speaker_a')} and {talk.get('speaker_b')}, {len(sessions)} sessions"
    return Conversation(name or str(sample.get("sample_id", "locomo")), title, language, None, tuple(messages), probes, source,
                        tuple(times) if all(times) else None, tuple(ids))


def _locomo_probe(number: int, qa: Mapping, index: Mapping[str, int]) -> Probe:
    # One evidence string may hold several ids ("D8:6; D9:17"), or none at all ("D"), or zeros in front ("D30:05").
    cited = (f"D{int(d)}:{int(t)}" for item in qa.get("evidence", ()) for d, t in re.findall(r"D:?(\d+):(\d+)", item))
    evidence = tuple(sorted({index[dia_id] for dia_id in cited if dia_id in index}))
    category = LOCOMO_CATEGORIES.get(qa.get("category"), str(qa.get("category", "")))
    common = {"question": qa["question"], "category": category, "id": f"q{number}", "type": qa.get("type", "free")}
    if category == "adversarial":
        tempting = qa.get("adversarial_answer")
        return Probe(**common, answerable=False, forbid=() if tempting is None else (str(tempting),))
    forbid = tuple(map(str, qa.get("forbid", ())))
    return Probe(**common, accept=(str(qa["answer"]), *map(str, qa.get("accept", ()))), forbid=forbid, evidence=evidence)


def _problem(probe: Probe, texts: list[str]) -> str | None:
    end = len(texts) if probe.at is None else probe.at
    if probe.type not in TYPES:
        return f"the type {probe.type!r} is unknown: write one of {', '.join(TYPES)}"
    if not 0 < end <= len(texts):
        return f"at={probe.at} is outside of the {len(texts)} messages"
    if any(not 0 <= index < end for index in probe.evidence):
        return f"evidence {probe.evidence} does not lie in the {end} messages before the question"
    for value in probe.forbid:
        if not any(_plain(value) in text for text in texts[:end]):
            return f"the forbidden value {value!r} was never said before the question: quote it as it was said"
    if not probe.answerable:
        return "it is not answerable, yet it accepts answers or has evidence" if probe.accept or probe.evidence else None
    if not probe.accept or not probe.evidence:
        return "it is answerable, but accepts no answer or has no evidence"
    said = [texts[index] for index in probe.evidence]
    if not any(_plain(value) in text for value in probe.accept for text in said):
        return f"none of {probe.accept} is in its evidence {probe.evidence}"
    return None


def _read(text: str, where: str) -> Conversation:
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise LogError(f"{where}, line {error.lineno}: not JSON ({error.msg}): mend that line") from error
    raw = _known(raw, Conversation, where)
    probes = [_known(probe, Probe, f"{where}, probe {number}") for number, probe in enumerate(raw.pop("probes"))]
    lists = {key: tuple(raw[key]) for key in ("messages", "times", "ids") if raw.get(key) is not None}
    conversation = Conversation(**{"system": None, **raw, **lists}, probes=tuple(Probe(**probe) for probe in probes))
    validate(conversation)
    return conversation


def _known(raw: object, kind: type, where: str) -> dict:
    """The object as keyword arguments; LogError for a field too many or too few."""
    if not isinstance(raw, dict):
        raise LogError(f"{where}: expected an object with the fields of {kind.__name__}, found {type(raw).__name__}")
    needed = {"question", "type"} if kind is Probe else {"name", "title", "language", "messages", "probes", "source"}
    if missing := sorted(needed - raw.keys()):
        raise LogError(f"{where}: {', '.join(missing)} missing: add it")
    if unknown := sorted(raw.keys() - {field.name for field in fields(kind)}):
        raise LogError(f"{where}: unknown field {', '.join(unknown)}: {kind.__name__} does not have it")
    for key in ("messages", "probes", "accept", "forbid", "evidence"):
        if key in raw and not isinstance(raw[key], list):
            raise LogError(f"{where}: {key} is not a list: put it in [ ]")
    return {key: tuple(value) if kind is Probe and isinstance(value, list) else value for key, value in raw.items()}


def _text(message: Mapping) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(str(part.get("text", "")) for part in content)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _api_name(speaker: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", speaker)[:64]


def _session_time(text: str | None) -> datetime | None:
    """LoCoMo writes "1:56 pm on 8 May, 2023"."""
    return datetime.strptime(text.replace(",", ""), "%I:%M %p on %d %B %Y") if text else None
