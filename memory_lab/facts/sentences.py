"""What of a message the user states: its sentences, without what is quoted, pasted, asked or told by others.

Copy with: the folder facts/, the base, window.py, compaction.py.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 600  # characters; what goes on longer without an end mark is pasted text, not a statement
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_LINE = re.compile(r"^[ \t]*(?:>|\||[-=]{5,}).*$", re.MULTILINE)
_QUOTE = re.compile(r"[“\"]([^”\"\n]*)[”\"]|«([^»\n]*)»|「([^」\n]*)」|『([^』\n]*)』|(?<!\w)'([^'\n]{25,})'(?!\w)")
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard)\b[^.\n]{0,30}?\b(?:above|previous|earlier|prior|instructions?|prompts?|rules)\b"
    r"|\bforget\b[^.\n]{0,30}?\b(?:above|instructions?|prompts?|rules)\b"
    r"|\bignor(?:a|e|en|ad)\b[^.\n]{0,30}?\b(?:anterior\w*|instruccion\w*|previo\w*|arriba)\b"
    r"|\bolvid(?:a|e|en)\b[^.\n]{0,30}?\binstruccion\w*"
    r"|(?:忽略|無視|无视|忘記|忘记)[^。\n]{0,12}?(?:以上|上面|之前|先前|指令|指示)", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:it|page|site|mail|e-?mail|letter|text|article|message|website|web|document|file|bot|assistant|model|tool|blog"
    r"|post|review|he|she|they|someone|página|correo|carta|mensaje|artículo)\s+(?:then\s+|also\s+|me\s+)?"
    r"(?:says?|said|reads?|wrote|writes?|states?|told me|tells me|dice|decía|dijo|pone)\s*[:,\n]"
    r"|\b(?:here is|here's|translate|summari[sz]e|proofread|correct|traduce|resume|corrige)\b[^.:\n]{0,60}:"
    r"|(?:網頁|网页|頁面|页面|郵件|邮件|信|文章|訊息|消息|(?<!其)他|她)[^。：:\n]{0,6}?[說说寫写][^。：:\n]{0,3}[：:]"
    r"|(?:翻譯|翻译|摘要|校對|校对)[^。：:\n]{0,12}[：:]", re.IGNORECASE)
_END = re.compile(
    r"(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSr)(?<!\bSt)(?<!\bNo)(?<!\bMrs)(?<!\bSra)(?<!\bDra)(?<![\s.][A-Z])\.+(?=\s|$)"
    r"|[!！。;；]+|[?？]+|\.{3}|…|\n+|¡")
_ASKS = re.compile(
    r"^\W*(?:and |but |so |y |pero )?(?:¿|(?:what|which|who|whose|where|when|why|how)\b(?!ever)"
    r"|(?:is|are|am|was|were|do|does|did|can|could|would|will|shall|should|have|has)"
    r" (?:i|you|we|they|he|she|it|my|your|the|there|this|that)\b"
    r"|(?:cuál|cuáles|cuánto|cuándo|dónde|qué|quién|cómo)\b)", re.IGNORECASE)
_ASKS_ZH = re.compile(r"(?:嗎|吗|呢)\W*$|什麼|什么|甚麼|哪裡|哪里|哪個|哪个|哪一|怎麼|怎么|多少|誰|谁|為何|为何")
_IF = re.compile(r"^\W*(?:and |but |y |pero )?(?:if|suppose|supposing|imagine|pretend|let's say|say that|unless|si"
                 r"|supón|imagina|supongamos)\b"
                 r"|^\W*(?:如果|假如|假設|假设|要是|若|倘若)", re.IGNORECASE)


class Sentence(NamedTuple):
    """A stretch of the message: text == message[start:start + len(text)].  conditional: it says what if."""

    text: str
    start: int
    conditional: bool


def statements(text: str) -> list[Sentence]:
    """The sentences that state something, in order; questions, quotations, code and what others say are left out.

    A short quotation (a name, a title) stays.  From "ignore the above" on, nothing is a statement; after "the page
    says:" nothing to the end of the paragraph, or of the message where the line ends there.

    >>> [sentence.text for sentence in statements('My name is Ann. What is yours? It says: "My name is Bob."')]
    ['My name is Ann']
    """
    text, found, start = _own_words(text), [], 0
    for end in [*_END.finditer(text), None]:
        stop = len(text) if end is None else end.start()
        part = text[start:stop]
        lead = len(part) - len(part.lstrip())
        asked = end is not None and end.group()[0] in "?？"
        said = part.strip()
        if said and len(said) <= LONGEST and not asked and not _ASKS.search(said) and not _ASKS_ZH.search(said):
            found.append(Sentence(said, start + lead, bool(_IF.search(said))))
        start = len(text) if end is None else end.end()
    return found


def _own_words(text: str) -> str:
    """The message with everything blanked that the user only passes on; each character stays in its place."""
    def blank(match: re.Match) -> str:
        return "\n" * len(match.group())

    def blank_long(match: re.Match) -> str:
        inside = next(group for group in match.groups() if group is not None)
        told = re.search(r"[.!?。！？:：]", inside.strip(" .")) or _OVERRIDE.search(inside)
        return match.group() if len(inside) <= 30 and not told else blank(match)

    text = _QUOTE.sub(blank_long, _LINE.sub(blank, _FENCE.sub(blank, text)))
    override = _OVERRIDE.search(text)
    if override:
        text = text[:override.start()] + "\n" * (len(text) - override.start())
    told = _TOLD.search(text)
    while told:
        end = told.end()
        stop = text.find("\n", end) if text[end:end + 200].split("\n")[0].strip() else len(text)
        stop = len(text) if stop < 0 else stop
        text = text[:told.start()] + "\n" * (stop - told.start()) + text[stop:]
        told = _TOLD.search(text)
    return text
