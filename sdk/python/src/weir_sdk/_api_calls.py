"""Hand-written operations for calls that a program sends itself (docs/guides/calls.md).

Their bodies are a provider's own bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterable, Literal, Mapping
from urllib.parse import quote
from uuid import uuid4

from . import types as t
from ._api_client import AsyncGroup, AsyncSender, Group, Sender, Sent, error_of, request_of, value_of, written_json
from ._config import encoded_metadata
from ._errors import WeirApiError, WeirConfigError
from ._http import Reply
from ._outcome import WeirOutcome, from_headers, from_refusal

Ended = Literal["complete", "aborted", "error", "unsent"]


@dataclass(frozen=True)
class CallVerdict:
    """The verdict on a call.

    When it is `refused`, `status` and `body` are a response in the provider's format.
    """

    outcome: WeirOutcome
    status: int
    #: The body to send, or the refusal.
    body: bytes = field(repr=False)
    content_type: str | None = None
    #: Whether Weir governs the route.
    governed: bool = True

    @property
    def refused(self) -> bool:
        return self.status >= 400

    @property
    def call(self) -> str:
        """The id with which the call's answer is reported."""
        return self.outcome.call_id or ""


@dataclass(frozen=True)
class CallAnswer:
    """The end of a call: the provider's unchanged answer."""

    call: str
    body: bytes = field(default=b"", repr=False)
    status: int | None = 200
    content_type: str = "application/json"
    content_encoding: str | None = None
    ended: Ended = "complete"
    error: Literal["upstream_unreachable", "upstream_timeout"] | None = None
    latency_ms: float | None = None

    def headers(self) -> dict[str, object]:
        return {
            "Content-Type": self.content_type,
            "Content-Encoding": self.content_encoding,
            "x-weir-status": self.status,
            "x-weir-ended": self.ended,
            "x-weir-error": self.error,
            "x-weir-latency-ms": self.latency_ms,
        }

    def framed(self) -> bytes:
        head = {
            "call": self.call,
            "ended": self.ended,
            "status": self.status,
            "content_type": self.content_type,
            "content_encoding": self.content_encoding,
            "error": self.error,
            "latency_ms": self.latency_ms,
            "length": len(self.body),
        }
        line = json.dumps({name: value for name, value in head.items() if value is not None}).encode()
        return b"".join((line, b"\n", self.body, b"\n"))


def _question(
    sender: Sender | AsyncSender,
    provider: str,
    path: str,
    body: bytes | Mapping[str, Any],
    method: str,
    content_type: str,
    metadata: Mapping[str, Any] | None,
    session: str | None,
    request_id: str | None,
    idempotency_key: str | None,
) -> tuple[Sent, bytes]:
    content = body if isinstance(body, bytes) else written_json(body)
    way = path.partition("?")[0].split("/")
    if "." in way or ".." in way:
        raise WeirConfigError("path must not contain '.' or '..' segments")
    asked = request_of(
        sender.settings,
        "POST",
        "/v1/calls/{}",
        "service_key",
        (provider,),
        {},
        headers={
            "Content-Type": content_type,
            # Retries of the same request are judged and recorded once.
            "Idempotency-Key": idempotency_key or uuid4().hex,
            "x-weir-method": None if method == "POST" else method,
            "X-Service-Metadata": None if not metadata else encoded_metadata(metadata),
            "X-Service-Session": session,
            "X-Request-Id": request_id,
        },
    )
    target = f"{asked.target}/{quote(path.lstrip('/'), safe='/:?&=%,;@+~!$()*')}"
    return Sent("POST", target, asked.headers, content), content


def _verdict(reply: Reply, body: bytes) -> CallVerdict:
    content_type = reply.headers.get("content-type")
    if reply.status >= 400:
        return CallVerdict(from_refusal(reply.headers, reply.body), reply.status, reply.body, content_type)
    if "x-weir-call" not in reply.headers:
        raise WeirApiError(reply.status, {"type": "unknown", "message": "this response is not from Weir"})
    governed = reply.headers.get("x-weir-governed") != "false"
    sent = body if reply.status == 204 else reply.body
    return CallVerdict(from_headers(reply.headers), reply.status, sent, content_type, governed)


def _told(sender: Sender | AsyncSender, answer: CallAnswer) -> Sent:
    asked = request_of(
        sender.settings, "POST", "/v1/calls/{}/answer", "service_key", (answer.call,), {}, headers=answer.headers()
    )
    # A repeated report gets the same response.
    return Sent("POST", asked.target, asked.headers, answer.body)


def _told_all(sender: Sender | AsyncSender, answers: Iterable[CallAnswer]) -> Sent:
    asked = request_of(
        sender.settings,
        "POST",
        "/v1/calls/answers",
        "service_key",
        (),
        {},
        headers={"Content-Type": "application/vnd.weir.answers"},
    )
    return Sent("POST", asked.target, asked.headers, b"".join(each.framed() for each in answers))


class RawCalls(Group):
    def ask(
        self,
        provider: str,
        path: str,
        body: bytes | Mapping[str, Any],
        *,
        method: str = "POST",
        content_type: str = "application/json",
        metadata: Mapping[str, Any] | None = None,
        session: str | None = None,
        request_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> CallVerdict:
        """Asks whether a call may be sent to the provider.

        `verdict.body` is the body to send, or the refusal if `verdict.refused`.
        """
        sent, content = _question(
            self._sender, provider, path, body, method, content_type, metadata, session, request_id, idempotency_key
        )
        return _verdict(self._sender.reply(sent, decided=True), content)

    def answer(self, answer: CallAnswer) -> t.CallEnd:
        """Reports the end of a call; returns the findings in its answer."""
        end: t.CallEnd = value_of(self._sender.reply(_told(self._sender, answer)))
        return end

    def answer_many(self, answers: Iterable[CallAnswer]) -> t.CallEnds:
        """Reports the ends of at most 100 calls in one request."""
        ends: t.CallEnds = value_of(self._sender.reply(_told_all(self._sender, answers)))
        return ends


class AsyncRawCalls(AsyncGroup):
    async def ask(
        self,
        provider: str,
        path: str,
        body: bytes | Mapping[str, Any],
        *,
        method: str = "POST",
        content_type: str = "application/json",
        metadata: Mapping[str, Any] | None = None,
        session: str | None = None,
        request_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> CallVerdict:
        """Asks whether a call may be sent to the provider.

        `verdict.body` is the body to send, or the refusal if `verdict.refused`.
        """
        sent, content = _question(
            self._sender, provider, path, body, method, content_type, metadata, session, request_id, idempotency_key
        )
        return _verdict(await self._sender.reply(sent, decided=True), content)

    async def answer(self, answer: CallAnswer) -> t.CallEnd:
        """Reports the end of a call; returns the findings in its answer."""
        end: t.CallEnd = value_of(await self._sender.reply(_told(self._sender, answer)))
        return end

    async def answer_many(self, answers: Iterable[CallAnswer]) -> t.CallEnds:
        """Reports the ends of at most 100 calls in one request."""
        ends: t.CallEnds = value_of(await self._sender.reply(_told_all(self._sender, answers)))
        return ends
