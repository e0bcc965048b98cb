"""A JSON value for any JSON schema, and for a schema of facts the facts that the user stated in the talk.

A list of objects that have something like an attribute and a value is filled from extract.statements, the user's words
alone: what an assistant guessed or a tool returned is no fact about the user. Facts that the prompt shows with small
ids are updated or retracted by id. Any other field gets the schema's first allowed value.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..messages import Message, text_of
from .extract import Statement, statements
from .language import fold
from .transcript import talk


class Known(NamedTuple):
    """A fact that the prompt shows under a small id."""

    id: str
    text: str


_FIELDS = {
    "subject": r"^(?:subject|entity|who|person|about|owner)$",
    "attribute": r"^(?:attribute|key|name|field|property|predicate|label|relation|kind|category|type|fact)$",
    "value": r"^(?:value|object|content|val|text)$",
    "quote": r"^(?:quote|evidence|source_text|verbatim|span|sentence|original|source)$",
    "operation": r"^(?:op|operation|action|change|event)$",
    "id": r"^(?:id|fact_id|target|target_id|replaces|existing_id|ref|old_id|updates)$",
    "temporary": r"^(?:temporary|once|one_time|this_time_only|only_once|transient)$",
    "message": r"^(?:message|index|message_index|turn|line|source_message|message_id)$",
    "negated": r"^(?:negated|negative|prohibition)$",
    "confidence": r"^(?:confidence|score|certainty)$",
}


def fill(schema: dict[str, Any], messages: list[Message]) -> Any:
    """A value that the schema allows. Schemas: types, properties, items, enum, const, anyOf, $ref into $defs."""
    return _value(schema, schema, messages)


def _resolved(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    for _ in range(20):  # a chain of references; a circle of them ends here
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema:
            target: Any = root
            for part in schema["$ref"].lstrip("#/").split("/"):
                target = target.get(part, {}) if isinstance(target, dict) else {}
            schema = target
        elif "anyOf" in schema or "oneOf" in schema:
            choices = schema.get("anyOf") or schema["oneOf"]
            schema = next((choice for choice in choices if choice.get("type") != "null"), choices[0])
        else:
            return schema
    return {}


def _value(schema: Any, root: dict[str, Any], messages: list[Message], depth: int = 0) -> Any:
    schema = _resolved(schema, root)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if kind == "object":
        names = schema.get("properties", {})
        wanted = names if depth < 8 else {name: names[name] for name in schema.get("required", []) if name in names}
        return {name: _value(each, root, messages, depth + 1) for name, each in wanted.items()} if depth < 16 else {}
    if kind == "array":
        items = _resolved(schema.get("items", {}), root)
        roles = _roles(items.get("properties", {}))
        if "value" in roles.values() and ("attribute" in roles.values() or "subject" in roles.values()):
            return _facts(items, roles, root, messages)
        return [_value(items, root, messages, depth + 1) for _ in range(min(schema.get("minItems", 0), 100))]
    return _plain(schema, kind)


def _plain(schema: dict[str, Any], kind: str) -> Any:
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    low = schema.get("minimum", 0)
    return {"string": " " * schema.get("minLength", 0), "integer": int(low), "number": low, "boolean": False}.get(kind)


def _roles(properties: dict[str, Any]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for name in properties:
        role = next((role for role, pattern in _FIELDS.items() if re.match(pattern, name, re.IGNORECASE)), "")
        if role and role not in roles.values():
            roles[name] = role
    return roles


def _facts(
    item: dict[str, Any], roles: dict[str, str], root: dict[str, Any], messages: list[Message]
) -> list[dict[str, Any]]:
    known = _known(messages)
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    lines = [line for line in talk(messages) if not line.earlier]
    for index, line in enumerate(lines):
        if line.speaker != "user":
            continue
        for statement in statements(line.text):
            old = _match(statement, known)
            if old is not None and not statement.retracts and fold(statement.value).lower() in fold(old.text).lower():
                continue  # known already: no change
            record = {
                name: _field(roles.get(name, ""), _resolved(each, root), statement, old, index, root, messages)
                for name, each in item.get("properties", {}).items()
            }
            found[statement.subject, statement.attribute, statement.value.lower()] = record
    return list(found.values())


def _field(
    role: str, schema: dict[str, Any], statement: Statement, old: Known | None, index: int, root, messages
) -> Any:
    plain = {
        "subject": statement.subject,
        "attribute": statement.attribute,
        "value": statement.value,
        "quote": statement.quote,
        "temporary": statement.temporary,
        "message": index,
        "negated": statement.negated,
        "confidence": 1.0,
    }
    kind = schema.get("type", "string")
    kinds = kind if isinstance(kind, list) else [kind]
    if role == "operation":
        wanted = (
            r"retract|delete|remove|forget"
            if statement.retracts
            else r"update|replace|change"
            if old
            else r"add|create|insert|new|set|upsert"
        )
        return next(
            (choice for choice in schema.get("enum", []) if re.search(wanted, str(choice), re.IGNORECASE)), None
        ) or (
            schema["enum"][0] if schema.get("enum") else "retract" if statement.retracts else "update" if old else "add"
        )
    if role == "id":
        if old is None:
            return None if "null" in kinds else 0 if "integer" in kinds else ""
        return int(re.sub(r"\D", "", old.id) or 0) if "integer" in kinds else old.id
    if role in plain and not schema.get("enum") and "const" not in schema:
        value = plain[role]
        return str(value) if "string" in kinds and not isinstance(value, str) else value
    if role in plain and schema.get("enum"):
        return next(
            (choice for choice in schema["enum"] if str(choice).lower() in str(plain[role]).lower()), schema["enum"][-1]
        )
    return _value(schema, root, messages, 8)


_KNOWN = re.compile(r"^\s*(?:[-*•]\s*)?[\[(#]?(?P<id>[A-Za-z]{0,4}\d{1,5})[\])]?\s*[:.|)\-–=]*\s+(?P<text>\S.*)$")


def _known(messages: list[Message]) -> list[Known]:
    """The facts that the prompt shows, each line with a small id in front ("[3] user | order number | 4471-K")."""
    found, listing = [], False
    for message in messages:
        for line in text_of(message).splitlines():
            folded = fold(line).strip()
            if (
                re.search(
                    r"(?:known|existing|current|stored)\b.*(?:facts?|memor)|facts? (?:so far|known)|已知|现有|已有"
                    r"|hechos existentes|conocidos",
                    folded,
                    re.IGNORECASE,
                )
                and len(folded) < 120
            ):
                listing = True
                continue
            match = _KNOWN.match(line)
            if listing and match:
                found.append(Known(match["id"], match["text"]))
            elif listing and folded.endswith((":", "：")):
                listing = False
    return found


def _match(statement: Statement, known: list[Known]) -> Known | None:
    """The known fact with the statement's subject and attribute; for a retraction also one with its value."""
    attribute, subject = fold(statement.attribute).lower(), fold(statement.subject).lower()
    for fact in reversed(known):
        text = fold(fact.text).lower()
        if attribute in text and (subject in text or subject == "user"):
            if (
                attribute in ("likes", "dislikes", "allergy", "prohibition", "does not eat")
                and fold(statement.value).lower() not in text
            ):
                continue
            return fact
        if statement.retracts and fold(statement.value).lower() in text:
            return fact
    return None
