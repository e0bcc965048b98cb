"""The tree of summaries: written once, complete, expandable, and merged as stated."""

from __future__ import annotations

import doctest
from itertools import pairwise

import pytest
import summarisers
from folded import feed, holds, make, reborn, sentence, taken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from summarisers import Summariser

from memory_lab import hierarchy as module
from memory_lab.errors import SettingError
from memory_lab.hierarchy import HierarchicalSummaryMemory
from memory_lab.messages import assistant, user

quiet = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


def test_examples():
    assert doctest.testmod(module).failed == 0


def tree(client=None, turns=60, **more):
    settings_ = {"token_limit": 900, "summary_limit": 500, "fan_in": 3, "level_limits": (40, 60)} | more
    return feed(make("hierarchical", client, **settings_), turns)


def every_node(nodes):
    for node in nodes:
        yield node
        yield from every_node(node.children)


def check(memory):
    """The tree is one: levels, order, covers, limits."""
    roots = memory.roots
    leaves = [node for node in every_node(roots) if not node.children]
    assert sorted(index for node in leaves for index in node.covers) == sorted(memory._progress.covered)
    for node in every_node(roots):
        assert 1 <= node.level <= memory.levels and (node.level == 1 or node.children)
        if node.children:
            assert node.level == min(memory.levels, 1 + max(child.level for child in node.children))
            assert node.covers == tuple(sorted(index for child in node.children for index in child.covers))
            assert len(node.children) <= memory.fan_in
        assert memory.count.text(node.text) <= memory._level_limit(node.level)
    assert all(before.level >= after.level for before, after in pairwise(roots))
    starts = [node.covers[0] for node in roots]
    assert starts == sorted(starts)
    assert memory.count.text(memory.summary) <= memory.summary_limit


def long_enough(messages, call):
    """Summaries too long to be joined as they are."""
    return f"Numbers: summary {call}, and what else was said in these turns, at some length, about tea and markers."


@given(fan_in=st.integers(2, 5), levels=st.integers(1, 4), turns=st.integers(5, 120),
       say=st.sampled_from([summarisers.short, long_enough, summarisers.endless, summarisers.other_language]))
@settings(max_examples=40, **quiet)
def test_the_tree_is_whole_and_few_nodes_stand(fan_in, levels, turns, say):
    memory = tree(Summariser(say), turns, fan_in=fan_in, levels=levels, level_limits=(20, 30, 40))
    check(memory)
    for level in range(1, levels + 1):
        assert sum(node.level == level for node in memory.roots) < fan_in
    if turns == 120:
        assert max(node.level for node in memory.roots) == levels
    assert len(memory._standing()) == len(memory.roots)
    holds(memory, memory.log)


def test_a_node_is_written_once_and_its_children_stay_below_it():
    memory = make("hierarchical", Summariser(long_enough), token_limit=900, summary_limit=500, fan_in=3,
                  level_limits=(40, 60))
    seen = {}
    for number in range(120):
        feed(memory, 1, start=number)
        for place, node in enumerate(memory.content["nodes"]):
            assert seen.setdefault(place, (node[1], node[2], node[3])) == (node[1], node[2], node[3])
    assert len(seen) == sum(record.error is None for record in memory.compactions) > 12
    children = [child for node in memory.content["nodes"] for child in node[3]]
    assert len(children) == len(set(children)), "a node stands in one other at most"


def test_expand_gives_the_messages_back():
    memory = tree(Summariser(long_enough))
    deep = memory.roots[0]
    assert deep.level == 2 and deep.children
    assert memory.expand(deep) == memory.log[:len(deep.covers)]
    memory.expand(deep)[0]["content"] = "spoilt"
    assert memory.log[0] == user(sentence(0))
    lines = str(deep).splitlines()
    assert lines[0].startswith(f"level 2, messages 0 to {deep.covers[-1]}: Numbers") and len(lines) > len(deep.children)
    assert lines[1].startswith("  level ") and lines[-1].lstrip().startswith("level 1")


def test_coarse_before_fine_under_one_heading():
    memory = tree(Summariser(long_enough))
    sent = memory.messages()[0]["content"]
    marks = [line for line in sent.splitlines() if line.startswith("[level ")]
    assert marks == [f"[level {node.level}]" for node in memory.roots] and marks == sorted(marks, reverse=True)
    assert sent.count("[Summary of the earlier") == sent.count("[End of the summary]") == 1


def test_children_that_fit_their_parent_are_joined_without_a_call():
    client = Summariser(summarisers.short)
    memory = tree(client, 25)
    merges = [record for record in memory.compactions if record.again]
    assert merges and all(record.model_calls == 0 and record.after == record.before for record in merges)
    assert len(client.asked) == len(taken(memory))
    assert all(f"summary {call}." in memory.summary for call in range(1, len(client.asked) + 1))


def test_merges_are_folds_with_records_undo_and_no_new_cover():
    memory = make("hierarchical", Summariser(long_enough), token_limit=900, summary_limit=500, fan_in=2,
                  level_limits=(40, 45))
    number = 0
    while not any(record.again for record in memory.compactions):
        feed(memory, 1, start=number)
        number += 1
    merge = memory.compactions[-1]
    assert merge.again and merge.model_calls == 1 and merge.tokens_after < merge.tokens_before
    assert set(merge.covers) == set(memory._progress.covered)
    assert [node.level for node in memory.roots] == [2]
    assert memory.undo() and [node.level for node in memory.roots] == [1, 1]
    assert memory.compactions[-1].error == "undone"
    check(memory)
    feed(memory, 30, start=number)
    assert memory.roots[0].level == 2  # it is made again when new text has come
    holds(memory, memory.log)


def only_leaves(messages, call):
    """Fails at merges alone."""
    if module.MERGED in messages[1]["content"]:
        return RuntimeError("429")
    return long_enough(messages, call)


def test_a_merge_that_fails_hides_the_oldest_visibly_and_is_tried_again():
    client = Summariser(only_leaves)
    memory = tree(client, 80, summary_limit=150, fan_in=3)
    assert [record for record in memory.compactions if record.again and "429" in record.error]
    assert len(memory._standing()) < len(memory.roots)
    check(memory)
    states = memory.states
    hidden = memory.roots[0].covers
    assert all(states[index] == "dropped" and states[index].reason == "over the limit" for index in hidden)
    holds(memory, memory.log)
    client.say = long_enough
    feed(memory, 20, start=80)
    assert len(memory._standing()) == len(memory.roots) and memory.states[0] == "summarised"


def test_an_early_fact_is_copied_once_a_level():
    """Every marker's journey: rewritten as often as its node has ancestors, not once a fold."""
    memory = tree(Summariser(long_enough), 200, levels=6, fan_in=3, summary_limit=600, token_limit=1200)

    def depth(node):
        return 1 + max(map(depth, node.children), default=0)

    assert len(taken(memory)) > 25
    assert max(map(depth, memory.roots)) <= 6


def test_a_restored_tree_goes_on_as_the_first_would():
    memory = tree(Summariser(long_enough), 50)
    again = reborn("hierarchical", memory, token_limit=900, summary_limit=500, fan_in=3, level_limits=(40, 60))
    assert again.roots == memory.roots and again.messages() == memory.messages()


def test_a_single_node_over_a_smaller_limit_is_rewritten():
    memory = tree(Summariser(long_enough), 50)
    again = reborn("hierarchical", memory, token_limit=900, summary_limit=60, fan_in=3, level_limits=(40, 60))
    assert memory.count.text(again.summary) <= 60
    again._client = Summariser(summarisers.short)
    feed(again, 30, start=50)
    assert len(again._standing()) == len(again.roots) and again.summary
    holds(again, again.log)


def test_rules_can_write_the_whole_tree():
    memory = HierarchicalSummaryMemory(token_limit=600, summary_limit=200, trigger_tokens=160, trigger_messages=2,
                                       level_limits=(40, 60), fan_in=2, light=True, client=Summariser())
    for number in range(80):
        memory.add(user(sentence(number)))
        memory.add(assistant("Noted."))
    check(memory)
    assert not memory._client.asked and memory.roots[0].level == 2 and "marker" in memory.summary


def test_settings():
    assert HierarchicalSummaryMemory().summary_limit == 1500
    assert HierarchicalSummaryMemory(token_limit=9000).summary_limit == 3 * 600
    for wrong in ({"fan_in": 1}, {"levels": 0}, {"level_limits": ()}, {"level_limits": (0,)}):
        with pytest.raises(SettingError):
            HierarchicalSummaryMemory(**wrong)
