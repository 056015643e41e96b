"""The SDK's own errors. A refused call raises the error of the provider's client instead."""

from __future__ import annotations

from typing import Any, Mapping, Sequence


class WeirError(Exception):
    """Base of all errors of this package."""

    def __reduce__(self) -> Any:
        # Makes all errors picklable, whatever their constructors need, so that they can be passed between processes.
        return _again, (type(self), dict(self.__dict__), self.args)


def _again(kind: type[WeirError], fields: dict[str, Any], arguments: tuple[Any, ...]) -> WeirError:
    made = kind.__new__(kind)
    made.args = arguments
    made.__dict__.update(fields)
    return made


class WeirConfigError(WeirError):
    """An option is missing or wrong, or a client cannot be guarded."""


class WeirConnectionError(WeirError):
    """Weir could not be reached, did not answer in time, or sent an invalid response."""


class WeirApiError(WeirError):
    """Weir refused a request to its API; the fields contain its response."""

    def __init__(self, status: int, error: Mapping[str, Any], retry_after_ms: float | None = None) -> None:
        self.status = status
        #: Such as `not_found`, `invalid_request`, `rate_limit_exceeded`.
        self.type = str(error.get("type", "unknown"))
        self.message = str(error.get("message") or f"Weir answered with status {status}")
        #: Identifies the request in Weir's own log.
        self.trace_id: str | None = error.get("trace_id")
        #: The fields that were wrong, and the reasons.
        self.details: Sequence[Mapping[str, Any]] = _objects(error.get("details"))
        self.event_id: str | None = error.get("event_id")
        self.decision: str | None = error.get("decision")
        self.violations: Sequence[Mapping[str, Any]] = _objects(error.get("violations"))
        #: The time after which a retry can succeed, in milliseconds.
        self.retry_after_ms = retry_after_ms
        fields = [f"{each.get('path')}: {each.get('message')}" for each in self.details]
        super().__init__("; ".join((f"{status} {self.type}: {self.message}", *fields)))


def _objects(found: object) -> Sequence[Mapping[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


class ToolBlocked(WeirError):
    """A rule refused a tool call; the function was not run."""

    code = "tool_use_blocked"

    def __init__(self, tool: str, violations: Sequence[Mapping[str, Any]], event_id: str | None) -> None:
        self.tool = tool
        self.violations = violations
        self.event_id = event_id
        rules = ", ".join(str(each.get("rule_id") or each.get("rule") or "") for each in violations)
        super().__init__(f"Weir refused the tool call {tool}" + (f" ({rules})" if rules.strip(", ") else ""))
