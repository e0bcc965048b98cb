"""A ledger of model calls: tokens and money by model, and a limit at which it stops before the limit is passed.

    spending = Spending(load_prices(), limit=0.50)
    client = connect("gpt-4.1-mini", layers=[spending])
    spending.money, spending.rows["gpt-4.1-mini"].prompt_tokens

Before a call its worst case is set aside: the prompt as counted here, and as many tokens of reply as it may have.
Prices are those of a dated table: see prices.py.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from functools import partial

import httpx2

from ..errors import SettingError, SpendingError
from ..prices import Prices, cost
from ..tokens import TokenCounter
from .calls import Call, cap
from .layers import CAPPED, Forward, asked, watched, with_body
from .replies import Reply, code_of, is_json, read_reply

MARGIN = 1.1  # an endpoint's tokens are not quite ours; what it reports may raise this
_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


@dataclass
class Row:
    """One model's calls and tokens.  estimated: calls that reported no usage, counted here instead."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: int = 0
    money: float = 0.0


class Spending:
    """A layer that adds up what calls cost, and refuses the one that might pass the limit.

    prices: for the money.  limit: of this object's life, in prices.currency; None for none.  max_tokens: put into a
    request that caps its reply by nothing, where there is a limit: else no worst case could be known.
    rows: model -> Row.  money: their sum.  worst: what the same calls could have cost.  notes: what was odd -> how
    often.  unanswered: calls that failed and were not answered later, each with its last error.  unpriced: models
    without a price, which count as free where there is no limit.  stopped: the SpendingError that ended it.
    A call raises SpendingError where its worst case does not fit, and then each later one does: a memory takes a call
    that fails for a fault of the model and goes on, so look at stopped at the end.  Raises SettingError for a model
    without a price where there is a limit.
    Does not know discounts, and trusts the endpoint to keep to max_tokens.  Threads may share it.
    """

    def __init__(self, prices: Prices, *, limit: float | None = None, max_tokens: int = 1024,
                 count: TokenCounter | None = None):
        self.prices, self.limit, self.max_tokens, self.count = prices, limit, max_tokens, count or TokenCounter()
        self.rows: dict[str, Row] = {}
        self.worst = 0.0
        self.notes: Counter[str] = Counter()
        self.unanswered: dict[bytes, str] = {}
        self.unpriced: set[str] = set()
        self.stopped: SpendingError | None = None
        self._set_aside, self._margin, self._lock = 0.0, {}, threading.Lock()

    @property
    def money(self) -> float:
        """Spent so far, in prices.currency."""
        return sum(row.money for row in self.rows.values())

    def __call__(self, request: httpx2.Request, forward: Forward) -> httpx2.Response:
        """The response, accounted for."""
        body = asked(request)
        if body is None:
            return forward(request)
        if self.limit is not None and "input" not in body and not cap(body):
            body = {**body, "max_tokens": self.max_tokens}
            request.extensions[CAPPED] = True
        if body.get("stream") and not body.get("stream_options"):
            body = {**body, "stream_options": {"include_usage": True}}
        call = Call.of(body, self.count, self.max_tokens, CAPPED in request.extensions)
        worst = self._reserve(call)
        try:
            response = forward(with_body(request, body))
        except _NEVER_SENT as error:
            self._failed(call, worst, f"no connection ({error})")
            raise
        except BaseException as error:  # the endpoint may have worked, and may ask for the money
            self._settle(call, worst, b"", why=f"no answer ({type(error).__name__})")
            raise
        if response.status_code != 200:
            self._failed(call, worst, f"status {response.status_code}{code_of(response.read())}")
            return response
        return watched(response, partial(self._settle, call, worst))

    def _reserve(self, call: Call) -> float:
        with self._lock:
            if self.stopped:
                raise self.stopped
            prompt = int(call.prompt * self._margin.get(call.model, MARGIN)) + 1
            worst = self._cost(call.model, prompt, call.most)
            if self.limit is not None and self.money + self._set_aside + worst > self.limit:
                unit = self.prices.currency
                self.stopped = SpendingError(
                    f"the spending limit of {self.limit:g} {unit} would be passed: {self.money:.6f} {unit} are spent, "
                    f"and the next call to {call.model} (about {call.prompt:,} tokens in, at most {call.most:,} out) "
                    f"may cost {worst:.6f} {unit} (list prices of {self.prices.date}). It was not made")
                raise self.stopped
            self._set_aside += worst
            return worst

    def _cost(self, model: str, prompt: int, completion: int, cached: int = 0) -> float:
        try:
            return cost({"prompt_tokens": prompt, "completion_tokens": completion,
                         "prompt_tokens_details": {"cached_tokens": cached}}, model, self.prices)
        except SettingError:
            if self.limit is not None:
                raise
            self.unpriced.add(model)
            return 0.0

    def _failed(self, call: Call, worst: float, why: str) -> None:
        with self._lock:
            self._set_aside -= worst
            self._missing(call, why)

    def _missing(self, call: Call, why: str) -> None:
        self.notes[f"failed: {why}"] += 1
        self.unanswered[call.key] = why

    def _settle(self, call: Call, worst: float, data: bytes, why: str = "") -> None:
        reply = read_reply(data)
        whole = reply is not None and reply.whole
        with self._lock:
            self._set_aside -= worst
            self.worst += worst
            row = self.rows.setdefault(call.model, Row())
            used = reply.usage if reply else None
            if used is None:
                used = self._estimate(call, reply, whole)
                row.estimated += 1
            elif call.prompt:
                ratio = used["prompt_tokens"] / call.prompt
                self._margin[call.model] = max(self._margin.get(call.model, MARGIN), ratio)
            row.calls += 1
            for name, tokens in used.items():
                setattr(row, name, getattr(row, name) + tokens)
            row.money += self._cost(call.model, *used.values())
            if whole:
                self.unanswered.pop(call.key, None)
                self._note(call, reply)
            else:
                self._missing(call, why or ("the reply broke off" if reply else "the answer is not one of a model"))

    def _estimate(self, call: Call, reply: Reply | None, whole: bool) -> dict[str, int]:
        """Usage as counted here; of a reply that broke off the most that it may have had, where there is a limit."""
        said = self.count.text(reply.said) if reply else 0
        if not whole and self.limit is not None:
            said = max(said, call.most)
        return {"prompt_tokens": call.prompt, "completion_tokens": said, "cached_tokens": 0}

    def _note(self, call: Call, reply: Reply) -> None:
        if reply.refusal:
            self.notes["a refusal"] += 1
        elif not reply.said and not reply.vectors:
            self.notes["a reply without text"] += 1
        elif reply.finish == "length" and call.capped:
            self.notes[f"a reply cut after {self.max_tokens:,} tokens, the most that one may cost"] += 1
        elif call.json and not is_json(reply.text):
            self.notes["no JSON where JSON was asked for"] += 1
