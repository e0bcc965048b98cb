"""Text shortened without a model: chunks for a summariser, a cut at a sentence's end, and a summary by rules.

Copy with: errors.py, tokens.py.  Chapter 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .errors import whole
from .tokens import TokenCounter, clip

SENTENCE = re.compile(r"[^\n.!?。！？]*(?:[.!?](?!\s|$)[^\n.!?。！？]*)*[.!?。！？\n]*\s*")


_SPEAKER = re.compile(r"(?:user|assistant|tool|system)(?: \([^)]*\))?")
_CUES = (  # points, and what earns them: numbers, names, limits and prohibitions, the user's own matters
    (3, re.compile(r"\d|[一二三四五六七八九十百千萬万]+[元圓円日]")),
    (1, re.compile(r"(?<=\S )[A-Z]\w+")),
    (3, re.compile(r"(?i)\b(?:not|never|don't|only|must|allerg\w*|no|nunca|solo|alerg\w*)\b")),
    (3, re.compile("不要|不能|別|别|過敏|过敏|只")),
    (2, re.compile(r"(?i)\b(?:i|my|i'm|mi|me|soy)\b|我")),
)


def chunks(text: str, limit: int, count: TokenCounter) -> Iterator[str]:
    """The text in pieces of at most limit tokens, cut at line ends, else at sentence ends, else anywhere."""
    whole("input_limit", limit, 16)
    if not text or count.text(text) <= limit:
        yield text
        return
    piece, size = [], 0
    for line in text.splitlines(keepends=True):
        for part in _parts(line, limit, count):
            tokens = count.text(part) + 1  # a join may cost a token
            if piece and size + tokens > limit:
                yield "".join(piece).strip("\n")
                piece, size = [], 0
            piece.append(part)
            size += tokens
    if piece:
        yield "".join(piece).strip("\n")


def _parts(line: str, limit: int, count: TokenCounter) -> list[str]:
    if count.text(line) < limit:
        return [line]
    if len(line) == 1:
        return [line]
    sentences = [sentence for sentence in SENTENCE.findall(line) if sentence]
    if len(sentences) < 2:
        sentences = [line[:len(line) // 2], line[len(line) // 2:]]
    return [part for sentence in sentences for part in _parts(sentence, limit, count)]


def cut(text: str, limit: int, count: TokenCounter) -> str:
    """The first whole sentences of a text that fit the limit; a clip of the first one where not even that fits."""
    kept = ""
    for sentence in SENTENCE.findall(text):
        if count.text((kept + sentence).rstrip()) > limit:
            break
        kept += sentence
    if kept.strip() or not text.strip():
        return kept.rstrip()
    first = next(sentence for sentence in SENTENCE.findall(text) if sentence.strip())
    return clip(first.strip(), limit, count=count)


def light_summary(text: str, *, limit: int, count: TokenCounter) -> str:
    """The sentences of a transcript that are likeliest to matter, in order, in at most limit tokens; no model.

    Numbers, names, wishes and prohibitions of the user's first, questions and the assistant's words last; of equals the
    newest.  Cost: O(text).
    """
    ranked = []
    for line in text.splitlines():
        speaker, _, said = line.partition(": ")
        if not _SPEAKER.fullmatch(speaker):
            speaker, said = "", line
        for sentence in SENTENCE.findall(said):
            if sentence.strip():
                entry = f"{speaker}: {sentence.strip()}" if speaker else sentence.strip()
                ranked.append((_weight(speaker, sentence), len(ranked), entry))
    kept, used = [], 0
    for entry in sorted(ranked, reverse=True):
        tokens = count.text(entry[2]) + 1
        if used + tokens <= limit:
            kept.append(entry)
            used += tokens
    return "\n".join(text for _, _, text in sorted(kept, key=lambda entry: entry[1]))


def _weight(speaker: str, sentence: str) -> int:
    weight = sum(points for points, cue in _CUES if cue.search(sentence))
    question = sentence.rstrip().endswith(("?", "？"))
    return weight - 4 * question - 3 * (speaker not in ("user", ""))
