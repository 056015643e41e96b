"""Errors that are the SDK's own. A refused call raises the provider's client's error instead."""

from __future__ import annotations

from typing import Any, Mapping, Sequence


class WeirError(Exception):
    """Base of all errors of this package."""


class WeirConfigError(WeirError):
    """An option is missing or wrong, or a client cannot be guarded."""


class WeirConnectionError(WeirError):
    """Weir could not be reached, took too long, or answered what is no answer."""


class WeirApiError(WeirError):
    """Weir answered with an error."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        self.status = status
        self.type = str(error.get("type", "unknown"))
        self.message = str(error.get("message", ""))
        self.trace_id: str | None = error.get("trace_id")
        self.details: Sequence[Mapping[str, Any]] = error.get("details") or []
        self.event_id: str | None = error.get("event_id")
        self.decision: str | None = error.get("decision")
        self.violations: Sequence[Mapping[str, Any]] = error.get("violations") or []
        super().__init__(f"{status} {self.type}: {self.message}")


class ToolBlocked(WeirError):
    """A rule refused a tool call; the function was not run."""

    code = "tool_use_blocked"

    def __init__(self, tool: str, violations: Sequence[Mapping[str, Any]], event_id: str | None) -> None:
        self.tool = tool
        self.violations = violations
        self.event_id = event_id
        rules = ", ".join(str(each.get("rule_id") or each.get("rule") or "") for each in violations)
        super().__init__(f"Weir refused the tool call {tool}" + (f" ({rules})" if rules.strip(", ") else ""))
