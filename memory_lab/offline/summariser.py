"""A summary by extraction: the statements worth keeping, in the speakers' own words, within the room that there is.

Kept first: what an earlier summary holds, then names, numbers, prohibitions, preferences, decisions and promises of the
user's. Of two statements on one matter the newer stays. Nothing is rephrased, so nothing is distorted; what does not
fit is lost. Asked for in English, Chinese or Spanish; headings that the prompt lists ("People:") are used.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..messages import Message, text_of
from .analysis import analyse
from .evidence import Evidence
from .extract import slots
from .language import fold, sentences
from .marks import marks
from .question import is_question, is_request
from .reader import same_matter, withdraws
from .subject import people_named
from .transcript import Line, talk

_ASKS = re.compile(
    r"(?:^|[.!:\n]\s*|\b(?:please|to|now|and|you|then)\s+)(?:summari[sz]e|condense|compress|merge)\b|\b(?:write|give|make|update|create|produce|provide|extend|rewrite|continue)\b[^.\n]{0,40}\bsummar(?:y|ies)\b|"
    r"\b(?:resume|resuma|resumir|resúmeme|resumas)\b|\b(?:haz|escribe|redacta|actualiza|elabora)\b[^.\n]{0,30}\bresumen\b|(?:请|帮我|帮忙)?(?:总结|概括|归纳|浓缩)(?:一下|以下|上面|这|对话|如下|前面|我们|会话)|(?:撰写|写|更新|整理|做|生成)[^。\n]{0,12}(?:摘要|总结)",
    re.IGNORECASE)
_LIMIT = re.compile(r"(?:at most|no more than|under|within|maximum of|máximo|como mucho|最多|不超过)\D{0,12}(\d{2,6})\s*(?:tokens?|个?token|个词元)", re.IGNORECASE)


class Item(NamedTuple):
    """A statement that may go into the summary. points: how much it matters."""

    text: str
    speaker: str
    order: int
    points: float
    heading: str
    earlier: bool
    evidence: Evidence


def asks_to_summarise(text: str) -> bool:
    """Does an instruction, in simplified characters, ask for a summary?"""
    return bool(_ASKS.search(text))


def asks_for_summary(messages: list[Message]) -> bool:
    """Does the request ask for a summary: in its first instruction, or in its last user message?"""
    first = text_of(messages[0]) if messages[0]["role"] in ("system", "developer") else ""
    last = text_of(messages[-1]) if messages[-1]["role"] == "user" else ""
    # Only the opening of the instructions: behind it may stand a summary, which speaks of summaries.
    return asks_to_summarise(fold(first[:200])) or asks_to_summarise(fold(last[:400]))


def summary(messages: list[Message], room: int, count) -> str:
    """The summary, of at most `room` tokens (or fewer, if the prompt says so); "" if not even one statement fits."""
    asked = "\n".join(text_of(message) for message in messages if message["role"] in ("system", "developer", "user"))
    stated = [int(number) for number in _LIMIT.findall(fold(asked))]
    room = min([room, *stated[-1:]])
    headings = _headings(messages)
    items = _superseded(_items(talk(messages), headings))
    wanted = [item for item in items if item.points >= 3.0] or sorted(items, key=lambda item: -item.points)[:1]
    chosen: list[Item] = []
    used = sum(count.text(heading) + 3 for heading in headings)
    for item in sorted(wanted, key=lambda item: (-item.points, -item.order)):
        cost = count.text(_line(item)) + 1
        if used + cost <= room or not chosen:
            chosen.append(item)
            used += cost
    while chosen and count.text(_written(chosen, headings)) > room:
        chosen.pop()
    if len(chosen) < len(wanted):  # the headings were counted as if all were needed: fill what is left
        for item in wanted:
            if item not in chosen and used + 40 > room and count.text(_written([*chosen, item], headings)) <= room:
                chosen.append(item)
    return _written(chosen, headings)


def _headings(messages: list[Message]) -> list[str]:
    """Lines of the instructions like "People:": what the summary is to be written under."""
    found = []
    for message in messages:
        if message["role"] in ("system", "developer") or message is messages[-1]:
            for line in text_of(message).splitlines():
                match = re.match(r"^\W{0,4}([^\W\d_][\w ,/&-]{1,30})[:：]\s*$", line)
                if match and not re.search(r"so far|message|summary|headings|conversation|transcript|摘要|对话|對話|resumen|mensajes|following|below", match[1], re.IGNORECASE):
                    found.append(match[1].strip())
    return list(dict.fromkeys(found))


def _items(lines: list[Line], headings: list[str]) -> list[Item]:
    found, seen = [], {}
    for line in lines:
        before = None
        for sentence in sentences(line.text) if not line.earlier else (line.text,):
            stated = is_request(sentence) or not is_question(sentence)
            analysis = analyse(sentence)
            if not stated or not analysis.terms:
                continue
            evidence = Evidence(sentence, line.speaker, analysis, marks(sentence), before, None, False)
            before = analysis
            heading = line.heading if line.heading in headings else _best_heading(evidence, headings)
            item = Item(sentence, line.speaker, len(found), _points(evidence, line), heading, line.earlier, evidence)
            key = re.sub(r"\W", "", fold(sentence).lower())
            if key in seen:  # said again: the place of the newest
                found[seen[key]] = None
            seen[key] = len(found)
            found.append(item)
    return [item for item in found if item is not None]


_MATTERS = frozenset("""allergy cannot_eat avoid like dislike fear budget selfname live move work decision cancel promise deadline appointment health medicine preference_of
    lodging address seat delivery refund broken contact birthday anniversary pet order code password phone email trip meeting goal size payment secret reply_style diet""".split())


def _points(evidence: Evidence, line: Line) -> float:
    analysis, marked = evidence.analysis, evidence.marks
    points = {"user": 2.0, "assistant": -3.0}.get(line.speaker, 0.0)
    hard = analysis.kinds & {"date", "time", "money", "code", "phone", "email", "number", "duration", "selfname"}
    points += 2.0 * bool(hard) + 0.5 * min(len(hard), 3)
    points += min(4.0, 1.5 * sum(near == 1.0 and (c in _MATTERS) for c, near in analysis.concepts.items()))
    points += 1.0 * bool(people_named(analysis)) + 0.5 * ("name" in analysis.kinds) + 0.5 * analysis.negated
    points += 0.5 * (marked.update or marked.retract) + 0.5 * marked.once - 2.0 * marked.guess
    if _FAREWELL.search(analysis.folded):
        points -= 3.0
    if sum(term.weight >= 0.8 for term in analysis.terms) < 2 and not hard:
        points -= 1.0
    return max(points, 0.0) + (1.0 if line.earlier else 0.0)


_FAREWELL = re.compile(r"good ?night|talk (?:to you )?soon|that is all|that[’']s all|thank you|thanks|bye\b|time to sleep|晚安|聊到这|再见|谢谢|eso es todo|gracias|hasta luego|buenas noches", re.IGNORECASE)

_CATEGORIES = (
    ("prohibition", r"prohibit|forbid|never|restric|don.?t|禁|不可|prohibi|restric", {"allergy", "cannot_eat", "avoid"}),
    ("promise", r"promis|commit|承诺|约定|promesa|compromis", {"promise"}),
    ("decision", r"decision|decid|plan|agreed|决定|计划|decisi|planes", {"decision", "cancel", "appointment", "meeting", "trip", "change", "goal", "deadline", "event"}),
    ("preference", r"prefer|like|taste|偏好|喜好|爱好|gusto", {"like", "dislike", "preference_of", "taste", "reply_style", "diet", "hobby", "seat"}),
    ("people", r"people|person|name|who|人|姓名|nombre", {"selfname", "name"}),
    ("number", r"number|figure|amount|code|date|fact|数|号|日期|número|cifra|fecha|datos|hechos", set()),
)


def _best_heading(evidence: Evidence, headings: list[str]) -> str:
    if not headings:
        return ""
    analysis = evidence.analysis
    own = {c for c, near in analysis.concepts.items() if near >= 0.9} | (analysis.kinds & {"selfname"})
    fits = []
    for name, _, concepts in _CATEGORIES:
        if name == "prohibition":
            fit = bool(own & {"allergy", "cannot_eat"}) or bool("avoid" in own and analysis.negated)
        elif name == "people":
            fit = bool(own & concepts) or bool(people_named(analysis))
        elif name == "number":
            fit = bool(analysis.kinds & {"number", "money", "code", "date", "time", "phone", "email", "duration"})
        else:
            fit = bool(own & concepts)
        if fit:
            fits.append(name)
    for name in fits:
        pattern = next(pattern for known, pattern, _ in _CATEGORIES if known == name)
        heading = next((heading for heading in headings if re.search(pattern, fold(heading), re.IGNORECASE)), None)
        if heading:
            return heading
    for pattern in (r"other|misc|note|fact|其他|otros", _CATEGORIES[2][1]):
        for heading in headings:
            if re.search(pattern, fold(heading), re.IGNORECASE):
                return heading
    return headings[0]


_VALUED = frozenset({"date", "time", "money", "code", "phone", "email", "place", "selfname"})


def _superseded(items: list[Item]) -> list[Item]:
    """The items without those that a newer one replaces: the same thing of the same person, a correction, a retraction."""
    gone: set[int] = set()
    newest: dict[tuple[str, str], Item] = {}
    for item in items:
        if item.speaker != "user":
            continue
        for slot in slots(item.text):
            old = newest.get(slot)
            if not item.evidence.marks.once and not (old is not None and item.evidence.marks.also):
                newest[slot] = item
                if old is not None and all(newest[each] is not old for each in slots(old.text)):  # nothing else was in it
                    gone.add(old.order)
        mark = item.evidence.marks
        if (mark.update or mark.retract or mark.forget) and not mark.once and not mark.guess:
            for old in reversed(items):
                if old.order < item.order and old.speaker == "user" and old.order not in gone and not old.evidence.marks.once:
                    if mark.update and not _VALUED & old.evidence.analysis.kinds - item.evidence.analysis.kinds and same_matter(item.evidence, old.evidence, True) or (mark.retract or mark.forget) and withdraws(item.evidence, old.evidence):
                        gone.add(old.order)
                        break
    return [item for item in items if item.order not in gone]


def _line(item: Item) -> str:
    return f"- {item.speaker.capitalize()}: {item.text}"


def _written(chosen: list[Item], headings: list[str]) -> str:
    lines = []
    ordered = sorted(chosen, key=lambda item: item.order)
    for heading in headings or [""]:
        under = [_line(item) for item in ordered if item.heading == heading]
        if under and heading:
            lines.append(f"{heading}:")
        lines += under
    return "\n".join(lines)
