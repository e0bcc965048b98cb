"""What the tests of logs and replays share: small chats, and a file made of one."""

import json
from pathlib import Path

from memory_lab.log_replay import KnownCounts

FIXTURES = Path(__file__).parent / "fixtures" / "logs"
COUNT = KnownCounts()
MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def written(folder, content, name="log.json"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else
                     (content if isinstance(content, str) else json.dumps(content)).encode())
    return path


def say(role, content, **more):
    return {"role": role, "content": content, **more}


def chat(*turns):
    """A log of (question, answer) pairs."""
    return [message for question, answer in turns for message in (say("user", question), say("assistant", answer))]


ORDER = [say("system", "Be kind."), *chat(
    ("My order is A-1023, for Maria.", "Noted."), *((f"Small talk {word}.", "Yes, yes.") for word in (
        "of the sea", "of the sun", "of the wind", "of the rain")), ("Where is A-1023 now?", "On its way."))]
