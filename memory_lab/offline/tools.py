"""When the model calls a tool, and with what arguments: by the words of the request, the tool and its schema.

A tool is called when the caller forces one, or when the newest message is a request of the user's whose content words
match the tool's name and description. Arguments are spans of the request, matched to the schema's names and types; a
required one that the request does not give is looked for in the talk before it. After a result the reader answers.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..messages import Message, text_of
from .analysis import Analysis, analyse
from .language import fold, language_of, sentences
from .patterns import compiled
from .question import is_question, is_request
from .values import spans

_WANTED = compiled("tools", "wanted")


def call_for(messages: list[Message], tools: list[dict[str, Any]], choice: Any) -> tuple[str, str] | None:
    """The name and the JSON arguments of the call to make, or None to answer in words."""
    functions = [tool["function"] for tool in tools]
    forced = choice["function"]["name"] if isinstance(choice, dict) else None
    if forced is None and choice != "required" and messages[-1]["role"] != "user":
        return None  # a result has come: it is answered from
    request = next((text_of(message) for message in reversed(messages) if message["role"] == "user"), "")
    ranked = sorted(((_fit(request, function), -index) for index, function in enumerate(functions)), reverse=True)
    best, function = ranked[0][0], functions[-ranked[0][1]]
    if forced is not None:
        function = next(each for each in functions if each["name"] == forced)
    elif choice != "required" and (best < 1.0 or not _asks(request)):
        return None
    earlier = " ".join(text_of(message) for message in messages[-9:-1] if message["role"] == "user")
    arguments = _arguments(
        function.get("parameters") or {}, request, earlier, strict=forced is not None or choice == "required"
    )
    if arguments is None:
        return None
    return function["name"], json.dumps(arguments, ensure_ascii=False)


def _asks(request: str) -> bool:
    return any(
        is_question(sentence) or is_request(sentence) or _WANTED.search(fold(sentence))
        for sentence in sentences(request)
    )


def _fit(request: str, function: dict[str, Any]) -> float:
    """How many content words of the request the tool's name and description have; a word of the name counts double."""
    asked = analyse(request)
    name = analyse(re.sub(r"[_\W]+|(?<=[a-z])(?=[A-Z])", " ", function["name"]), "en")
    about = analyse(str(function.get("description", "")))
    return sum(_covers(name, term) + 0.5 * _covers(about, term) for term in asked.terms)


def _covers(analysis: Analysis, term: Any) -> float:
    return float(
        bool(term.keys & analysis.keys) or any(analysis.concepts.get(concept) == 1.0 for concept in term.concepts)
    )


def _arguments(schema: dict[str, Any], request: str, earlier: str, *, strict: bool) -> dict[str, Any] | None:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    found: dict[str, Any] = {}
    used: list[tuple[int, int]] = []
    for name, each in properties.items():
        value = _argument(name, each if isinstance(each, dict) else {}, request, used)
        if value is None and name in required:
            value = _argument(name, each, earlier, [])
        if value is not None:
            found[name] = value
    for name in required:
        if name not in found:
            kind = properties.get(name, {}).get("type", "string")
            if not strict and kind != "string":
                return None  # an answer in words is better than a guessed number
            choices = properties.get(name, {}).get("enum")
            found[name] = (
                choices[0]
                if choices
                else {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}.get(kind, request.strip())
            )
    return found


_KIND_WORDS = (
    ("date", r"date|day|when|fecha|日期"),
    ("time", r"time|hour|hora|时间"),
    ("email", r"mail|correo|邮"),
    ("phone", r"phone|tel|电话"),
    ("money", r"price|amount|budget|cost|precio|金额"),
    ("code", r"order|number|code|reference|(?:^|_)id$|pedido|编号|单号"),
)
_PLACE = re.compile(
    r"^(?:city|location|place|to|from|destination|origin|town|country|ciudad|lugar|城市|地点)$|city|location",
    re.IGNORECASE,
)
_CITY = {
    "from": r"\b(?:from|desde|de)\s+",
    "to": r"\b(?:to|for|a|hacia)\s+",
    "": r"\b(?:in|at|for|to|near|of|en|para|de)\s+",
}


def _argument(name: str, schema: dict[str, Any], text: str, used: list[tuple[int, int]]) -> Any:
    for choice in schema.get("enum", []):
        if re.search(rf"(?<!\w){re.escape(str(choice).replace('_', ' '))}(?!\w)", text, re.IGNORECASE):
            return choice
    if schema.get("enum"):
        return None
    kind = schema.get("type", "string")
    if kind in ("integer", "number"):
        match = next(
            (m for m in re.finditer(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w-])", text) if not _taken(m.span(), used)), None
        )
        if match is None:
            return None
        used.append(match.span())
        return int(float(match[0])) if kind == "integer" else float(match[0])
    if kind != "string":
        return None
    for value_kind, words in _KIND_WORDS:
        if re.search(words, name, re.IGNORECASE):
            return _first(list(spans(text, value_kind)), text, used)
    if _PLACE.search(name):
        side = "from" if re.search("from|origin", name) else "to" if re.fullmatch(r"to|destination", name) else ""
        places = [
            match.span(1) for match in re.finditer(rf"{_CITY[side]}([A-ZÀ-Þ][\w’'-]+(?: [A-ZÀ-Þ][\w’'-]+)*)", text)
        ]
        return _first(places, text, used) or (_known_city(text) if not side else None)
    if re.search(
        r"query|question|text|message|note|content|topic|subject|term|keyword|search|q$|expression", name, re.IGNORECASE
    ):
        return text.strip() or None
    quoted = re.search(r"[\"“「«]([^\"”」»]+)[\"”」»]", text)
    return quoted[1] if quoted else None


def _known_city(text: str) -> str | None:
    terms = [
        term.text
        for term in analyse(text, language_of(text)).terms
        if any(concept.startswith(("city/", "country/")) for concept in term.concepts)
    ]
    place = fold(text).lower().find(terms[0]) if terms else -1
    return text[place : place + len(terms[0])] if place >= 0 and len(fold(text)) == len(text) else None


def _first(places: list[tuple[int, int]], text: str, used: list[tuple[int, int]]) -> str | None:
    for span in places:
        if not _taken(span, used):
            used.append(span)
            return text[span[0] : span[1]].strip()
    return None


def _taken(span: tuple[int, int], used: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in used)
