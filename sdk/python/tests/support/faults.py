"""What Weir does in tests instead of answering a question."""

from __future__ import annotations

from typing import Any, Callable

from .servers import Seen

#: Does something else than to answer; False: it is answered.
Fault = Callable[[Any, Seen], bool]


def is_question(seen: Seen) -> bool:
    """Whether it asks about a call, and does not tell of an answer."""
    return seen.path.startswith("/v1/calls/") and "/calls/answers" not in seen.path and not seen.path.endswith("/answer")


def silent(handler: Any, seen: Seen) -> bool:
    """Slow beyond any deadline: until the other side hangs up."""
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
    """These bytes, and then nothing more."""

    def write(handler: Any, seen: Seen) -> bool:
        if not is_question(seen):
            return False
        handler.wfile.write(answer)
        handler.cut()
        return True

    return write


def refuses_tools(handler: Any, seen: Seen) -> bool:
    """Whatever tool is asked about; calls of models are judged as always."""
    if seen.path != "/v1/events":
        return False
    handler.say(400, b'{"error":{"type":"tool_use_blocked","message":"no","violations":[]}}')
    return True


def allows_tools(handler: Any, seen: Seen) -> bool:
    """Whatever tool is asked about; calls of models are judged as always."""
    if seen.path != "/v1/events":
        return False
    handler.say(200, b'{"event_id":"e-1","decision":"allow","violations":[],"redactions":[]}')
    return True
