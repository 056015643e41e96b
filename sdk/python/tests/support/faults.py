"""Faults of Weir in tests, instead of a verdict."""

from __future__ import annotations

from typing import Any, Callable

from .servers import Seen

#: Handles a request instead of the normal answer; returns False if it does not handle the request.
Fault = Callable[[Any, Seen], bool]


def is_question(seen: Seen) -> bool:
    """Whether a request asks about a call, as opposed to reporting an answer."""
    return seen.path.startswith("/v1/calls/") and "/calls/answers" not in seen.path and not seen.path.endswith("/answer")


def silent(handler: Any, seen: Seen) -> bool:
    """Never answers: waits until the client closes the connection."""
    if not is_question(seen):
        return False
    handler.connection.settimeout(60)
    try:
        handler.connection.recv(1)
    except OSError:
        pass
    handler.close_connection = True
    return True


def says(status: int, body: bytes, headers: dict[str, str] | None = None) -> Fault:
    def answer(handler: Any, seen: Seen) -> bool:
        if not is_question(seen):
            return False
        handler.say(status, body, headers)
        return True

    return answer


def raw(answer: bytes) -> Fault:
    """Sends these bytes and nothing more."""

    def write(handler: Any, seen: Seen) -> bool:
        if not is_question(seen):
            return False
        handler.wfile.write(answer)
        handler.cut()
        return True

    return write


def refuses_tools(handler: Any, seen: Seen) -> bool:
    """Refuses every tool call; calls of models are judged as usual."""
    if seen.path != "/v1/events":
        return False
    handler.say(400, b'{"error":{"type":"tool_use_blocked","message":"no","violations":[]}}')
    return True


def allows_tools(handler: Any, seen: Seen) -> bool:
    """Allows every tool call; calls of models are judged as usual."""
    if seen.path != "/v1/events":
        return False
    handler.say(200, b'{"event_id":"e-1","decision":"allow","violations":[],"redactions":[]}')
    return True
