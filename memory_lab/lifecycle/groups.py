"""Items that belong together: those that say the same, and clusters of those that are about the same.

What this does not do: decide which items to group (maintain.py), or understand that two sentences contradict.

Copy with: importance.py, retrieval/, values.py, extractive.py.  Needs: numpy, scikit-learn.  Chapter 10.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from ..compaction import SENTENCE
from ..messages import user
from ..retrieval.stores.contract import Item
from ..values import Finder
from .importance import SUMMARY, importance, mark_of

Summarise = Callable[[Sequence[Item], int], str]  # (items, oldest first; tokens at most) -> one text
_NO = re.compile(r"(?i)\b(?:not|no|never|nor|nobody|without|nunca|jamás|sin|ni)\b|n't\b|[不沒没別别無无]")
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def age_order(items: Sequence[Item]) -> list[int]:
    """Places of the items, oldest first; those without a time first of all, and equals in their order."""
    return sorted(range(len(items)), key=lambda place: items[place].at or _EARLIEST)


def repeats(items: Sequence[Item], vectors: Any, *, similarity: float) -> list[list[int]]:
    """Groups of places, each newest first, whose items say the same; an item that nothing repeats is in no group.

    Two items say the same if their metadata "about" is the same (then the newest replaces the others), or if their
    vectors are at least so similar and no number, code, name or negation stands in one alone.
    vectors: a row of unit length for each item, or None: then only the same text is the same.
    Cost: O(items x groups) products of vectors.
    """
    import numpy as np

    finder = Finder([user(item.text) for item in items])
    told = [(finder.values(item.text), len(_NO.findall(item.text)) % 2) for item in items]
    groups: list[list[int]] = []
    about: dict[str, list[int]] = {}
    for place in reversed(age_order(items)):
        named = str(items[place].metadata.get("about", ""))
        group = about.get(named) if named else None
        if group is None and groups:
            same = [told[group[0]] == told[place] and not (named and items[group[0]].metadata.get("about"))
                    for group in groups]
            if vectors is None:
                near = np.array([items[group[0]].text == items[place].text for group in groups], dtype=float)
            else:
                near = vectors[[group[0] for group in groups]] @ vectors[place]
            best = int(np.argmax(np.where(same, near, -1.0)))
            group = groups[best] if same[best] and near[best] >= similarity else None
        if group is None:
            group = []
            groups.append(group)
        group.append(place)
        if named:
            about.setdefault(named, group)
    return [group for group in groups if len(group) > 1]


def merge(items: Sequence[Item]) -> Item:
    """One item for several that say the same: the newest's words, the heaviest type, the highest mark, all sources.

    items: newest first.  Its id is made of theirs, so the same merge has the same id.
    """
    heaviest = max(items, key=lambda item: importance(item) - 0.5 * mark_of(item))
    metadata = {**items[0].metadata, **({"mark": mark} if (mark := max(map(mark_of, items))) else {})}
    return Item(new_id("merged", items), items[0].text, heaviest.type, items[0].at,
                max(item.importance for item in items), _sources(items), metadata)


def clusters(vectors: Any, k: int) -> list[list[int]]:
    """At most k groups of the rows' places by KMeans; each place in exactly one, none empty.

    vectors: n rows of unit length, so that distance follows the cosine.  The seed is fixed: the same rows give the same
    groups.  Cost: O(n x k x dimensions) a step, ten starts.
    """
    import numpy as np
    from sklearn.cluster import KMeans

    rows = np.asarray(vectors, dtype=np.float64).round(6)  # equal texts are one point, whatever the last digits say
    k = min(k, len(np.unique(rows, axis=0)))
    if k < 2:
        return [list(range(len(rows)))] if len(rows) else []
    labels = KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(rows)
    return [found for label in range(k) if (found := np.flatnonzero(labels == label).tolist())]


def summary_of(items: Sequence[Item], *, limit: int, summarise: Summarise) -> Item:
    """One item of type "summary" for a cluster: newest time, highest mark, all sources; `limit` tokens at most."""
    ordered = [items[place] for place in age_order(items)]
    text = summarise(ordered, limit).strip() or f"{len(items)} items"
    return Item(new_id("summary", ordered), text, SUMMARY, ordered[-1].at, max(item.importance for item in items),
                _sources(ordered), {"mark": max(map(mark_of, items))})


def extractive(items: Sequence[Item], limit: int) -> str:
    """The words of the items that are worth most, recency aside, oldest first, in at most `limit` tokens; no model.

    An item that is over the limit alone is cut to the sentences that are likeliest to matter (light_summary).
    """
    from ..extractive import light_summary
    from ..tokens import TokenCounter

    count = TokenCounter()
    lines = [(importance(item), place, " ".join(line.split())) for place, item in enumerate(items)
             for line in item.text.splitlines() if line.strip()]
    kept, left = [], limit
    for _, place, line in sorted(lines, key=lambda each: (-each[0], -each[1])):
        short = line if count.text(line) < limit else light_summary(line, limit=limit - 1, count=count)
        if short and count.text(short) + 1 <= left:
            kept.append((place, len(kept), short))
            left -= count.text(short) + 1
    return "\n".join(line for _, _, line in sorted(kept))


def says(summary: str, text: str) -> bool:
    """Whether each sentence of a text stands in a summary, letter by letter."""
    return all(sentence.strip() in summary for sentence in SENTENCE.findall(" ".join(text.split())) if sentence.strip())


def new_id(what: str, items: Sequence[Item]) -> str:
    """An id made of the items' ids."""
    digest = hashlib.blake2b("\n".join(sorted(item.id for item in items)).encode(), digest_size=8)
    return f"{what}-{digest.hexdigest()}"


def _sources(items: Sequence[Item]) -> tuple[str, ...]:
    """The ids that the items rest on: their sources, or for one that has none its own id."""
    return tuple(dict.fromkeys(source for item in items for source in (item.sources or (item.id,))))
