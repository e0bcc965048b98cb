"""The answer to a question, read from the context alone: find the statement that answers it, and quote it.

A statement's score is the share of the question's content words that it covers (by stem, by concept, or by a kind of
what is asked: "pet" by "dog"), with the kind of value that the question wants. Below THRESHOLD there is no answer.
The newest statement on the matter wins. No world knowledge, no reasoning over two statements, no sense of position.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..messages import Message, text_of
from .analysis import Analysis, analyse
from .evidence import Evidence, flatten, gather
from .language import clauses, language_of, sentences
from .lexicon import lexicon
from .marks import marks, without_stale
from .phrases import say
from .question import MET_BY, Question, is_question, read_question
from .subject import dropped_subject, people_in, people_named, subject_of

THRESHOLD = 0.6
SAME = 0.93          # of the best score: a statement this near is on the same matter, a marked update also from UPDATE
UPDATE = 0.8
TOPIC = 12           # statements: how long a word of the user's stays what the talk is about
HARD = {"time", "number", "amount", "duration", "date", "frequency", "phone", "email", "code", "selfname"}
TRUST = {"user": 1.0, "notes": 0.98, "tool": 0.95, "assistant": 0.82}


class Hit(NamedTuple):
    """leans: the score needs the sentence before, which is then quoted too; matches: one figure a group; heir: it corrects a hit."""

    score: float
    order: int
    evidence: Evidence
    leans: bool = False
    matches: tuple[float, ...] = ()
    heir: bool = False


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
    names = {str(message["name"]).lower(): message["role"] for message in messages if message.get("name") and message["role"] in ("user", "assistant")}
    evidence = gather([*messages[:last], {"role": "user", "content": text}, *messages[last + 1:]])
    for question in reversed(asked):
        hits = find(question, evidence, names)
        if hits:
            return _reply(hits, read_question(question, language_of(question)), language)
    return say("unknown", language)


RESULT = 400  # characters of a tool's result that are quoted whole


def _from_results(messages: list[Message], asked: str, language: str) -> str:
    """The answer after a tool's result: the part of it that answers the request, else its beginning."""
    first = next(i for i in range(len(messages), 0, -1) if messages[i - 1]["role"] != "tool")
    results = messages[first:]
    hits = find(asked, gather(results))
    if hits:
        return say("tool", language, " ".join(hit.evidence.text for hit in hits))
    texts = [flatten(text_of(message)) or text_of(message) for message in results]
    return say("tool", language, " ".join(text[:RESULT] for text in texts if text) or "-")


def find(question: str, evidence: list[Evidence], names: dict[str, str] | None = None) -> list[Hit]:
    """The statements that answer the question, oldest first: one, or several that add up; none when it is not said.

    names: who speaks in which role, where messages carry names: "Anna's car" is then what Anna says of her car."""
    language = language_of(question)
    asked, want = analyse(question), read_question(question, language)
    roles = {names[term.text] for term in asked.terms if names and term.text in names}
    if len(roles) == 1:
        asked = asked._replace(terms=tuple(term for term in asked.terms if term.text not in names))
        want = want._replace(about=roles.pop(), named=True)
    groups = _groups(asked)
    if not groups:
        return []
    persons = people_named(asked)
    own = [[_match(group, item.analysis) for group in groups] for item in evidence]
    groups = [group._replace(weight=_unheard(group, [row[i] for row in own])) for i, group in enumerate(groups)]
    hits, heard = [], [-99] * len(groups)
    for order, item in enumerate(evidence):
        topics = [order - last <= TOPIC for last in heard]
        score, leans, matches = _score(groups, own[order], topics, want, persons, item)
        if item.speaker == "user":
            heard = [order if match >= 0.9 else last for match, last in zip(own[order], heard, strict=True)]
        hits.append(Hit(score, order, item, leans, matches))
    hits = _corrected(hits, want)
    good = [hit for hit in hits if hit.score >= THRESHOLD]
    if not good:
        return []
    best = max(good, key=lambda hit: (hit.score, hit.order))
    meets = [kind for kind in want.wants if _meets(kind, best.evidence.analysis)]
    same = [hit for hit in good if hit is best or hit.score >= best.score * (UPDATE if hit.evidence.marks.update else SAME) and (hit.heir or _shares(hit.evidence, best.evidence))
            and all(mine >= 0.4 or theirs < 0.7 for mine, theirs in zip(hit.matches, best.matches, strict=False))
            and (not meets or any(_meets(kind, hit.evidence.analysis) for kind in meets))]
    return _choose(same, hits, want)


_LOOSE = frozenset({"avoid", "change", "number", "date", "time", "place", "person", "day", "money", "use", "own"})


def _shares(one: Evidence, other: Evidence) -> bool:
    """Do two statements have a word, or a concept that one of them names, in common?"""
    a, b = ({c: near for c, near in each.analysis.concepts.items() if c not in _LOOSE} for each in (one, other))
    return (any(near == 1.0 and c in b for c, near in a.items()) or any(near == 1.0 and c in a for c, near in b.items())
            or any(term.weight >= 0.5 and term.keys <= other.analysis.keys for term in one.analysis.terms)
            or any(near == 1.0 and c in b for led in (one.reply_to, one.lead if one.marks.pronoun else None) if led is not None for c, near in led.concepts.items()))


class Group(NamedTuple):
    """Words of the question that ask for one thing: one word, or several with a concept in common."""

    weight: float
    keys: tuple[frozenset[str], ...]
    concepts: frozenset[str]
    proper: bool


def _groups(asked: Analysis) -> list[Group]:
    """The question's terms by concept; weights fall for what it takes for granted."""
    groups: list[Group] = []
    for term in asked.terms:
        weight = min(term.weight, 0.35) if term.concepts and all(c in _WEAK or c.startswith("timeofday/") for c in term.concepts) else term.weight
        group = Group(weight, (term.keys,), term.concepts, term.proper)
        for i, other in enumerate(groups):
            if term.concepts & other.concepts or term.keys in other.keys:
                groups[i] = Group(max(weight, other.weight), (*other.keys, term.keys), term.concepts & other.concepts or term.concepts, other.proper or term.proper)
                break
        else:
            groups.append(group)
    if all(group.weight < 0.7 for group in groups):
        groups = [group._replace(weight=max(group.weight, 0.8 if group.concepts else group.weight)) for group in groups]
    return groups


def _unheard(group: Group, matches: list[float]) -> float:
    """The weight of a group: less for a word that neither the lexicon nor the context knows, a paraphrase most likely."""
    unknown = not group.concepts and not group.proper and max(matches, default=0.0) < 0.5
    return min(group.weight, 0.45) if unknown else group.weight


# What a question takes for granted rather than asks about ("the thing that I bought").
_WEAK = frozenset({"product", "purchase", "device", "ingredient", "event", "pastime", "person", "money", "use", "own", "available", "day", "timeofday", "start_work", "behaviour", "spare", "topic", "begin", "position", "number", "time", "date"})


def _score(groups: list[Group], direct: list[float], topics: list[bool], want: Question, persons: frozenset[str], item: Evidence) -> tuple[float, bool, tuple[float, ...]]:
    analysis = item.analysis
    if item.marks.guess and not analysis.kinds & {"date", "money", "time", "code", "phone", "email"}:
        return 0.0, False, ()
    if "selfname" in want.wants:
        return TRUST[item.speaker] * ("selfname" in analysis.kinds and (item.speaker != "assistant") and subject_of(analysis) != "other"), False, ()
    got = total = own = 0.0
    matches = []
    missing_proper, missing, named, lent = False, 0, False, 0.0
    for group, match in zip(groups, direct, strict=True):
        weight = group.weight
        own = max(own, match * (weight >= 0.4))
        if match < 0.7 and not _clash(group, analysis):
            given = _lent(group, item)
            match, lent = max(match, given), max(lent, given)
        if match < 0.7 and item.named is not None:
            match = max(match, 0.9 * _match(group, item.named, by_kind=False))
        if group.proper and match < 0.5:
            missing_proper = True
        named = named or match >= 0.5 and (group.proper or not group.concepts and weight >= 0.8 and match >= 0.9)
        if match < 0.45 and weight >= 0.8 and group.concepts and not group.proper and topics[len(matches)] and not _sibling(group, analysis):
            match = 0.45  # not said here, but it is what the talk was about just before
        matches.append(match)
        missing += match == 0.0 and weight >= 1.0
        got += weight * match
        total += weight
    if got == 0.0:
        return 0.0, False, ()
    wanted = [kind for kind in want.wants if kind in MET_BY and not (kind == "person" and any("name" in group.concepts for group in groups))]
    met = [kind for kind in wanted if _meets(kind, analysis)]
    if own == 0.0 and not (lent >= 0.7 or met and item.named is not None):
        return 0.0, False, ()
    bonus = 0.5 if met and not (wanted[0] == "code" and "code" not in analysis.kinds) else 0.4 if met else 0.0
    score = (got + bonus) / (total + 0.5) if wanted else got / total
    if wanted and not met:
        score *= 0.6 if set(wanted) <= HARD else 0.9 if "person" in wanted and "proper" in analysis.kinds else 0.75
    if "person" in want.wants and not wanted and not analysis.kinds & {"name", "selfname"}:
        score *= 0.7  # asked for a name, and there is none
    score *= (0.5 if missing_proper else 1.0) * 0.88 ** missing
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


def _lent(group: Group, item: Evidence) -> float:
    """How far the words before a statement cover a word of the question that it does not cover itself."""
    short = len(item.analysis.terms) <= 4
    replied = _match(group, item.reply_to, by_kind=False) * (0.95 if short else 0.7) if item.reply_to is not None else 0.0
    if item.lead is None:
        return replied
    pronoun = item.marks.pronoun or dropped_subject(item.analysis, item.lead)
    near = 0.9 if pronoun and item.before else 0.8 if pronoun else 0.65 if item.before and short else 0.45 if item.before else 0.3
    return max(replied, near * _match(group, item.lead, by_kind=False))


def _sibling(group: Group, analysis: Analysis) -> bool:
    """Does the statement name another thing of the class that the question names one of?"""
    asked = {_class_of(c) for c in group.concepts} - {""}
    return any(near == 1.0 and _class_of(c) in asked and c not in group.concepts for c, near in analysis.concepts.items()) or bool(people_in(analysis) and _people_asked(group))


def _people_asked(group: Group) -> bool:
    parents = lexicon().parents
    return any("person" in parents.get(c, ()) for c in group.concepts)


def _clash(group: Group, analysis: Analysis) -> bool:
    asked = group.concepts
    return "dislike" in asked and analysis.concepts.get("like") == 1.0 or "like" in asked and analysis.concepts.get("dislike") == 1.0


def _match(group: Group, analysis: Analysis, *, by_kind: bool = True) -> float:
    """How far a statement covers a group: 1 for the word, less for a synonym, a kind of it, or a value of its kind."""
    if any(keys <= analysis.keys for keys in group.keys):
        return 1.0
    near = max((analysis.concepts.get(concept, 0.0) for concept in group.concepts), default=0.0)
    if near:
        return near - 0.05
    kinds = group.concepts & _BY_KIND.keys() if by_kind else ()
    if kinds and not (group.concepts & {"phone", "email"} and analysis.concepts.keys() & _LABELS) and any(_BY_KIND[concept] & analysis.kinds for concept in kinds):
        return 0.75
    if group.concepts or by_kind is False:
        return 0.0
    shared = max(len(keys & analysis.keys) / len(keys) for keys in group.keys if keys) if any(len(keys) > 1 for keys in group.keys) else 0.0
    return shared if shared >= 0.3 else 0.0  # of an unknown Chinese word some pairs of characters are there


_FIRST = re.compile(r"\b(?:i|my|me|mine|we|our|us|yo|mi|mis|nos|nuestr[oa]s?)\b|我", re.IGNORECASE)
_IMPERSONAL = re.compile(r"(?:the|a|an|some|there|el|la|los|las|un|una|hay)\b(?!.*\b(?:i|my|me|we|our|us|mi|mis|me|nos|yo)\b)", re.IGNORECASE)
_LABELS = frozenset({"order", "code", "password", "plate", "flight", "postcode", "locker"})
_BY_KIND = {"date": {"date"}, "time": {"time"}, "city": {"place"}, "country": {"place"}, "place": {"place"}, "cost": {"money"}, "money": {"money"}, "code": {"code"},
            "number": {"code", "digits", "phone"}, "phone": {"phone"}, "email": {"email"}, "name": {"name"}, "person": {"name"}, "address": {"address"},
            "duration": {"duration"}, "trip": {"place"}, "day": {"date"}, "year": {"date"}, "meet_place": {"place"}, "age": {"duration"}, "limit": {"money"}}


def _meets(kind: str, analysis: Analysis) -> bool:
    if MET_BY[kind] & analysis.kinds:
        return True
    concepts = analysis.concepts
    if kind == "place":
        return any(c.startswith(("city/", "country/")) for c in concepts)
    return bool({"person": {"family", "friend", "partner", "boss", "colleague", "name"}, "age": {"age"}, "date": {"date"}, "frequency": {"frequency"}}
                .get(kind, set()) & concepts.keys())


def _about(persons: frozenset[str], want: Question, item: Evidence) -> float:
    """Is the statement about whom the question is about?"""
    said = people_in(item.analysis)
    if persons:
        for led in (item.lead, item.reply_to, item.named):
            said |= people_in(led) if led is not None else frozenset()
        return 1.0 if persons & said else 0.45
    if item.speaker == "assistant" and not want.named or "person" in want.wants:
        return 1.0 if item.speaker == "assistant" or subject_of(item.analysis) != "other" else 0.8
    other = subject_of(item.analysis) == "other" or item.lead is not None and dropped_subject(item.analysis, item.lead)
    return 0.58 if other else 1.0


def _corrected(hits: list[Hit], want: Question) -> list[Hit]:
    """The hits, where a correction without a subject ("make it Friday") has the score of what it corrects."""
    found: list[Hit] = []
    for hit in hits:
        item = hit.evidence
        valued = item.analysis.kinds & _VALUES or not item.marks.retract
        meets = not want.wants or any(_meets(kind, item.analysis) for kind in want.wants)
        if item.speaker == (want.about if want.named else "user") and item.marks.update and valued and meets and not item.marks.guess:
            target = _target(item, [old for old in found[-60:] if want.named or old.evidence.speaker != "assistant"], want)
            if target is not None and target.score >= THRESHOLD and target.score * 0.99 > hit.score:
                hit = hit._replace(score=target.score * 0.99, matches=target.matches, leans=False, heir=True)
        found.append(hit)
    return found


def _target(new: Evidence, before: list[Hit], want: Question) -> Hit | None:
    """What a correction corrects: the newest statement with its words, else the one with a value just before it."""
    passed = False
    for old in reversed(before):
        matter = same_matter(new, old.evidence, bool(want.wants))
        if matter == "words" or matter and not passed:
            return old
        passed = passed or bool(old.evidence.analysis.kinds & _VALUES)
    return None


_VALUES = frozenset({"number", "date", "time", "money", "code", "phone", "email", "place", "duration"})
_GENERIC = frozenset({"change", "number", "date", "time", "place", "person", "avoid", "like", "taste", "event", "appointment", "day", "food", "diet", "money", "cost", "name",
                      "city", "trip", "home", "decision", "own", "quit", "preference_of", "limit", "code", "have", "country", "family"})


_FREE = frozenset({"change", "number", "date", "time", "avoid", "like", "taste", "decision", "quit", "have", "own", "preference_of", "limit", "day", "money", "cost", "place", "person", "model", "home"})


def same_matter(new: Evidence, old: Evidence, wanted: bool) -> str:
    """By what the newer statement gives another value for what the older one speaks of: "words", "values", or "".

    wanted: values of one kind (two dates) are enough; else they must be different things of one class (two colours).
    """
    kinds = new.analysis.kinds & old.analysis.kinds & _VALUES if wanted else frozenset()
    if "code" in old.analysis.kinds - kinds:
        kinds -= {"number"}  # a house number does not correct an order's
    shared = {c for c in new.analysis.concepts if new.analysis.concepts[c] == 1.0 and c in old.analysis.concepts} - _GENERIC
    words = {key for term in new.analysis.terms if term.weight >= 0.8 for key in term.keys} & old.analysis.keys
    classes = _other_kinds(new.analysis, old.analysis)
    if subject_of(new.analysis) == "other" and not (shared or words) and new.named is None:
        return ""
    content = sum(term.weight >= 0.8 for term in new.analysis.terms)
    topics = {c for term in new.analysis.terms if term.weight >= 0.5 for c in term.concepts if "/" not in c} - _FREE
    if not (shared or words) and (content > 5 or topics):
        return ""
    if (shared or words) and (kinds or classes or new.marks.retract):
        return "words"
    return "values" if (kinds or classes) and content <= 4 else ""


@lru_cache(maxsize=50_000)
def _class_of(concept: str) -> str:
    head = concept.partition("/")[0]
    return head if "/" in concept and head in lexicon().classes else ""


def _other_kinds(new: Analysis, old: Analysis) -> bool:
    """Do the two name different things of one class (red, green), so that one may replace the other?"""
    mine, theirs = ({c for c, near in each.concepts.items() if near == 1.0 and _class_of(c)} for each in (new, old))
    return any(_class_of(c) in {_class_of(d) for d in theirs} for c in mine - theirs)


def _choose(same: list[Hit], hits: list[Hit], want: Question) -> list[Hit]:
    """Of statements on one matter the newest; the one before for "before"; several where the newest says "also"."""
    spoken = [hit for hit in same if hit.evidence.speaker in ("user", "notes", "tool")] if want.about == "user" and not want.named else []
    same = spoken or same
    if not want.once:
        same = [hit for hit in same if not hit.evidence.marks.once] or same
    if want.past and len(same) > 1:
        return same[-2:-1]
    chosen = [same[-1]]
    while chosen[0].evidence.marks.also and not chosen[0].evidence.marks.update and len(chosen) < min(len(same), 4):
        chosen.insert(0, same[-len(chosen) - 1])
    newest = chosen[-1]
    for hit in hits[newest.order + 1:]:
        item = hit.evidence
        if item.speaker == "user" and (item.marks.forget or item.marks.retract) and not item.marks.once and hit.score >= 0.3 and withdraws(item, newest.evidence):
            return [] if item.marks.forget and not item.marks.retract else [hit]
    return [] if newest.evidence.marks.forget and not newest.evidence.marks.retract else chosen


def withdraws(new: Evidence, old: Evidence) -> bool:
    words = {key for term in new.analysis.terms if term.weight >= 0.8 for key in term.keys}
    shared = {c for c, near in new.analysis.concepts.items() if near == 1.0 and old.analysis.concepts.get(c) == 1.0} - _GENERIC - {"cancel", "quit"}
    named = {c for c, near in new.analysis.concepts.items() if near == 1.0 and old.analysis.concepts.get(c) == 1.0} & {"name", "code", "phone", "email", "address", "budget"}
    return bool(shared or named or words & {key for term in old.analysis.terms if term.weight >= 0.8 for key in term.keys})


def _lasting(item: Evidence, want: Question) -> str:
    """The statement without its clauses that hold this time only, where the question is not about this time."""
    if want.once or not item.marks.once:
        return item.text
    kept = [clause for clause in clauses(item.text) if not marks(clause).once]
    return ", ".join(kept) if sum(len(clause) for clause in kept) >= 8 else item.text


def _reply(hits: list[Hit], want: Question, language: str) -> str:
    speaker = hits[-1].evidence.speaker
    quotes = []
    for hit in hits:
        if hit.leans and not is_question(hit.evidence.before):
            quotes.append(hit.evidence.before)
        quotes.append(hit.evidence.text if want.negated else without_stale(_lasting(hit.evidence, want)))
    return say(speaker, language, " ".join(dict.fromkeys(quotes)))


def _context_language(messages: list[Message], text: str) -> str:
    """The text's language; for Chinese that both scripts write alike, the script of the talk before it."""
    language = language_of(text) if text else "en"
    if language == "zh":
        spoken = (language_of(text_of(message)) for message in reversed(messages) if message["role"] != "tool")
        language = next((found for found in spoken if found in ("zh-Hant", "zh-Hans")), "zh-Hans")
    return language
