"""How well one statement answers a question: words covered, kind of value, whose it is, and who said it."""

from __future__ import annotations

import re

from .analysis import Analysis
from .evidence import Evidence
from .groups import Group, cover, meets
from .lexicon import class_of, lexicon
from .question import FINE, MET_BY, Question
from .subject import dropped_subject, people_in, subject_of

HARD = {"time", "number", "amount", "duration", "date", "frequency", "phone", "email", "code", "selfname"} | FINE
TRUST = {"user": 1.0, "notes": 0.98, "tool": 0.95, "assistant": 0.82}
_FIRST = re.compile(r"\b(?:i|my|me|mine|we|our|us|yo|mi|mis|nos|nuestr[oa]s?)\b|我", re.IGNORECASE)
_IMPERSONAL = re.compile(
    r"(?:the|a|an|some|there|el|la|los|las|un|una|hay)\b(?!.*\b(?:i|my|me|we|our|us|mi|mis|me|nos|yo)\b)", re.IGNORECASE
)


def score_of(
    groups: list[Group],
    direct: list[float],
    topics: list[bool],
    want: Question,
    persons: frozenset[str],
    item: Evidence,
) -> tuple[float, bool, tuple[float, ...]]:
    """(score, whether it leans on the talk's topic, the match of each group) of a statement against a question.

    No matches at all, (), for what can be no answer whatever it means: a guess; no name where the asker's is wanted."""
    analysis = item.analysis
    if item.marks.guess and not analysis.kinds & {"date", "money", "time", "code", "phone", "email"}:
        return 0.0, False, ()
    if "selfname" in want.wants:
        told = "selfname" in analysis.kinds and item.speaker != "assistant" and subject_of(analysis) != "other"
        return (TRUST[item.speaker], False, (1.0,) * len(groups)) if told else (0.0, False, ())
    got = total = own = 0.0
    matches = []
    missing_proper, missing, named, lent = False, 0, False, 0.0
    for group, match in zip(groups, direct, strict=True):
        weight = group.weight
        own = max(own, match * (weight >= 0.4))
        if match < 0.7 and not _clash(group, analysis):
            given = _lent(group, item, want)
            match, lent = max(match, given), max(lent, given)
        if match < 0.7 and item.named is not None:
            match = max(match, 0.9 * cover(group, item.named, by_kind=False))
        if group.proper and match < 0.5:
            missing_proper = True
        named = named or (match >= 0.5 and (group.proper or (not group.concepts and weight >= 0.8 and match >= 0.9)))
        if (
            match < 0.45
            and weight >= 0.8
            and group.concepts
            and not group.proper
            and topics[len(matches)]
            and not sibling(group, analysis)
        ):
            match = 0.45  # not said here, but it is what the talk was about just before
        matches.append(match)
        missing += match == 0.0 and weight >= 1.0
        got += weight * match
        total += weight
    wanted = [
        kind
        for kind in want.wants
        if kind in MET_BY and not (kind == "person" and any("name" in group.concepts for group in groups))
    ]
    met = [kind for kind in wanted if meets(kind, analysis)]
    if not met and (got == 0.0 or (own == 0.0 and lent < 0.7)):
        return 0.0, False, tuple(matches)
    bonus = 0.5 if met and not (wanted[0] == "code" and "code" not in analysis.kinds) else 0.4 if met else 0.0
    score = (got + bonus) / (total + 0.5) if wanted else got / total
    if wanted and not met:
        score *= 0.6 if set(wanted) <= HARD else 0.9 if "person" in wanted and "proper" in analysis.kinds else 0.75
    if "person" in want.wants and not wanted and not analysis.kinds & {"name", "selfname"}:
        score *= 0.7  # asked for a name, and there is none
    score *= (0.5 if missing_proper else 1.0) * 0.88**missing
    score *= 1.0 if named else _about(persons, want, item)
    trust = TRUST[item.speaker]
    if want.named:
        trust = 1.0 if item.speaker == want.about else 0.5
    elif want.about == "assistant":
        trust = 1.0 if item.speaker == "assistant" else 0.7
    elif item.request:
        trust *= 0.9
    if item.marks.once and not want.once:
        trust *= 0.8
    if item.speaker == "tool" and want.mine:
        trust *= 0.7
    spare = sum(term.weight >= 0.8 for term in analysis.terms) - len(groups) - 1
    trust *= 0.93 if (want.mine or want.named) and _IMPERSONAL.match(analysis.text) else 1.0
    trust *= 0.85 if want.named and item.reply_to is None and not _FIRST.search(analysis.folded) else 1.0
    trust *= (0.85 if not want.yes_no else 0.95) if analysis.negated and not want.negated else 1.0
    trust *= 0.92 if own == 0.0 and item.reply_to is None else 1.0
    return score * trust * (1 - 0.005 * min(max(spare, 0), 8)), bool(item.before) and lent >= 0.5, tuple(matches)


def _lent(group: Group, item: Evidence, want: Question) -> float:
    """How far the words before a statement cover a word of the question that it does not cover itself."""
    short = len(item.analysis.terms) <= 4
    replied = 0.0
    if item.reply_to is not None and (item.speaker != "assistant" or want.about == "assistant"):
        replied = cover(group, item.reply_to, by_kind=False) * (0.95 if short else 0.7)
    if item.lead is None:
        return replied
    pronoun = item.marks.pronoun or dropped_subject(item.analysis, item.lead)
    near = (
        0.9
        if pronoun and item.before
        else 0.8
        if pronoun
        else 0.65
        if item.before and short
        else 0.45
        if item.before
        else 0.3
    )
    return max(replied, near * cover(group, item.lead, by_kind=False))


def sibling(group: Group, analysis: Analysis) -> bool:
    """Does the statement name another thing of the class that the question names one of?"""
    asked = {class_of(c) for c in group.concepts} - {""}
    return any(
        near == 1.0 and class_of(c) in asked and c not in group.concepts for c, near in analysis.concepts.items()
    ) or bool(people_in(analysis) and _people_asked(group))


def _people_asked(group: Group) -> bool:
    parents = lexicon().parents
    return any("person" in parents.get(c, ()) for c in group.concepts)


def _clash(group: Group, analysis: Analysis) -> bool:
    asked = group.concepts
    return ("dislike" in asked and analysis.concepts.get("like") == 1.0) or (
        "like" in asked and analysis.concepts.get("dislike") == 1.0
    )


def _about(persons: frozenset[str], want: Question, item: Evidence) -> float:
    """Is the statement about whom the question is about?"""
    said = people_in(item.analysis)
    if persons:
        if said and item.named is None:  # it names somebody itself: the words before do not change whom
            return 1.0 if persons & said else 0.45
        for led in (item.lead, item.reply_to, item.named):
            said |= people_in(led) if led is not None else frozenset()
        return 1.0 if persons & said else 0.45
    if (item.speaker == "assistant" and not want.named) or "person" in want.wants:
        return 1.0 if item.speaker == "assistant" or subject_of(item.analysis) != "other" else 0.8
    other = subject_of(item.analysis) == "other" or (
        item.lead is not None and dropped_subject(item.analysis, item.lead)
    )
    return 0.58 if other else 1.0
