"""Errors in the format of a provider, so that its client raises its own exception."""

from __future__ import annotations

_TYPES = {
    401: "authentication_error",
    402: "permission_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
}
#: Google's status names: https://cloud.google.com/apis/design/errors#handling_errors
_STATUS_NAMES = {
    401: "UNAUTHENTICATED",
    402: "PERMISSION_DENIED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    504: "DEADLINE_EXCEEDED",
}


def error_body(style: str, status: int, message: str, weir: dict[str, object]) -> dict[str, object]:
    """The body of an error; `weir` is the part about Weir, with at least the `code`."""
    if style == "gemini":
        detail = {"@type": "weir", **weir}
        return {"error": {"code": status, "message": message, "status": _status_name(status), "details": [detail]}}
    kind = _error_type(status, str(weir["code"]))
    if style == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message, "weir": weir}, "request_id": None}
    return {"error": {"message": message, "type": kind, "param": None, "code": weir["code"], "weir": weir}}


def _error_type(status: int, code: str) -> str:
    """The name that OpenAI and Anthropic use for an error with this HTTP status.

    Errors with status 429 keep Weir's names, because these tell whether waiting helps.
    """
    if status == 429:
        return code
    return _TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")


def _status_name(status: int) -> str:
    return _STATUS_NAMES.get(status, "UNAVAILABLE" if status > 500 else "INVALID_ARGUMENT")
