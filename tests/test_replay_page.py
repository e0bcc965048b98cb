"""The report as one HTML file: what it says, that it is the same each time, and that masked means masked."""

import json
import re

import pytest
from talks import FIXTURES, ORDER, chat

from memory_lab.cli import main
from memory_lab.log_replay import plan, recommend, replay_log
from memory_lab.log_replay.advice import advise
from memory_lab.log_replay.hurt import hurts
from memory_lab.log_replay.measure import KnownCounts
from memory_lab.log_replay.page.figures import CallsFigure, CostFigure, LimitFigure, window_tokens
from memory_lab.log_replay.report import rows
from memory_lab.log_replay.windows import windows
from memory_lab.prices import Price, Prices, load_prices
from memory_lab.report import percent

COUNT = KnownCounts()
LONG = [*ORDER, *chat(*[("And so on and so forth.", "Yes, of course.")] * 40,
                      ("Ring Maria about A-1023 <b>now</b>.", "Yes."))]
SECRETS = {"mail": "ana.lopez@example.com", "phone": "+34 611 222 333", "card": "4111 1111 1111 1111",
           "key": "sk-proj-abcdefghijklmnop1234", "name": "Wilhelmina", "title": "Divorce of W.",
           "link": "secret.example"}
PERSONAL = {"title": SECRETS["title"], "messages": chat(
    ("I told Wilhelmina: {mail}, {phone}, card {card}, key {key}, https://{link}/w.".format(**SECRETS), "Noted."),
    *[("And so on and so forth.", "Yes, of course.")] * 40,
    ("Was it {mail}, as Wilhelmina said, and card {card}?".format(**SECRETS), "Yes, {mail}.".format(**SECRETS)))}


@pytest.fixture(scope="module")
def replays():
    made = windows(token_limits=[60, 400], memory_limit=400, max_turns=3, count=COUNT)
    return [replay_log(talk, made, count=COUNT, name=name) for name, talk in (("long", LONG), ("order", ORDER))]


def written(tmp_path, data, *options):
    log, out = tmp_path / "log.json", tmp_path / "out.html"
    log.write_text(json.dumps(data))
    assert main(["replay", str(log), "--html", str(out), *options]) == 0
    return out.read_text(encoding="utf-8")


def test_the_page_says_what_the_tables_say(tmp_path, capsys):
    page = written(tmp_path, [{"title": "A <script> & chat", "messages": LONG}])
    shown = capsys.readouterr().out
    strategy = re.search(r"Recommended strategy: (.*?)\. ", shown)[1]
    assert f"Take {strategy}" in page or (strategy == "buffer" and "Send everything" in page)
    for line in shown.splitlines()[4:12]:
        assert f'<th scope="row">{line.split("  ")[0].removesuffix(" *")}</th>' in page
    for words in ("Which memory for this traffic?", "What each would lose", "code (of 2)", "The turns that hurt most",
                  "The longest conversation", "Everything, and nothing had to be mended", load_prices().date,
                  "A &lt;script&gt; &amp; chat", "never folded" if "never folded" in page else "paid for itself"):
        assert words in page
    assert "<script> & chat" not in page and "<b>now</b>" not in page


def test_the_page_is_one_file_and_the_same_each_time(tmp_path):
    page = written(tmp_path, LONG)
    assert page == written(tmp_path, LONG)
    assert not re.search(r"<(?:link|img|iframe|script)[^>]*\b(?:src|href)=|@import|url\(", page)
    assert "default-src 'none'" in page


def test_redacted_means_that_nothing_personal_is_written_or_shown(tmp_path, capsys):
    plain = written(tmp_path, [PERSONAL])
    assert all(secret in plain for secret in (SECRETS["mail"], SECRETS["name"], SECRETS["title"]))
    capsys.readouterr()
    page = written(tmp_path, [PERSONAL], "--redact")
    everything = page + capsys.readouterr().out
    assert main(["replay", str(tmp_path / "log.json"), "--redact", "--json"]) == 0
    everything += capsys.readouterr().out  # which is what --out writes
    for kind, secret in SECRETS.items():
        assert secret not in everything and secret.casefold() not in everything, kind
    assert "e-mail-1" in page and "conversation 1" in page and "no sentence of the log is shown" in page


def test_a_broken_log_is_quoted_masked(tmp_path, capsys):
    (tmp_path / "log.json").write_text('[{"role": "user", "content": "x"}, ana.lopez@example.com]')
    assert main(["replay", str(tmp_path / "log.json"), "--redact"]) == 1
    assert "ana.lopez" not in capsys.readouterr().err


def test_what_was_read_with_care_stands_on_the_page(tmp_path):
    out = tmp_path / "out.html"
    assert main(["replay", str(FIXTURES), "--html", str(out)]) == 0
    page = out.read_text()
    assert "not understood: part web_search_call, 1 time, kept whole, about" in page
    assert "rows without their messages left out: 1" in page and "LangChain dump (3)" in page


def test_a_log_without_a_call_has_a_page_that_says_so(tmp_path):
    assert "never called" in written(tmp_path, [{"role": "assistant", "content": "Welcome!"}])


@pytest.mark.parametrize(("options", "words"), [
    (["--model", "gpt-0"], "no price for model 'gpt-0'"), (["--prices", "none.json"], "price table"),
    (["--jobs", "0"], "no number of processes"), (["--html", "LOG/x.html"], "no folder can be made there")])
def test_wrong_options_are_refused_before_the_log_is_read(tmp_path, capsys, options, words):
    log = tmp_path / "log.json"
    log.write_text("[]" if "LOG" not in options[1] else json.dumps(ORDER))
    assert main(["replay", str(log), *(word.replace("LOG", str(log)) for word in options)]) == 2
    assert words in capsys.readouterr().err


# ---- figures, advice, turns

@pytest.mark.parametrize("make", [
    lambda replays: CostFigure(replays, list(replays[0].strategies), load_prices(), "gpt-4.1"),
    lambda replays: LimitFigure(replays, recommend(replays).token_limit),
    lambda replays: CallsFigure(replays[0], list(replays[0].strategies))])
def test_each_step_of_a_figure_fills_the_same_slots(replays, make):
    figure = make(replays)
    slots = figure._repr_html_().count("data-slot=")
    choices = 1
    for control in figure.controls:
        choices *= len(control.options)
    assert len(figure.steps) == choices > 2
    assert {len(figure.says(step)) for step in range(choices)} == {slots}
    assert len(set(map(tuple, figure.steps))) > 1 and str(figure)


@pytest.mark.parametrize("limit", [40, 60, 100, 200, 400, 2000])
def test_the_limit_figure_works_out_what_a_token_window_sends(limit):
    run = replay_log(LONG, windows(["token_window"], token_limits=[limit], count=COUNT), count=COUNT)
    worked = [window_tokens(run.plan.before, call, limit) for call in run.plan.calls]
    for call, ours, sent in zip(run.plan.calls, worked, run.strategies[f"token_window({limit:,})"].tokens, strict=True):
        assert ours == sent if call.newest <= limit else ours == limit
    lost = len(run.strategies[f"token_window({limit:,})"].lost) + len(run.strategies[f"token_window({limit:,})"].missed)
    figure = LimitFigure([run], limit)
    [row] = [row for row in figure.rows if row[0] == limit]
    asked = len(run.plan.references) + len(run.plan.leans)
    assert row[1:3] == (sum(worked), asked - lost)


def test_the_turns_that_hurt_most_are_led_by_the_dearest_kind(replays):
    found = hurts(replays)
    assert [hurt.score for hurt in found] == sorted((hurt.score for hurt in found), reverse=True)
    assert found[0].words.startswith("Ring Maria about A-1023") and found[0].conversation == "long"
    assert [(each.written, each.kind, each.said) for each in found[0].missing] == [
        ("A-1023", "code", 12), ("Maria", "name", 2)]
    assert all("pop_oldest" not in label for hurt in found for each in hurt.missing for label in each.lost_by)
    assert hurts(replays, redact=True)[0].words == ""
    assert hurts([replay_log(ORDER, {})]) == []


def test_the_advice_is_the_cheapest_that_keeps_enough(replays):
    prices = Prices("2026-01-01", "USD", "", {"flat": Price(1.0, 1.0, 1.0), "free": Price(0.0, 0.0, 0.0)})
    table, wanted = rows(replays), recommend(replays)
    advice = advise(replays, table, wanted, "flat", prices)
    chosen = next(row for row in table if row["strategy"] == advice.strategy)
    asked = chosen["references"] + chosen["leans"]
    assert chosen["lost"] + chosen["missed"] <= 0.05 * asked and not chosen["failed"]
    for row in table:
        if row["prompt_tokens"] + row["own_tokens"] < chosen["prompt_tokens"] + chosen["own_tokens"]:
            assert row["lost"] + row["missed"] > 0.05 * asked or row["strategy"].startswith("pop_oldest")
    assert advice.thin and percent(asked - chosen["lost"] - chosen["missed"], asked) in advice.reason
    assert "tokens per thousand turns" in advise(replays, table, wanted, "free", prices).reason


def test_where_nothing_is_leant_on_the_cheapest_is_no_advice():
    talk = chat(*[("And so on and so forth.", "Yes, of course.")] * 40)
    assert plan(talk, COUNT).references == []
    first = recommend([replay_log(talk, {})])
    run = replay_log(talk, windows(token_limits=[30, first.token_limit], count=COUNT), count=COUNT)
    prices = Prices("2026-01-01", "USD", "", {"flat": Price(1.0, 1.0, 1.0)})
    assert advise([run], rows([run]), first, "flat", prices).strategy == f"token_window({first.token_limit})"
