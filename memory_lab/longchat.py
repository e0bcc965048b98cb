"""A long talk of two friends with planted facts, made from a seed, in the schema of LoCoMo.

LoCoMo's licence does not let us ship it; this stands in for it. The sentences lie in data/parts/longchat.json. Each
matter that a question asks for is also talked about beside the point (another person, another value), some facts
change, and the questions use other words than the statements: so word search finds much, but not everything.

Copy with: errors.py, data/parts/longchat.json.  Chapter 9.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from importlib import resources

from .errors import SettingError

MULTI_HOP, TEMPORAL, OPEN, SINGLE_HOP, ADVERSARIAL = 1, 2, 3, 4, 5   # LoCoMo's numbers
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")


@dataclass
class Strand:
    """Exchanges that must come in this order, and the questions that they answer.

    exchanges: (text of speaker_a, text of speaker_b).  asked: qa items whose evidence is still (exchange, side).
    days: how far from the day of the talk the strand's {date} lies.
    """

    exchanges: list[tuple[str, str]]
    asked: list[dict] = field(default_factory=list)
    days: int = 0


def generate(*, seed: int = 7, turns: int = 300) -> dict:
    """One sample in the LoCoMo schema: `turns` exchanges (two utterances each) in sessions, and its questions.

    The same seed and turns give the same bytes. Six in ten exchanges plant or disturb a fact, as far as the stock of
    them reaches (about 150); the rest is small talk. A question's keys beyond LoCoMo's: type, forbid (as in Probe).
    Raises SettingError under 1 turn.  Cost: some milliseconds.

    >>> talk = generate(seed=7, turns=300)["conversation"]
    >>> sum(len(said) for said in talk.values() if isinstance(said, list))
    600
    """
    if turns < 1:
        raise SettingError(f"turns is {turns}: a talk has at least 1")
    source = resources.files("memory_lab").joinpath("data", "parts", "longchat.json")
    parts = json.loads(source.read_text(encoding="utf-8"))
    rng = random.Random(f"{seed} {turns}")
    people = rng.choice(parts["people"])
    stock = [*_facts(rng, parts, people), *_chains(rng, parts, people), *_events(rng, parts, people)]
    strands = _as_many_as(turns * 6 // 10, stock, rng)
    order = [strand for strand in strands for _ in strand.exchanges]
    order += [None] * (turns - len(order))
    rng.shuffle(order)   # a strand's own exchanges stay in order, as they are taken from its front
    return {"sample_id": f"made-{seed}-{turns}", **_sessions(rng, parts, people, order)}


def _sessions(rng: random.Random, parts: dict, people: list[str], order: list[Strand | None]) -> dict:
    """The conversation, cut into sessions of 12 to 18 exchanges, and the qa with dia ids as evidence."""
    conversation: dict = {"speaker_a": people[0], "speaker_b": people[1]}
    chat, day, session, left = _chat(rng, parts), date(2025, 1, 6), 0, 0
    placed: dict[int, list[str]] = {}
    dates: dict[int, str] = {}
    for strand in order:
        if opening := not left:
            day, session, left = day + timedelta(days=rng.randrange(5, 25)), session + 1, rng.randrange(12, 19)
            clock = f"{rng.randrange(1, 12)}:{rng.randrange(10, 60)} pm"
            conversation[f"session_{session}_date_time"] = f"{clock} on {_day(day)}, {day.year}"
            conversation[f"session_{session}"] = []
        said = conversation[f"session_{session}"]
        if strand is None:
            pair = next(chat)
        else:
            pair = strand.exchanges[len(placed.setdefault(id(strand), []))]
            placed[id(strand)].append(f"D{session}:{len(said) + 1}")
            dates[id(strand)] = _day(day + timedelta(days=strand.days))
        pair = [text.replace("{date}", dates.get(id(strand), "")) for text in pair]
        if opening:
            pair[0] = rng.choice(parts["openers"]).format(you=people[1]) + pair[0]
        for side, text in enumerate(pair):
            said.append({"speaker": people[side], "dia_id": f"D{session}:{len(said) + 1}", "text": text})
        left -= 1
    unique = {id(strand): strand for strand in order if strand}
    return {"conversation": conversation, "qa": [
        _dated(qa, placed[key], dates[key]) for key, strand in unique.items() for qa in strand.asked]}


def _dated(qa: dict, ids: list[str], day: str) -> dict:
    cited = [(ids[exchange].split(":"), side) for exchange, side in qa["evidence"]]
    evidence = [f"{session}:{int(number) + side}" for (session, number), side in cited]
    return {**qa, "evidence": evidence, **({"answer": day} if qa.get("answer") == "{date}" else {})}


def _facts(rng: random.Random, parts: dict, people: list[str]) -> Iterator[Strand]:
    """A value for one or both people; some change later; one or two mentions of other values beside the point."""
    for kind in parts["facts"]:
        values = rng.sample(kind["values"], len(kind["values"]))
        owners = rng.choice([(0,), (1,), (0, 1), (0, 1)])
        for side in owners:
            strand = Strand([_said(rng, parts, side, rng.choice(kind["say"]).format(v=values[side]), kind)])
            qa = {"answer": values[side], "evidence": [(0, side)], "category": SINGLE_HOP, "type": kind["type"]}
            if "update" in kind and rng.random() < .7:
                strand.exchanges.append(_said(rng, parts, side, kind["update"].format(v=values[2 + side]), kind))
                qa |= {"answer": values[2 + side], "evidence": [(1, side)], "forbid": [values[side]]}
            strand.asked.append({"question": rng.choice(kind["ask"]).format(who=people[side]), **qa})
            if len(owners) == 1:   # the other person never said it, which is a question too
                question = rng.choice(kind["ask"]).format(who=people[1 - side])
                strand.asked.append({"question": question, "category": ADVERSARIAL, "evidence": [(0, side)],
                                     "adversarial_answer": values[side], "type": kind["type"]})
            yield strand
        for value in values[4:4 + rng.randrange(1, 3)]:
            aside = rng.choice(kind["distract"]).format(v=value, other=rng.choice(parts["others"]))
            yield Strand([_said(rng, parts, rng.randrange(2), aside, {})])


def _chains(rng: random.Random, parts: dict, people: list[str]) -> Iterator[Strand]:
    """Two statements that answer one question only together: who a relative is, and what that name did."""
    names, relations = (rng.sample(parts[key], len(parts[key])) for key in ("others", "relations"))
    for kind in parts["chains"]:
        for side, value in enumerate(rng.sample(kind["values"], 2)):
            known = {"name": names.pop(), "rel": relations.pop(), "v": value, "who": people[side]}
            link, deed = rng.choice(parts["links"]).format(**known), kind["say"].format(**known)
            yield Strand([_said(rng, parts, side, link, {}), _said(rng, parts, side, deed, {})], [{
                "question": kind["ask"].format(**known), "answer": value.removeprefix("a "), "type": "free",
                "evidence": [(0, side), (1, side)], "category": MULTI_HOP}])


def _events(rng: random.Random, parts: dict, people: list[str]) -> Iterator[Strand]:
    """Appointments with their dates (temporal), and wishes from which a question has to infer (open)."""
    for kind in parts["events"]:
        side = rng.randrange(2)
        days = -rng.randrange(1, 9) if kind.get("past") else rng.randrange(2, 40)
        qa = {"question": kind["ask"].format(who=people[side]), "answer": "{date}", "type": "date",
              "evidence": [(0, side)], "category": TEMPORAL}
        yield Strand([_said(rng, parts, side, kind["say"], kind)], [qa], days)
    for kind in parts["wishes"]:
        for side, value in enumerate(rng.sample(kind["values"], 2)):
            qa = {"question": kind["ask"].format(who=people[side]), "answer": value, "type": "free",
                  "evidence": [(0, side)], "category": OPEN}
            yield Strand([_said(rng, parts, side, kind["say"].format(v=value), kind)], [qa])


def _chat(rng: random.Random, parts: dict) -> Iterator[tuple[str, str]]:
    """Small talk without end; the templates come round in a new order each time."""
    while True:
        for pair in rng.sample(parts["chat"], len(parts["chat"])):
            words = {slot: rng.choice(choices) for slot, choices in parts["slots"].items()}
            words["other"] = rng.choice(parts["others"])
            yield tuple(text.format(**words) for text in pair)


def _said(rng: random.Random, parts: dict, side: int, text: str, kind: dict) -> tuple[str, str]:
    """An exchange in which the speaker of that side says the text, and the other one leads up to it or answers."""
    if side:
        return kind.get("lead") or rng.choice(parts["leads"]), text + rng.choice(parts["tails"])
    reply = rng.choice(kind.get("reply") or parts["replies"])
    return rng.choice(parts["asides"]) + text + rng.choice(parts["tails"]), reply


def _as_many_as(exchanges: int, stock: list[Strand], rng: random.Random) -> list[Strand]:
    chosen, room = [], exchanges
    for strand in rng.sample(stock, len(stock)):
        if len(strand.exchanges) <= room:
            chosen.append(strand)
            room -= len(strand.exchanges)
    return chosen


def _day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]}"   # strftime would follow the reader's locale
