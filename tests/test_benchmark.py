"""The retrieval benchmark: sums by hand, rows that must lie where they lie, errors that help."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_lab import benchmark, cli
from memory_lab.benchmark.strategies import window
from memory_lab.errors import LogError, SettingError
from memory_lab.longchat import generate
from memory_lab.tokens import TokenCounter


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "talks.json"
    path.write_text(json.dumps([generate(seed=seed, turns=60) for seed in (1, 2, 3)]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def result(file):
    talks = benchmark.load(file)
    return benchmark.measure(talks, benchmark.named(None), [300, 1000], seed=3)


@given(st.lists(st.integers(1, 30), max_size=20), st.integers(0, 200), st.randoms(use_true_random=False))
def test_fill_and_window_hold_their_budget(tokens, room, rng):
    order = rng.sample(range(len(tokens)), len(tokens))
    chosen = benchmark.fill(order, tokens, room)
    assert sum(tokens[place] for place in chosen) <= room
    left = room - sum(tokens[place] for place in chosen)
    assert all(tokens[place] > left for place in set(order) - chosen)
    recent = window(tokens, room)
    assert recent == set(range(len(tokens) - len(recent), len(tokens)))
    assert sum(tokens[place] for place in recent) <= room
    assert len(recent) == len(tokens) or sum(tokens[-len(recent) - 1:]) > room


def test_the_rows_lie_where_they_must(result):
    at = {name: scores[1000].recall for name, scores in result.items()}
    assert at["full"] == at["oracle"] == 1
    assert max(at["random"], at["window"]) < at["bm25"] <= 1
    assert at["retrieval"] >= at["bm25"] - 0.02 and at["hybrid"] > at["window"]
    for name, scores in result.items():
        if name != "full":
            assert all(score.tokens <= budget for budget, score in scores.items())
            assert scores[300].recall <= scores[1000].recall + 1e-9, name
    assert result["window"][300].quarters["oldest"] == 0  # a window is a step: what is old is gone
    assert result["retrieval"][300].quarters["oldest"] > 0.3


def test_the_sums_are_those_of_a_loop(file, result):
    """Recall, tokens and groups of one row, worked out again without the tallies."""
    talks, recalls, kinds, sizes = benchmark.load(file), [], {}, []
    for talk in talks:
        kept = window(talk.tokens, 1000 - TokenCounter.base)
        for probe in talk.questions:
            recall = len(kept.intersection(probe.evidence)) / len(probe.evidence)
            recalls.append(recall)
            kinds.setdefault(probe.category, []).append(recall)
            sizes.append(TokenCounter()([talk.conversation.messages[place] for place in sorted(kept)]))
    score = result["window"][1000]
    assert score.questions == len(recalls) and score.recall == pytest.approx(sum(recalls) / len(recalls))
    assert score.tokens == pytest.approx(sum(sizes) / len(sizes))
    assert score.categories == pytest.approx({kind: sum(each) / len(each) for kind, each in kinds.items()})


def test_same_seed_same_numbers_and_another_seed_another_lot(file, result):
    talks = benchmark.load(file)
    rows = benchmark.named(["random", "retrieval"])
    again = benchmark.measure(talks, rows, [300, 1000], seed=3)
    assert {name: again[name] for name in rows} == {name: result[name] for name in rows}
    assert benchmark.measure(talks, rows, [300], seed=4)["random"][300].recall != result["random"][300].recall


def test_the_interval_resamples_dialogues():
    assert benchmark.interval([(5.0, 10)], 0) is None
    assert benchmark.interval([(5.0, 10)] * 4, 0) == (0.5, 0.5)
    low, high = benchmark.interval([(0.0, 100), (100.0, 100)], 0)  # by question it would be .43 to .57
    assert (low, high) == (0.0, 1.0)
    sums = [(random.Random(n).random() * 50, 50) for n in range(10)]
    low, high = benchmark.interval(sums, 1)
    mean = sum(total for total, _ in sums) / 500
    assert low < mean < high < low + 0.6


def test_the_command_prints_json_and_tables(file, capsys):
    shown = ["--budgets", "1k,1500", "--strategies", "window,bm25-neighbours", "--json"]
    assert cli.main(["bench", str(file), *shown]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["window", "bm25_neighbours"] and list(printed["window"]) == ["1k", "1500"]
    assert 0 < printed["window"]["1k"]["evidence_recall"] < printed["bm25_neighbours"]["1k"]["evidence_recall"] <= 1
    some = ["--budgets", "0.5k", "--dialogues", "2-3", "--strategies", "window,oracle"]
    assert cli.main(["bench", str(file), *some]) == 0
    shown = capsys.readouterr().out
    assert "2 dialogues" in shown and "oracle" in shown and "by age" in shown and "1.000 [1.000, 1.000]" in shown


@pytest.mark.parametrize(("content", "words"), [
    ("", "empty"), ("[]", "at least one"), ("{}", "conversation"), ("[1]", "conversation"), ("nonsense", "JSON"),
    ('[{"role": "user", "content": "hi"}]', "LoCoMo"),
    ('{"conversation": {"speaker_a": "A", "session_1": [{"speaker": "A", "text": "x", "dia_id": "D1:1"}]}, "qa": []}',
     "evidence"),
    ('{"conversation": {"speaker_a": "A", "session_1": [{"speaker": "A", "text": 5, "dia_id": "D1:1"}]}, "qa": []}',
     "item 1"),
    ('{"conversation": {"session_1": ["x"]}, "qa": []}', "missing"),
    ('{"conversation": {"session_1": [{"speaker": "A", "text": "x", "dia_id": "D1:1"}]}, "qa": [{"answer": "x"}]}',
     "question missing"),
])
def test_files_that_cannot_be_measured(tmp_path, capsys, content, words):
    path = tmp_path / "talk.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LogError, match=words):
        benchmark.load(path)
    assert cli.main(["bench", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("memory-lab: ") and error.count("\n") == 1 and words.split()[0] in error


def test_options_that_make_no_sense(file, capsys):
    assert cli.main(["bench", str(file), "--budgets", "much"]) == 2
    assert cli.main(["bench", str(file), "--strategies", "magic"]) == 2
    assert "window" in capsys.readouterr().err
    assert cli.main(["bench", str(file), "--dialogues", "9"]) == 1
    assert cli.main(["bench", str(file.parent / "none.json")]) == 1
    with pytest.raises(SettingError):
        benchmark.measure(benchmark.load(file), benchmark.named(None), [0])
