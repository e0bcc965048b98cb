"""The reply to a chat, read from its context alone: the statement that answers the question, quoted.

It reads all positions alike, knows nothing of the world, and says that it does not know when nothing in the context
answers (find.py). Where two statements on different matters are about as likely, it quotes the second as well. To a
statement it only nods; after a tool's result it reports from the result.
"""

from __future__ import annotations

import re

from ..messages import Message, text_of
from .analysis import analyse
from .corrections import Hit
from .evidence import Evidence, flatten, gather
from .find import find
from .language import base, clauses, language_of, sentences
from .marks import bounded, marks, ruled_out, without_stale
from .phrases import say
from .question import Question, is_question, read_question

RESULT = 400  # characters of a tool's result that are quoted whole


def answer(messages: list[Message]) -> str:
    """The reply to the last user message: an answer that quotes, "I do not know", or an acknowledgement."""
    last = max((i for i, message in enumerate(messages) if message["role"] == "user"), default=None)
    if last is None:
        return say("ready", _context_language(messages, ""))
    text = text_of(messages[last])
    asked = [sentence for sentence in sentences(text) if is_question(sentence)]
    language = _context_language(messages, asked[-1] if asked else text)
    if messages[-1]["role"] == "tool":
        return _from_results(messages, asked[-1] if asked else text, language)
    if not asked:
        return say("noted", language)
    names = {
        str(message["name"]).lower(): message["role"]
        for message in messages
        if message.get("name") and message["role"] in ("user", "assistant")
    }
    evidence = gather([*messages[:last], {"role": "user", "content": text}, *messages[last + 1 :]])
    for question in reversed(asked):
        hits = find(question, evidence, names)
        if hits:
            return _reply(hits, read_question(question, language_of(question)), language)
    return say("unknown", language)


def _from_results(messages: list[Message], asked: str, language: str) -> str:
    """The answer after a tool's result: the part of it that answers the request, else its beginning."""
    first = next(i for i in range(len(messages), 0, -1) if messages[i - 1]["role"] != "tool")
    results = messages[first:]
    hits = find(asked, gather(results))
    if hits:
        return say("tool", language, " ".join(hit.evidence.text for hit in hits))
    texts = [flatten(text_of(message)) or text_of(message) for message in results]
    return say("tool", language, " ".join(text[:RESULT] for text in texts if text) or "-")


def _lasting(item: Evidence, want: Question) -> str:
    """The statement without its clauses that hold this time only, where the question is not about this time."""
    if want.once or not item.marks.once:
        return item.text
    kept = [clause for clause in clauses(item.text) if not marks(clause).once]
    return ", ".join(kept) if sum(len(clause) for clause in kept) >= 8 else item.text


def _reply(hits: list[Hit], want: Question, language: str) -> str:
    others = [hit for hit in hits if hit.other]
    if others:
        return " ".join([_reply([hit for hit in hits if not hit.other], want, language),
                         *(say("other", language, _lasting(hit.evidence, want)) for hit in others)])
    speaker = hits[-1].evidence.speaker
    if len(hits) == 1 and speaker in ("user", "notes") and (short := _negative(hits[0].evidence, want, language)):
        return short
    quotes = []
    for hit in hits:
        if hit.leans and not is_question(hit.evidence.before):
            quotes.append(hit.evidence.before)
        whole = want.negated or want.past  # asked what was, the old value is the answer
        quotes.append(hit.evidence.text if whole else without_stale(_lasting(hit.evidence, want)))
    return say(speaker, language, " ".join(dict.fromkeys(quotes)))


def _negative(item: Evidence, want: Question, language: str) -> str:
    """The answer from a statement of what must not be; "" where it is quoted as any other.

    Asked what is ruled out, the thing itself is the answer: "no nuts" would read as "not nuts"."""
    key = base(item.analysis.language)
    if figure := bounded(item.text, key):
        return say("at_most", language, figure)
    if not want.negated or not item.analysis.negated:
        return ""
    after, before = ruled_out(item.text, key)
    things = [term for term in analyse(after).terms if not term.concepts & _ACTS and term.weight >= 0.5]
    # "moon cakes he may not touch", "rice, no, it ...": where only the verb follows, the thing stands before
    alone = len(re.split(r"[,，。；]", after)[0].strip()) <= (language.startswith("zh"))
    part = after if things and not alone else before
    return say("excluded", language, part.rstrip(".。")) if part else ""


_ACTS = frozenset({"eat", "drink", "cannot_eat", "avoid", "ban"})


def _context_language(messages: list[Message], text: str) -> str:
    """The text's language; for Chinese that both scripts write alike, the script of the talk before it."""
    language = language_of(text) if text else "en"
    if language == "zh":
        spoken = (language_of(text_of(message)) for message in reversed(messages) if message["role"] != "tool")
        language = next((found for found in spoken if found in ("zh-Hant", "zh-Hans")), "zh-Hans")
    return language
