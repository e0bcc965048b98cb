"""What tokens cost: a dated table of list prices that anyone may edit, and the price of a call's usage.

    prices = load_prices()                          the shipped table; load_prices("mine.json") for another
    cost(response.usage, "gpt-4.1-mini", prices)    money, in prices.currency

A price is right on its date alone: print the date beside every sum.  Chapter 11.

Copy with: errors.py, data/prices/prices.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from .errors import SettingError

SHIPPED = Path(__file__).parent / "data" / "prices" / "prices.json"
PER = 1_000_000  # tokens that a price is for


class Price(NamedTuple):
    """Money for a million tokens.  cached_input: of those that a prompt cache served (input, where there is no such
    price)."""

    input: float
    cached_input: float
    output: float


@dataclass(frozen=True)
class Prices:
    """date: of the table, as YYYY-MM-DD.  currency: such as "USD".  source: where to look.  models: name -> Price."""

    date: str
    currency: str
    source: str
    models: Mapping[str, Price]

    def __getitem__(self, model: str) -> Price:
        """The model's price; a dated snapshot ("gpt-4.1-2025-04-14") and a smaller offline window cost as the model
        does.  Raises SettingError for a model that the table does not have: nothing is free by accident."""
        for name in (model, re.sub(r"-\d{4}-\d{2}-\d{2}$", "", model), re.sub(r"^offline-.*", "offline", model)):
            if name in self.models:
                return self.models[name]
        raise SettingError(f"no price for model {model!r} in the table of {self.date} (it has "
                           f"{', '.join(self.models)}): add a line to a copy of {SHIPPED}, and "
                           "name that with --prices, or to load_prices()")


def load_prices(path: str | Path | None = None) -> Prices:
    """The price table of a JSON file, checked.

    path: None for the shipped one.  Form: {"date", "currency", "per_tokens": 1000000, "source", "models": {name:
    {"input", "cached_input" (a number, or null where there is no such price), "output"}}}.
    Raises SettingError for a file that cannot be read or is not of that form.

    >>> prices = load_prices()
    >>> prices.currency, prices["gpt-4.1-mini"]
    ('USD', Price(input=0.4, cached_input=0.1, output=1.6))
    """
    path = SHIPPED if path is None else Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingError(f"price table {path}: {error}; give a JSON file in the form of {SHIPPED.name}") from error
    if not isinstance(found, dict) or not isinstance(found.get("models"), dict):
        raise SettingError(f"price table {path}: an object with date, currency and models is needed")
    try:
        date.fromisoformat(found.get("date"))
    except (TypeError, ValueError) as error:
        raise SettingError(f"price table {path}: date {found.get('date')!r}; write the day on which you looked "
                           "them up, as YYYY-MM-DD") from error
    if not isinstance(found.get("currency"), str) or not found["currency"]:
        raise SettingError(f"price table {path}: currency {found.get('currency')!r}; write one, such as USD")
    if found.get("per_tokens", PER) != PER:
        raise SettingError(f"price table {path}: per_tokens {found['per_tokens']!r}; give prices for {PER} tokens")
    models = {name: _price(path, name, row) for name, row in found["models"].items()}
    return Prices(found["date"], found["currency"], str(found.get("source", "")), models)


def _price(path: Path, name: str, row: Any) -> Price:
    if not isinstance(row, dict) or set(row) != set(Price._fields):
        raise SettingError(f"price table {path}, model {name!r}: give {', '.join(Price._fields)}, and nothing else")
    if row["cached_input"] is None:
        row = row | {"cached_input": row["input"]}
    for field, money in row.items():
        if type(money) not in (int, float) or not isfinite(money) or money < 0:
            raise SettingError(f"price table {path}, model {name!r}: {field} is {money!r}; give money for a million "
                               "tokens, 0 or more")
    return Price(**row)


def cost(usage: Any, model: str, prices: Prices) -> float:
    """Money for the usage that a response reports, in prices.currency.

    usage: response.usage, or a dict of that form: prompt_tokens, completion_tokens (0 where missing: embeddings), and
    prompt_tokens_details.cached_tokens, which are a part of prompt_tokens.  Sums of several calls may be given, too.
    Raises SettingError for a model without a price, and for a usage that is none.  Taxes and discounts are not in it.

    >>> cost({"prompt_tokens": 3000, "completion_tokens": 200, "prompt_tokens_details": {"cached_tokens": 1000}},
    ...      "gpt-4.1-mini", load_prices())
    0.00122
    """
    price = prices[model]
    prompt, completion = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens", 0)
    cached = _tokens(_get(usage, "prompt_tokens_details"), "cached_tokens", 0)
    if cached > prompt:
        raise SettingError(f"usage: {cached} cached tokens of {prompt} prompt tokens; they are a part of the prompt")
    money = (prompt - cached) * price.input + cached * price.cached_input + completion * price.output
    return money / PER


def _get(of: Any, name: str) -> Any:
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)


def _tokens(of: Any, name: str, default: int | None = None) -> int:
    found = _get(of, name)
    if found is None:
        found = default
    if type(found) is not int or found < 0:
        raise SettingError(f"usage: {name} is {found!r}; give response.usage, which a stream reports only with "
                           'stream_options={"include_usage": True}')
    return found
