"""What the API refuses, before any model sees it: errors as OpenAI words and codes them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

MODELS = {"offline": 128_000, "offline-4k": 4_096, "offline-8k": 8_192, "offline-16k": 16_384, "offline-32k": 32_768}
EMBEDDING_MODEL = "offline-embedding"
EMBEDDING_WINDOW = 8_191


class Answer(NamedTuple):
    """status: HTTP's; body: the JSON value, or for a stream the list of server-sent events as text."""

    status: int
    body: Any
    stream: bool = False
    headers: Mapping[str, str] = MappingProxyType({})


class Refused(Exception):
    """Raised for a request that the API would refuse; .answer is what it would say."""

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None):
        super().__init__(message)
        kind = "server_error" if status >= 500 else "invalid_request_error"
        self.answer = Answer(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})


def check_model(name: Any, models) -> None:
    """Nothing; raises Refused (404) for a model that is not among the models."""
    if name not in models:
        raise Refused(
            404,
            f"The model `{name}` does not exist offline: use one of {', '.join(models)}.",
            param="model",
            code="model_not_found",
        )


def output_cap(request: dict[str, Any]) -> int | None:
    """The most tokens that the reply may have, None for no cap.  Raises Refused for what is no number of tokens."""
    for name in ("max_completion_tokens", "max_tokens"):
        value = request.get(name)
        if value is not None:
            if type(value) is not int or value < 1:
                raise Refused(
                    400, f"Invalid '{name}': an integer of 1 or more, not {value!r}.", param=name, code="invalid_value"
                )
            return value
    return None


def check_options(request: dict[str, Any]) -> None:
    """Nothing; raises Refused for an option that is out of its range or that the offline model has not."""
    if request.get("n") not in (None, 1):
        raise Refused(400, "Invalid 'n': the offline model gives one choice.", param="n", code="unsupported_value")
    temperature = request.get("temperature")
    if temperature is not None and (
        isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 2
    ):
        raise Refused(
            400,
            f"Invalid 'temperature': a number from 0 to 2, not {temperature!r}.",
            param="temperature",
            code="invalid_value",
        )
    form = request.get("response_format")
    if form is not None:
        if not isinstance(form, dict) or form.get("type") not in ("text", "json_object", "json_schema"):
            raise Refused(
                400,
                "Invalid 'response_format': its type is text, json_object or json_schema.",
                param="response_format",
                code="invalid_value",
            )
        schema = form.get("json_schema")
        if form["type"] == "json_schema" and not (
            isinstance(schema, dict) and schema.get("name") and isinstance(schema.get("schema"), dict)
        ):
            raise Refused(
                400,
                "Invalid 'response_format': json_schema needs a name and a schema.",
                param="response_format",
                code="invalid_value",
            )
    tools = request.get("tools")
    if tools is not None and not (
        isinstance(tools, list)
        and tools
        and all(
            isinstance(tool, dict)
            and tool.get("type") == "function"
            and isinstance((tool.get("function") or {}).get("name"), str)
            for tool in tools
        )
    ):
        raise Refused(
            400,
            "Invalid 'tools': a list of {type: function, function: {name, ...}}.",
            param="tools",
            code="invalid_value",
        )
    choice = request.get("tool_choice")
    if choice is not None and not tools and choice != "none":
        raise Refused(400, "Invalid 'tool_choice': only with 'tools'.", param="tool_choice", code="invalid_value")
    if isinstance(choice, dict) and (choice.get("function") or {}).get("name") not in {
        tool["function"]["name"] for tool in tools
    }:
        raise Refused(
            400, "Invalid 'tool_choice': no such function in 'tools'.", param="tool_choice", code="invalid_value"
        )
