"""Maintenance of a store of items: what says the same becomes one, what is old and of little worth goes, the rest is
folded until it fits.  Everything that is done is reported, and can be undone.

    plan       the Report of what would be done; changes nothing
    maintain   does it
    undo       the store as it was, and what came later

What this does not do: forget by law.  A report holds all that it removed; whoever has to erase erases that too.

Copy with: the folder lifecycle/, retrieval/, facts/, values.py, extractive.py.  Source: 003.  Chapter 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ..errors import SettingError, whole
from ..retrieval.fuse import share
from ..retrieval.items import Items
from ..retrieval.stores.contract import Item, StoreError
from .groups import Summarise, age_order, clusters, extractive, merge, repeats, says, summary_of
from .importance import SUMMARY, importance, pinned


@dataclass(frozen=True)
class Report:
    """What a maintenance did.  Every id that was in the store is in exactly one of kept, expired or merged's values.

    merged: new id -> the ids that it stands for, repeats and clusters alike.  unsaid: of those, the ids whose words its
    text does not hold.  review: ids in the store that are old and of middling worth: for a person to decide.
    before: the items as they were.  added: the new items.  over: how many items are there beyond the limit, being
    pinned.  now: the time that ages were counted to.
    """

    now: datetime | None
    kept: tuple[str, ...] = ()
    merged: dict[str, tuple[str, ...]] = field(default_factory=dict)
    expired: tuple[str, ...] = ()
    review: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    added: tuple[Item, ...] = ()
    before: tuple[Item, ...] = field(default=(), repr=False)
    over: int = 0

    @property
    def removed(self) -> tuple[str, ...]:
        """The ids that are no longer in the store."""
        return tuple(item.id for item in self.before if item.id not in set(self.kept))

    @property
    def changed(self) -> bool:
        """Whether anything was done."""
        return bool(self.added or self.expired)

    def __str__(self) -> str:
        merged = sum(map(len, self.merged.values()))
        return (f"{len(self.before)} items: {len(self.kept)} kept, {merged} merged into {len(self.merged)} "
                f"({len(self.unsaid)} of them unsaid), {len(self.expired)} expired; {len(self.review)} to review")


def plan(items: Items, *, now: datetime | None = None, max_items: int = 100, compress_to: float = 0.7,
         max_age: timedelta = timedelta(days=30), expire_below: float = 0.35, review_below: float = 0.6,
         similarity: float = 0.92, max_clusters: int | None = None, summary_limit: int = 150,
         summarise: Summarise = extractive) -> Report:
    """The Report of what maintain() would do with these settings; the store stays as it is.

    now: default the newest time in the store, so that the same store gives the same report.
    1. Repeats become one item (see groups.repeats); at least so similar.
    2. What is older than max_age and of less importance than expire_below goes; below review_below it is reported for
       review.  Published: 0.3, under which the published weights never fall (chapter 10).
    3. Beyond max_items, the least important are clustered, and each cluster becomes a summary of at most summary_limit
       tokens, until max_items x compress_to are left.  max_clusters: default a quarter of those; published: 3.
    Never touched: what is pinned.  Never expired: a summary, and an item without a time.
    Cost: each text embedded once or twice, O(items^2) products at worst, KMeans; and that of summarise, if it asks a
    model.
    Raises SettingError for settings out of range, and to fold without vectors (Items with embed=None).
    """
    whole("max_items", max_items, 1)
    target = max(1, int(max_items * share("compress_to", compress_to)))
    limit = whole("summary_limit", summary_limit, 1)
    most = whole("max_clusters", max(1, target // 4) if max_clusters is None else max_clusters, 1)
    before = items.list()
    if now is None:
        now = max((item.at for item in before if item.at is not None), default=None)
    elif now.tzinfo is None:
        raise SettingError(f"now={now.isoformat()} has no time zone; give one, as in UTC")
    merged, unsaid = {}, []
    left, made = _without_repeats(items, before, share("similarity", similarity), merged, unsaid)

    def old_and_below(item: Item, least: float) -> bool:
        return (now is not None and item.at is not None and now - item.at > max_age and item.type != SUMMARY
                and not pinned(item) and importance(item, now=now) < least)

    gone = [item.id for item in left if old_and_below(item, expire_below)]
    left = [item for item in left if not old_and_below(item, expire_below)]
    free = [item for item in left if not pinned(item)]
    target = max(target, len(left) - len(free) + most)
    if len(left) > max_items and len(left) > target:
        folded = _least(free, len(left) - target + most, now)
        for summary, group in _folded(items, folded, most, limit, summarise):
            merged[summary.id] = tuple(item.id for item in group)
            unsaid += [item.id for item in group if not says(summary.text, item.text)]
            left = [item for item in left if item not in group] + [summary]
            made.append(summary)
    return _report(before, left, made, merged, gone, unsaid, now,
                   tuple(item.id for item in left if old_and_below(item, review_below)), max_items)


def maintain(items: Items, *, dry_run: bool = False, **settings: Any) -> Report:
    """The Report of what was done; settings as in plan().  A second run right after does nothing.

    New items are added before old ones are deleted, so that a crash leaves something twice and loses nothing.
    dry_run: plan() alone.
    """
    report = plan(items, **settings)
    if not dry_run and report.changed:
        items.add_all(report.added)
        items.delete(report.removed)
    return report


def undo(items: Items, report: Report) -> None:
    """Put the store back as it was before the report's maintenance, in its order; what was added since stays, last.

    An item that was kept and has been deleted since stays deleted.  Undo the newest maintenance first.
    Raises StoreError, and changes nothing, if an item that the report added is no longer there.
    Cost: embeds every text again, so that the order is the old one.
    """
    if not report.changed:
        return
    current = {item.id: item for item in items.list()}
    if gone := [item.id for item in report.added if current.get(item.id) != item]:
        raise StoreError(f"{gone[0]!r}, which this maintenance added, is no longer there: undo the newest maintenance "
                         "first; nothing was changed")
    deleted = set(report.kept) - current.keys()
    known = {item.id for item in (*report.before, *report.added)}
    wanted = [item for item in report.before if item.id not in deleted]
    wanted += [item for id, item in current.items() if id not in known]
    vectors = vectors_of(items, wanted)  # before anything is deleted, for a model may fail
    items.delete(list(current))
    items.store.add(wanted, vectors)


def vectors_of(items: Items, which: Sequence[Item]) -> Any:
    """A unit vector for each item; None where the store works with keywords alone."""
    return None if items.embed is None else items._vectors.embed([item.text for item in which])


def _matrix(items: Items, which: Sequence[Item]) -> Any:
    import numpy as np

    vectors = vectors_of(items, which)
    return None if vectors is None else np.array(vectors)


def _without_repeats(items: Items, before: Sequence[Item], similarity: float,
                     merged: dict[str, tuple[str, ...]], unsaid: list[str]) -> tuple[list[Item], list[Item]]:
    """(the items left, the new ones among them), with each merge noted, and what it no longer says."""
    free = [item for item in before if not pinned(item) and item.type != SUMMARY]
    made, gone = [], set()
    for group in repeats(free, _matrix(items, free), similarity=similarity):
        members = [free[place] for place in group]
        made.append(merge(members))
        merged[made[-1].id] = tuple(item.id for item in members)
        unsaid += [item.id for item in members if not says(made[-1].text, item.text)]
        gone.update(merged[made[-1].id])
    return [item for item in before if item.id not in gone] + made, made


def _least(free: Sequence[Item], number: int, now: datetime | None) -> list[Item]:
    """The least important items, of equals the oldest."""
    worth = {place: importance(free[place], now=now) for place in range(len(free))}
    return [free[place] for place in sorted(age_order(free), key=lambda place: worth[place])[:number]]


def _folded(items: Items, folded: Sequence[Item], most: int, limit: int, summarise: Summarise):
    """(summary, the items that it stands for) of each cluster of two and more."""
    matrix = _matrix(items, folded)
    if matrix is None:
        raise SettingError("folding clusters items by their vectors, and these Items have embed=None: give an "
                           'embedder, such as embed="offline"')
    for group in clusters(matrix, min(most, len(folded) // 2)):
        if len(group) > 1:
            members = [folded[place] for place in group]
            yield summary_of(members, limit=limit, summarise=summarise), members


def _report(before: Sequence[Item], left: Sequence[Item], made: Sequence[Item], merged: dict[str, tuple[str, ...]],
            gone: Sequence[str], unsaid: Sequence[str], now: datetime | None, review: tuple[str, ...],
            max_items: int) -> Report:
    """The Report, with what was merged and then expired or folded traced back to the items of the store."""
    there = {item.id for item in left}

    def origins(id: str) -> tuple[str, ...]:
        return tuple(each for old in merged[id] for each in origins(old)) if id in merged else (id,)

    return Report(
        now, tuple(item.id for item in before if item.id in there),
        {id: origins(id) for id in merged if id in there},
        tuple(each for id in gone for each in origins(id)), review,
        tuple(each for id in unsaid for each in origins(id)),
        tuple(item for item in made if item.id in there), tuple(before), max(0, len(left) - max_items))
