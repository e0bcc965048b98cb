"""A summary by rules, without a model: at once, and word for word.

Copy with: errors.py, messages.py, tokens.py, outline.py, compaction.py.  Chapter 5.
"""

from __future__ import annotations

import re

from .compaction import SENTENCE
from .tokens import TokenCounter

_SPEAKER = re.compile(r"(?:user|assistant|tool|system)(?: \([^)]*\))?")
_CUES = (  # points, and what earns them: numbers, names, limits and prohibitions, the user's own matters
    (3, re.compile(r"\d|[一二三四五六七八九十百千萬万]+[元圓円日]")),
    (1, re.compile(r"(?<=\S )[A-Z]\w+")),
    (3, re.compile(r"(?i)\b(?:not|never|don't|only|must|allerg\w*|no|nunca|solo|alerg\w*)\b")),
    (3, re.compile("不要|不能|別|别|過敏|过敏|只")),
    (2, re.compile(r"(?i)\b(?:i|my|i'm|mi|me|soy)\b|我")),
)


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
