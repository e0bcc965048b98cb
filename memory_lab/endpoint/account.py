"""What a run's model calls came to, in lines for a terminal."""

from __future__ import annotations

from collections import Counter

from .call_cache import CallCache
from .quirks import Quirks
from .spending import Row, Spending


def account(spending: Spending, cache: CallCache | None = None, quirks: Quirks | None = None) -> list[str]:
    """The lines: calls, tokens and money, one a model where there are several; then all that was odd."""
    return [*_sums(spending, cache), *_odd(spending, cache, quirks)]


def _sums(spending: Spending, cache: CallCache | None) -> list[str]:
    rows, prices = spending.rows, spending.prices
    total = Row(*(sum(getattr(row, name) for row in rows.values()) for name in Row.__dataclass_fields__))
    unknown = spending.unpriced & set(rows)
    money = "" if unknown == set(rows) and rows else f": {spending.money:.4f} {prices.currency}"
    dated = f" at the list prices of {prices.date}" if money else ""
    limit = "" if spending.limit is None else f", of {spending.limit:g} that may be spent"
    lines = [f"{many(total.calls, 'call')}, {total.prompt_tokens:,} tokens in, {total.completion_tokens:,} out"
             f"{money}{dated}{limit}"]
    if len(rows) > 1:
        lines += [f"  {name}: {many(row.calls, 'call')}, {row.prompt_tokens:,} in, {row.completion_tokens:,} out"
                  + ("" if name in unknown else f", {row.money:.4f}") for name, row in sorted(rows.items())]
    if cache and cache.hits:
        lines.append(f"  {many(cache.hits, 'more call')} cost nothing: answered from {cache.path}")
    if unknown:
        lines.append(f"  no price is known for {', '.join(sorted(unknown))}, so none is counted: add a line to a copy "
                     "of memory_lab/data/prices/prices.json, and name it with --prices FILE")
    return lines


def _odd(spending: Spending, cache: CallCache | None, quirks: Quirks | None) -> list[str]:
    lines, estimated = [], sum(row.estimated for row in spending.rows.values())
    if estimated:
        lines.append(f"  estimated, as no usage was reported: {many(estimated, 'call')}")
    lines += [f"  seen {many(number, 'time')}: {words}" for words, number in spending.notes.most_common()]
    lines += [f"  this endpoint is different: {words}" for words in (quirks.made if quirks else ())]
    for words, number in Counter(spending.unanswered.values()).most_common():
        lines.append(f"  {many(number, 'call')} got no answer ({words}), and the result lacks what it would have said")
    if cache and cache.fault:
        lines.append(f"  the cache {cache.path} cannot be written ({cache.fault}): newer answers are not kept")
    return lines


def estimate(spending: Spending, limit: float | None = None, cache: CallCache | None = None) -> list[str]:
    """The lines after a dry run.  limit: what a real run may spend."""
    unit = spending.prices.currency
    lines = ["Dry run: nothing was sent. The offline model answered instead; another model's replies may be longer.",
             *_sums(spending, cache)]
    if not spending.unpriced:
        lines.append(f"  at most {spending.worst:.4f} {unit}, were each reply as long as it may be ("
                     f"{spending.max_tokens:,} tokens where the request sets no limit)")
    if limit is not None:
        within = "within" if spending.money <= limit else "over"
        lines.append(f"  the estimate is {within} the limit of {limit:g} {unit}")
    return lines


def many(number: int, words: str) -> str:
    """The number with its words, in the plural where it is not 1.

    >>> many(1, "call"), many(2000, "call")
    ('1 call', '2,000 calls')
    """
    return f"{number:,} {words}" + ("" if number == 1 else "s")
