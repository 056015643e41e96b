"""The request to Weir before a call, and the interpretation of its response.

This module does no I/O: code for threads and for event loops drives it.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field, replace
from typing import Generator, Literal, TypeVar, Union
from uuid import uuid4

from ._config import Config
from ._dialect import error_body
from ._http import Fault, Reply
from ._outcome import WeirOutcome, from_headers, from_refusal

_RETRIED = frozenset({409, 429, 500, 502, 503, 504})
#: The statuses of answers to a request whose body, address or headers are too large.
TOO_LARGE = frozenset({413, 414, 431})
_FIRST_PAUSE = 0.1
#: The headers of a refusal that a client may see, in addition to those of Weir.
_KEPT_HEADERS = frozenset({"content-type", "x-request-id", "retry-after"})


@dataclass(frozen=True)
class Question:
    """One HTTP attempt of a client, before it is sent."""

    method: str
    #: `/v1/calls/{provider}/{path}` with the query, without credentials.
    path: str
    style: str
    headers: list[tuple[str, str]]
    body: bytes = field(repr=False)
    #: Whether the body is JSON. Other bodies, such as uploads, are never refused because their route
    #: is unknown.
    is_json: bool = True
    #: Members that were derived from the path and added to the body only for this request to Weir.
    members: bytes = b""


@dataclass(frozen=True)
class Verdict:
    """The action for a request.

    Send it unchanged, send `body` instead, or return `status`, `headers` and `body` to the client.
    """

    kind: Literal["send", "replace", "refuse"]
    outcome: WeirOutcome | None = None
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = field(default=b"", repr=False)
    #: Media type and body of the refusing rule's canned answer. The client gets it instead of the
    #: error.
    answer: tuple[str, bytes] | None = field(default=None, repr=False)
    #: Whether Weir recorded a call that will not be sent.
    unsent: bool = False


@dataclass(frozen=True)
class Send:
    headers: list[tuple[str, str]]


@dataclass(frozen=True)
class Pause:
    seconds: float


T = TypeVar("T")
Steps = Generator[Union[Send, Pause], Union[Reply, Fault, None], T]


def retried(config: Config, headers: list[tuple[str, str]], deadline: float) -> Steps[Union[Reply, Fault]]:
    """Yields what to send or how long to pause, takes replies or faults, and returns the last of them.

    A request is retried if a retry can succeed and Weir has not decided yet. The headers or the
    body contain an idempotency key, so that Weir treats all attempts as one request.
    """
    attempt = 0
    while True:
        reply = yield Send(headers)
        assert reply is not None
        if isinstance(reply, Reply) and not _may_help(reply):
            return reply
        pause = _pause(attempt, reply)
        if attempt >= config.max_retries or time.monotonic() + pause >= deadline:
            return reply
        yield Pause(pause)
        attempt += 1


def asking(config: Config, question: Question, deadline: float) -> Steps[tuple[Verdict, bool]]:
    """Asks Weir. Returns the verdict, and whether Weir gave it."""
    headers = [
        ("Authorization", f"Bearer {config.api_key}"),
        ("Idempotency-Key", uuid4().hex),
        *question.headers,
    ]
    reply = yield from retried(config, headers, deadline)
    verdict = _verdict(config, question, reply) if isinstance(reply, Reply) else None
    if verdict is not None:
        return verdict, True
    return _without_verdict(config, question, reply), False


def _may_help(reply: Reply) -> bool:
    if reply.status in (200, 204) and "x-weir-call" not in reply.headers and not reply.body.startswith(b"{"):
        # The response is not from Weir.
        return True
    decided = reply.headers.get("x-should-retry") == "false" or "x-weir-decision" in reply.headers
    return reply.status in _RETRIED and not decided and b"trial_limit_reached" not in reply.body


def _pause(attempt: int, reply: Reply | Fault) -> float:
    asked = reply.headers.get("retry-after", "") if isinstance(reply, Reply) else ""
    if asked.isdecimal():
        return float(asked)
    # Full jitter, so that the clients of one outage do not all retry at the same time.
    return random.uniform(0, _FIRST_PAUSE * 2**attempt)  # noqa: S311


def _verdict(config: Config, question: Question, reply: Reply) -> Verdict | None:
    """The verdict in a response; None when it has none, because of a fault of Weir."""
    if reply.status in (200, 204) and reply.headers.get("x-weir-call"):
        outcome = from_headers(reply.headers)
        if reply.headers.get("x-weir-governed") == "false" and question.is_json and config.unknown_routes == "refuse":
            return made_refusal(
                question.style,
                400,
                "unknown_route",
                "Weir does not govern this route, and unknown_routes is 'refuse', so the call was not sent",
                outcome,
            )
        if reply.status == 204:
            return Verdict("send", outcome)
        return Verdict("replace", outcome, body=reply.body)
    if "x-weir-decision" in reply.headers and reply.status >= 400:
        # A stream of Bedrock gets no canned answer, because it would have to be in Bedrock's own frames.
        return handed_on(reply, answers=b'"stream"' not in question.members)
    if 400 <= reply.status < 500 and reply.status != 431 and _is_error(reply):
        return handed_on(_in_dialect(question.style, reply))
    # The call's own fault, not an outage: its size must not be a way to send a call unjudged. These answers may be
    # those of a server in front of Weir.
    if reply.status == 413:
        why = "Weir: this call is too large, so it was not sent"
        return made_refusal(question.style, 413, "payload_too_large", why, None)
    if reply.status in TOO_LARGE:
        why = "Weir: the metadata or the address of this call is too long, so the call was not sent"
        return made_refusal(question.style, 400, "invalid_request", why, None)
    return None


def _without_verdict(config: Config, question: Question, reply: Reply | Fault) -> Verdict:
    if config.fail_mode == "open":
        return Verdict("send")
    reason = str(reply) if isinstance(reply, Fault) else f"Weir answered {reply.status}"
    return made_refusal(question.style, 503, "guardrail_unavailable", f"{reason}; the call was not sent", None)


def _is_error(reply: Reply) -> bool:
    try:
        return isinstance(json.loads(reply.body).get("error"), dict)
    except (ValueError, AttributeError):
        return False


def _in_dialect(style: str, reply: Reply) -> Reply:
    """Converts an error in Weir's own format, such as that for an unknown provider, to the provider's."""
    error = json.loads(reply.body)["error"]
    if not isinstance(error.get("trace_id"), str):
        return reply
    weir: dict[str, object] = {"code": str(error.get("type") or "not_found")}
    body = error_body(style, reply.status, f"Weir: {error.get('message')}", weir)
    return replace(reply, body=json.dumps(body).encode(), headers={**reply.headers, "content-type": "application/json"})


def handed_on(reply: Reply, answers: bool = False) -> Verdict:
    """Weir's refusal in the provider's format, with the canned answer of the rule if it has one."""
    kept = [(name, value) for name, value in reply.headers.items() if name in _KEPT_HEADERS or name.startswith("x-weir-")]
    outcome = from_refusal(reply.headers, reply.body)
    answer = _canned(reply) if answers else None
    return Verdict("refuse", outcome, reply.status, [*kept, ("x-should-retry", "false")], reply.body, answer)


def _canned(reply: Reply) -> tuple[str, bytes] | None:
    try:
        answer = json.loads(reply.body)["error"]["weir"]["answer"]
        return str(answer["content_type"]), str(answer["body"]).encode()
    except (ValueError, KeyError, TypeError):
        return None


def made_refusal(style: str, status: int, code: str, message: str, outcome: WeirOutcome | None) -> Verdict:
    """A refusal by the SDK itself, in the provider's format."""
    weir: dict[str, object] = {"code": code, "event_id": outcome.event_id if outcome else None, "violations": []}
    error = error_body(style, status, message, weir)
    made = WeirOutcome(
        event_id=outcome.event_id if outcome else None,
        decision=None,
        call_id=outcome.call_id if outcome else None,
        code=code,
    )
    headers = [("content-type", "application/json"), ("x-should-retry", "false")]
    return Verdict("refuse", made, status, headers, json.dumps(error).encode(), unsent=outcome is not None)
