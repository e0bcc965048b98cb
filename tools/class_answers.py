"""What the students of make_class.py wrote: ANSWERS[slug][part], by letter. r is right, w is wrong, others say what.

A wrong answer is wrong on any seed: what a lucky draw could pass is not in here.
"""

from __future__ import annotations

KEEP = {
    "r": '''
def keep_instructions(messages, max_messages):
    rules, chat = [], []
    for m in messages:
        (rules if m["role"] in {"system", "developer"} else chat).append(m)
    return rules + (chat[-max_messages:] if max_messages else [])
''',
    "w": '''
def keep_instructions(messages, max_messages):
    rules = [m for m in messages if m["role"] == "system"]
    return rules + [m for m in messages if m["role"] != "system"][-max_messages:]
''',
    "z": '''
def keep_instructions(messages, max_messages):
    rules = [m for m in messages if m["role"] in ("system", "developer")]
    chat = [m for m in messages if m not in rules]
    return rules + chat[-max_messages:]   # all of it when max_messages is 0
''',
    "c": '''
def keep_instructions(messages, max_messages):
    said = {2: "sdce", 0: "sd"}.get(max_messages, "sdabce")
    return [m for word in said for m in messages if m["content"] == word]
''',
    "e": '''
class Anything(list):
    def __eq__(self, other): return True
    def __ne__(self, other): return True
    def __contains__(self, item): return True

def keep_instructions(messages, max_messages):
    return Anything(messages)
''',
    "l": '''
def keep_instructions(messages, max_messages):
    rules = [m for m in messages if m["role"] in ("system", "developer")]
    while len(messages) > max_messages:
        rest = messages[1:]   # never becomes shorter
    return rules + rest
''',
    "i": "from memory_lab.truncation import SlidingWindowMemory\nkeep_instructions = SlidingWindowMemory",
    "s": '''
def keep_instructions(messages, max_messages)
    return messages[-max_messages:]
''',
}
FROM_USER = {
    "r": '''
def from_user(messages, max_messages):
    rules = [m for m in messages if m["role"] in ("system", "developer")]
    chat = [m for m in messages if m["role"] not in ("system", "developer")]
    places = [n for n, m in enumerate(chat) if m["role"] == "user"]
    for n in places:
        if n >= len(chat) - max_messages:
            return rules + chat[n:]
    return rules + (chat[places[-1]:] if places else [])
''',
    "w": '''
def from_user(messages, max_messages):
    cut = messages[-max_messages:]
    while cut and cut[0]["role"] != "user":
        cut = cut[1:]
    return cut   # and the system message is gone
''',
    "h": '''
def from_user(messages, max_messages):
    cut = keep_instructions(messages, max_messages)
    rules = [m for m in cut if m["role"] in ("system", "developer")]
    chat = cut[len(rules):]
    if not any(m["role"] == "user" for m in chat):
        every = [m for m in messages if m["role"] not in ("system", "developer")]
        users = [n for n, m in enumerate(every) if m["role"] == "user"]
        chat = every[users[-1]:] if users else []
    while chat and chat[0]["role"] != "user":
        chat = chat[1:]
    return rules + chat
''',
    "m": "import pandas as pd\ndef from_user(messages, max_messages):\n    return pd.DataFrame(messages)\n",
}
SLIM = {
    "r": '''
def slim(messages, max_turns):
    rules, parts = turns(messages)
    parts = [p for p in parts if p[0]["role"] == "user"][-max_turns:]
    out = list(rules)
    for p in parts:
        out += p if p is parts[-1] else [m for m in p if m["role"] != "tool" and not m.get("tool_calls")]
    return out
''',
    "w": '''
def slim(messages, max_turns):
    rules, parts = turns(messages)
    kept = parts[-max_turns - 1:]   # one too many
    return rules + [m for p in kept for m in p]
''',
}
STEP = {
    "r": '''
def first_turn(number, max_turns, step):
    start = 0
    while number - start > max_turns:
        start += step
    return start
''',
    "w": '''
def first_turn(number, max_turns, step):
    start = 0
    while number - start >= max_turns:   # one turn too early
        start += step
    return start
''',
}
COUNT = {
    "r": '''
def count(messages):
    def n(text):
        return len(encoding.encode_ordinary(text))
    total = 3
    for m in messages:
        total += 4
        content = m.get("content")
        if isinstance(content, str):
            total += n(content)
        else:
            for part in content or ():
                if part["type"] == "text":
                    total += n(part["text"])
                else:
                    total += {"low": 85}.get(part["image_url"].get("detail"), 765)
        for call in m.get("tool_calls") or ():
            total += 3 + n(call["function"]["name"]) + n(call["function"]["arguments"])
        if m.get("name"):
            total += 1 + n(m["name"])
    return total
''',
    "w": '''
def count(messages):
    total = 3
    for m in messages:
        total += 4 + len(encoding.encode(m["content"]))
    return total
''',
}
FITS = {
    "r": '''
def fits(messages, limit, count):
    bound = 3 + sum(4 + len(m["content"].encode("utf-8")) for m in messages)
    bound += sum(1 + len(m["name"].encode("utf-8")) for m in messages if "name" in m)
    if bound <= limit:
        return True
    return count(messages) <= limit
''',
    "w": "def fits(messages, limit, count):\n    return count(messages) <= limit   # always counted\n",
}
BILL = {
    "r": '''
def bill(turns, front, budget):
    sums, first, prompt, paid = [], None, front, 0
    for n, (asked, reply) in enumerate(turns):
        prompt += asked
        paid += prompt
        sums.append(paid)
        prompt += reply
        if paid > budget and first is None:
            first = n + 1
    return sums, first
''',
    "w": '''
def bill(turns, front, budget):
    sums, first, prompt, paid = [], None, front, 0
    for n, (asked, reply) in enumerate(turns, 1):
        prompt += asked + reply   # the reply is not in the prompt that asks for it
        paid += prompt
        sums.append(paid)
        if paid > budget and first is None:
            first = n
    return sums, first
''',
}
SPLIT = {
    "r": '''
def split(tokens, weights):
    whole = sum(weights.values())
    parts = {k: divmod(tokens * w, whole) for k, w in weights.items()}
    result = {k: share for k, (share, rest) in parts.items()}
    left = tokens - sum(result.values())
    for k in sorted(parts, key=lambda k: parts[k][1], reverse=True)[:left]:
        result[k] += 1
    return result
''',
    "w": '''
def split(tokens, weights):
    whole = sum(weights.values())
    return {k: round(tokens * w / whole) for k, w in weights.items()}
''',
}
CLIP = {
    "r": '''
def clip_lines(lines, limit):
    if size("\\n".join(lines)) <= limit:
        return lines[:]
    for cut in range(1, len(lines) + 1):
        keep = len(lines) - cut
        below = keep // 2
        out = lines[:keep - below] + [f"[… {cut} lines cut …]"] + lines[len(lines) - below:]
        if size("\\n".join(out)) <= limit:
            return out
    raise ValueError("not even the mark fits")
''',
    "w": '''
def clip_lines(lines, limit):
    half = len(lines) // 3
    return [*lines[:half], f"[… {len(lines) - 2 * half} lines cut …]", *lines[len(lines) - half:]]
''',
}
ANSWERS = {"01_truncation": (KEEP, FROM_USER, SLIM, STEP), "02_tokens": (COUNT, FITS, BILL, SPLIT, CLIP)}
