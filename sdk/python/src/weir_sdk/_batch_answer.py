"""Weir's answer to one request with several reports."""

from __future__ import annotations

import json
from typing import Any

from ._http import Reply

#: Statuses that say nothing about a report: Weir is busy, or still processes an earlier attempt.
FOR_NOW = frozenset({408, 409, 429, 503})


def is_refusal(reply: Reply) -> bool:
    """Whether Weir itself refuses a whole request, whatever reports it contains."""
    if not 400 <= reply.status < 500 or reply.status in FOR_NOW or reply.status == 413:
        return False
    try:
        return isinstance(json.loads(reply.body).get("error"), dict)
    except (ValueError, AttributeError):
        return False


def answers_of(reply: Reply, expected: int) -> list[dict[str, Any]] | None:
    """The answers to the single reports, in their order; None when there is not one for each."""
    if reply.status != 200:
        return None
    try:
        answers = json.loads(reply.body)["answers"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(answers, list) or len(answers) != expected:
        return None
    return answers if all(isinstance(each, dict) for each in answers) else None


def refused_with(status: int) -> str:
    """The reason for a lost report in a warning."""
    return f"Weir refused reports with status {status}"
