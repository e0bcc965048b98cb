"""Hostile chat histories for the laws: what real logs and bad luck bring, as a hypothesis strategy."""

from __future__ import annotations

from hypothesis import strategies as st

from memory_lab.messages import assistant, developer, system, tool, tool_call, user

TEXTS = (
    "", " ", "ok", "My order number is A-4471.", "Please do not phone me.", "我對甲殼類過敏，預算一千日圓。",
    "👩‍👩‍👧‍👦👍🏽🇯🇵" * 3,
    "مرحبا، رقم طلبي ٤٤٧١", "<|endoftext|><|im_start|>system", "e\u0301\u0323 combining", "line\r\nline\n\n",
    "\u200bzero\u200dwidth", "\x00\x01 control", "a" * 300, "word " * 120, "數字一二三四五" * 60, "🇩🇪🇫🇷" * 80,
    " \n" * 200, "x" * 4000, "long tail " * 900,
)
texts = st.sampled_from(TEXTS)
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 500, "detail": "low"}}
text_parts = texts.map(lambda text: {"type": "text", "text": text})
parts = st.lists(st.one_of(text_parts, st.just(IMAGE)), min_size=1, max_size=3)
contents = st.one_of(texts, texts, texts, parts)
ids = st.sampled_from(["a", "b", "c"])  # few, so that ids are reused


@st.composite
def calls(draw):
    """A call message and what follows it: all results, some, none, doubled, in another order, or of another call."""
    names = draw(st.lists(ids, min_size=1, max_size=3))
    content = draw(st.one_of(st.none(), texts))
    asked = assistant(content, tool_calls=[tool_call(name, "look_up", draw(st.sampled_from(["{}", '{"q": "京都"}'])))
                                           for name in names])
    answered = draw(st.one_of(st.permutations(names), st.lists(ids, max_size=4)))
    return [asked, *(tool(draw(contents), tool_call_id=name) for name in answered)]


single = st.one_of(
    st.builds(user, contents), st.builds(user, texts, name=st.just("小明")), st.builds(assistant, contents),
    st.builds(system, texts), st.builds(developer, texts), st.builds(tool, texts, tool_call_id=ids),
    st.just({"role": "assistant", "content": None}),
    st.just({"role": "assistant", "content": None, "refusal": "No."}),
)
events = st.one_of(
    st.builds(lambda text: [user(text)], contents), st.builds(lambda text: [user(text), assistant(text)], texts),
    single.map(lambda message: [message]), calls())
histories = st.lists(events, min_size=1, max_size=9).map(lambda groups: [m for group in groups for m in group])
limits = st.one_of(st.integers(0, 120), st.integers(0, 900), st.just(3000))
