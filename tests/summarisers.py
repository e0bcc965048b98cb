"""Summarisers for tests: clients with no model behind them, each with one way to answer.

They speak only the one method that summarize() calls, and keep what they were asked, so that a test can prove what was
read and how often.
"""

from __future__ import annotations

from types import SimpleNamespace


class Summariser:
    """Answers with say(prompt messages, number of the call).  .asked: the prompts; .read: the new messages in them."""

    models_ = SimpleNamespace(summary="fake", chat="fake", extraction="fake", embedding="fake")

    def __init__(self, say=None, finish="stop"):
        self.say, self.finish, self.asked = say or short, finish, []
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def _create(self, *, model, messages, temperature, max_tokens, **_):
        self.asked.append(messages)
        said = self.say(messages, len(self.asked))
        if isinstance(said, Exception):
            raise said
        message = SimpleNamespace(content=said)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason=self.finish)], usage=None)

    @property
    def read(self):
        """What each first attempt was given to fold in, oldest first."""
        return [asked[1]["content"].partition("\n\nNew messages:\n")[2] for asked in self.asked if len(asked) == 2]

    def __deepcopy__(self, memo):
        return self


def short(messages, call):
    """A summary that is short and different each time."""
    return f"Numbers: summary {call}."


def raises(messages, call):
    return RuntimeError("the endpoint is down")


def nothing(messages, call):
    return None


def blank(messages, call):
    return " \n\t "


def endless(messages, call):
    return "A sentence that says much too much about everything. " * 200


def one_endless_sentence(messages, call):
    return "word " * 3000


def echo(messages, call):
    return messages[1]["content"]


def parrot(messages, call):
    return messages[1]["content"].partition("New messages:\n")[2]


def other_language(messages, call):
    return "使用者想要一盞燈，不要打電話。"


def flaky(messages, call):
    return RuntimeError("429") if call % 2 else short(messages, call)


EACH = (short, raises, nothing, blank, endless, one_endless_sentence, echo, parrot, other_language, flaky)
