"""What a state shows, as HTML: the same in the live explorer and in its static twin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..facts.render import line as line_of
from ..live.base import escape, number, short
from ..recall import Asked
from .context import Line
from .state import ExplorerState

LONG = 400  # characters of a message that are shown; its tokens are counted whole
GONE = 60   # messages that are not sent, at most so many are listed


def status(state: ExplorerState) -> str:
    """One sentence: what goes out, or why nothing can."""
    if state.problem:
        return f"Nothing can be sent. {state.problem}"
    memory, own = state.memory, len(state.own)
    states = list(memory.states)
    kept = sum(each in ("kept", "clipped") for each in states)
    clipped = states.count("clipped")
    return (f"{state.name}, {state.conversation.name}: {kept} of {number(len(states), 'message')} go out"
            + (f", {clipped} of them clipped" if clipped else "")
            + f"; {number(sum(state.parts().values()), 'token')}."
            + (f" {number(own, 'message')} said here." if own else ""))


def parts(state: ExplorerState) -> str:
    """Tokens of each part, with a bar."""
    sizes = state.parts()
    total = sum(sizes.values())
    if not total:
        return _none("Nothing goes out, so there is nothing to count.")
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="ml-number">{tokens:,}</td>'
        '<td><span class="ml-bar" style="width:min(8rem, 16vw)" aria-hidden="true">'
        f'<span style="width:{100 * tokens // total}%"></span></span></td></tr>' for name, tokens in sizes.items())
    return _table(("part", "tokens", ""), rows)


def sent(state: ExplorerState) -> str:
    """The messages that go out, newest first."""
    lines = [line for line in state.sent() if line.state != "instructions"]
    return _lines(lines[::-1], "Messages that go out, newest first") if lines else _none("No message goes out.")


def front(state: ExplorerState) -> str:
    """What stands before them, whole: instructions, and what the memory made itself."""
    rows = "".join(row(line.state, f'<i>{_where(line)}</i> <span class="ml-text">{escape(line.text)}</span>')
                   for line in state.sent() if line.state == "instructions")
    return _scroll("ol", rows, "What stands in front of the messages") if rows else _none("Nothing stands in front.")


def withheld(state: ExplorerState) -> str:
    """What is not in the context, newest first."""
    lines = state.withheld()[::-1]
    if not lines:
        return _none("Every message goes out." if not state.problem else "Nothing goes out.")
    more = f"<p>and {len(lines) - GONE:,} older ones</p>" if len(lines) > GONE else ""
    return _lines(lines[:GONE], "Messages that do not go out, newest first") + more


def table(state: ExplorerState) -> str:
    """The memory's own table of facts."""
    found = state.facts()
    if not found:
        return _none("This memory keeps no table of facts." if found is None else "No facts yet.")
    rows = "".join(f'<tr><td>{escape(short(line_of(fact).removeprefix("- "), 160))}</td>'
                   f'<td class="ml-number">{fact.source}</td></tr>' for fact in found)
    return _table(("fact", "message"), rows)


def planted(state: ExplorerState) -> str:
    """The conversation's planted facts, and whether the context still has them."""
    rows = "".join(row(word, f"<span>{escape(short(f'{probe.question} {probe.accept[0]}'))}</span>")
                   for probe, word in state.planted())
    return f"<ul>{rows}</ul>" if rows else _none("Nothing was planted in this conversation.")


def folded(state: ExplorerState) -> str:
    """The last compaction: what it kept, lost and added."""
    record = state.folded()
    if record is None:
        return _none("Nothing was folded.")
    covers = f"messages {record.covers[0]} to {record.covers[-1]}" if record.covers else "no messages"
    start = f"Fold {len(state.memory.compactions)}, {covers}"
    if record.error:
        return _none(f"{start}: not taken. {record.error}")
    tags = {"vanished": "strong", "lost": "del", "added": "ins", "kept": "span"}
    diff = record.diff()
    texts = [("vanished", f"{kind} {written}") for kind, written in diff.vanished]
    texts += [(word, text) for word in ("lost", "added", "kept") for text in getattr(diff, word)]
    rows = "".join(f'<tr><th scope="row">{word}</th><td><{tags[word]}>{escape(short(text, 200))}</{tags[word]}></td>'
                   "</tr>" for word, text in texts)
    return (f"<p>{escape(start)}: {number(record.tokens_before, 'token')} became {record.tokens_after:,}, "
            f"{number(record.model_calls, 'model call')}.</p>" + _scroll("div", _table(("what", "text"), rows),
                                                                         "What the last fold changed"))


def asked(result: Asked) -> str:
    """A question, the answer, its verdict, and where the evidence is."""
    probe = result.probe
    rows = [("question", probe.question), ("answer", result.answer or "(no words)"),
            ("verdict", result.verdict or "none: you named no answer that you would accept"),
            ("evidence", evidence(result)), ("prompt", number(result.tokens, "token"))]
    if probe.accept:
        rows.insert(3, ("accepted", " or ".join(probe.accept)))
    return _table(("", ""), "".join(f'<tr><th scope="row">{name}</th><td>{escape(text)}</td></tr>'
                                    for name, text in rows), head=False)


def evidence(result: Asked) -> str:
    """Where the answer is, in words."""
    if not result.probe.answerable:
        return "there is none: this was never said, so the right answer is not to know"
    value = {None: "", True: "the value stands in the context", False: "the value is nowhere in the context"}
    there = value[result.in_context]
    if result.evidence is None:
        return ("the chat has not come to it yet" if result.probe.evidence else "not known for your own question") + (
            f"; {there}" if there else "")
    where = {1.0: "is in", 0.0: "is not in"}.get(result.evidence, "is partly in")
    return f"the message that states it {where} the context; {there}"


def _lines(lines: Sequence[Line], label: str) -> str:
    rows = "".join(row(line.state, f"<i>{_where(line)}</i> <span>{escape(short(line.text, LONG))}</span>")
                   for line in lines)
    return _scroll("ol", rows, label)


def _where(line: Line) -> str:
    place = "" if line.index is None else f" {line.index}"
    return escape(f"{line.role}{place}, {number(line.tokens, 'token')}{f', {line.reason}' if line.reason else ''}:")


def row(word: str, content: str) -> str:
    """A row that begins with a word for its state, which is also what its style goes by."""
    return f'<li data-state="{escape(word)}"><b>{escape(word)}</b> {content}</li>'


def _scroll(tag: str, content: str, label: str) -> str:
    role = "list" if tag == "ol" else "region"  # named, since it can be reached and scrolled by keyboard
    return f'<{tag} class="ml-scroll" role="{role}" tabindex="0" aria-label="{label}">{content}</{tag}>'


def _table(heads: Iterable[str], rows: str, *, head: bool = True) -> str:
    cells = "".join(f'<th scope="col">{name}</th>' if name else "<td></td>" for name in heads)
    return f"<table>{f'<thead><tr>{cells}</tr></thead>' if head else ''}<tbody>{rows}</tbody></table>"


def _none(text: str) -> str:
    return f"<p>{escape(text)}</p>"


PANELS: dict[str, Callable[[ExplorerState], str]] = {
    "Tokens of each part": parts, "Planted facts": planted, "Messages that go out, newest first": sent,
    "Messages that do not go out": withheld, "In front: instructions, facts, summary": front, "Last compaction": folded,
    "The memory's table of facts": table}
