"""What an error of the openai client, or of the connection under it, means and what to do, in a line."""

from __future__ import annotations


def explain(error: BaseException, where: str = "the endpoint") -> str | None:
    """The line, None for an error that no endpoint gave.  where: its address.

    >>> import httpx2
    >>> explain(httpx2.ReadTimeout("slow"), "http://localhost:1/v1")
    'http://localhost:1/v1 did not answer in time: give it longer (--timeout), or try again later'
    """
    import httpx2
    import openai

    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return f"{where} did not answer in time: give it longer (--timeout), or try again later"
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
        why = str(error.__cause__ or error)
        return f"{where} cannot be reached, or broke off ({why}): see that it runs, and that OPENAI_BASE_URL is right"
    if isinstance(error, openai.APIStatusError):
        return f"{where} answered with status {error.status_code} ({_short(_said(error))}): {_advice(error)}"
    if isinstance(error, openai.OpenAIError):
        return f"{where}: {_short(str(error))}"
    return None


def _advice(error) -> str:
    code, status = error.code, error.status_code
    if code == "context_length_exceeded":
        return "the prompt is longer than the model's window; take a smaller limit, or a model with a larger window"
    if code == "insufficient_quota":
        return "no credit is left at the endpoint"
    return {401: "see that OPENAI_API_KEY is the key of this endpoint", 403: "the key may not use this model",
            404: "see that the model's name is right, and OPENAI_BASE_URL",
            429: "too many requests; try again later, or allow more tries (--max-retries)",
            }.get(status, "try again later" if status >= 500 else "the endpoint does not take this request")


def _said(error) -> str:
    body = error.body
    return str(body["message"] if isinstance(body, dict) and body.get("message") else error.message)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:297] + "..."
