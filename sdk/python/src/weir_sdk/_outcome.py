"""Weir's outcomes of calls, and their look-up by a result, an error or a response."""

from __future__ import annotations

import json
import re
import threading
import zlib
from collections import OrderedDict
from typing import Any, Mapping, Sequence

from ._config import MOST_MS

BLOCKED_CODES = frozenset({"content_policy_violation", "tool_use_blocked", "budget_exceeded"})
_MOST_KEPT = 4096


class WeirOutcome:
    """Weir's decision on one HTTP attempt of a client."""

    def __init__(
        self,
        *,
        event_id: str | None,
        decision: str | None,
        call_id: str | None = None,
        violations: Sequence[Mapping[str, Any]] = (),
        redactions: Mapping[str, int] | None = None,
        code: str | None = None,
    ) -> None:
        self.event_id = event_id
        self.decision = decision
        self.call_id = call_id
        #: Violations by the request if the call was refused; after the answer's report (see `wait`),
        #: violations by the answer.
        self.violations = violations
        self.redactions = redactions or {}
        self.code = code
        #: Id of the event of the answer, once the answer has been reported.
        self.answer_event_id: str | None = None
        self._reported = threading.Event()

    def wait(self, timeout_ms: float = 5000) -> bool:
        """Waits until the answer is reported, so that `violations` contains those by the answer."""
        return self._reported.wait(min(timeout_ms, MOST_MS) / 1000)

    def _settle(self, event_id: str | None, violations: object) -> None:
        """Reads the violations in Weir's response to the report; anything but a list of violations is ignored."""
        self.answer_event_id = event_id
        if isinstance(violations, list) and violations:
            self.violations = [*self.violations, *(each for each in violations if isinstance(each, dict))]
        self._reported.set()

    def __repr__(self) -> str:
        return f"WeirOutcome(event_id={self.event_id!r}, decision={self.decision!r}, code={self.code!r})"


def from_headers(headers: Mapping[str, str], code: str | None = None) -> WeirOutcome:
    return WeirOutcome(
        event_id=headers.get("x-weir-event-id"),
        decision=headers.get("x-weir-decision"),
        call_id=headers.get("x-weir-call"),
        redactions=_redactions(headers.get("x-weir-redactions", "")),
        code=code,
    )


def from_refusal(headers: Mapping[str, str], body: bytes) -> WeirOutcome:
    """Reads code and violations from a refusal in any provider's format."""
    outcome = from_headers(headers)
    try:
        _fill(outcome, json.loads(body))
    except ValueError:
        pass
    return outcome


def _fill(outcome: WeirOutcome, body: object) -> None:
    """Fills an outcome from a refusal, or from the error in it: clients keep one or the other."""
    error = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return
    details = error.get("details")
    inner = error.get("weir") or next(
        (each for each in details or [] if isinstance(each, dict) and each.get("@type") == "weir"), {}
    )
    outcome.code = inner.get("code") or (error.get("code") if isinstance(error.get("code"), str) else error.get("type"))
    outcome.violations = inner.get("violations") or []
    outcome.event_id = outcome.event_id or inner.get("event_id")
    outcome.decision = outcome.decision or inner.get("decision")


def _redactions(header: str) -> dict[str, int]:
    pairs = (each.rpartition("=") for each in header.split(",") if "=" in each)
    return {name: int(count) for name, _, count in pairs if count.isdecimal()}


class _Recent:
    """Outcomes by ids of results, because a client's result has no reference to its response."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        # Reentrant, because a finaliser may report an answer while this thread holds the lock.
        self._lock = threading.RLock()
        self._kept: OrderedDict[str, WeirOutcome] = OrderedDict()

    def keep(self, key: str, outcome: WeirOutcome) -> None:
        with self._lock:
            self._kept[key] = outcome
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    def get(self, key: object) -> WeirOutcome | None:
        if not isinstance(key, str):
            return None
        with self._lock:
            return self._kept.get(key)


RECENT = _Recent()
_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id")
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]{1,200})"')
_ID_OF_GEMINI = re.compile(rb'"responseId"\s*:\s*"([^"\\]{1,200})"')
_GEMINI = re.compile(rb'(?:data:)?[\s\[]*\{\s*"(?:candidates|promptFeedback|usageMetadata|modelVersion|responseId)"')
_LONGEST_ID = 256
_HEAD = 4096


def keep_by_headers(headers: Any, outcome: WeirOutcome) -> None:
    for name in _REQUEST_IDS:
        if headers.get(name):
            RECENT.keep(headers[name], outcome)


class IdOfAnswer:
    """Keeps an outcome by the id in an answer, read from the answer's bytes as they arrive.

    The id is at the beginning, except in Gemini's answers, where it is after the content. Answers
    with a content encoding that the standard library does not support are ignored.
    """

    def __init__(self, headers: Any, outcome: WeirOutcome) -> None:
        self._outcome = outcome
        self._is_stream = str(headers.get("content-type", "")).startswith("text/event-stream")
        coding = headers.get("content-encoding", "").lower()
        self._unpack = zlib.decompressobj(47) if coding in ("gzip", "deflate") else None
        self._is_gemini: bool | None = None
        self._tail = b""
        self._last: bytes | None = None
        #: Whether no more bytes are needed.
        self.done = coding not in ("", "identity", "gzip", "deflate")

    def add(self, chunk: bytes) -> None:
        """Takes the next bytes of the answer."""
        if self.done or chunk == b"":
            return
        try:
            text = chunk if self._unpack is None else self._unpack.decompress(chunk, 0 if self._is_gemini else _HEAD)
            if self._is_gemini is None and text:
                self._is_gemini = _GEMINI.match(text) is not None
                if not self._is_gemini:
                    self._found(_ID.search(text, 0, _HEAD))
                    return
                if self._unpack is not None:
                    text += self._unpack.decompress(self._unpack.unconsumed_tail)
        except zlib.error:
            self.done = True
            return
        found = _ID_OF_GEMINI.findall(self._tail + text)
        self._tail = text[-_LONGEST_ID:]
        if found:
            # Arguments of a function may have the same member: the answer's own is the last one.
            self._last = found[-1]
            if self._is_stream:
                self.end()

    def end(self) -> None:
        """Takes the end of the answer."""
        if not self.done and self._last is not None:
            RECENT.keep(self._last.decode("utf-8", "replace"), self._outcome)
        self.done = True

    def _found(self, match: re.Match[bytes] | None) -> None:
        self._last = None if match is None else match.group(1)
        self.end()


def weir_of(thing: object) -> WeirOutcome | None:
    """Weir's decision on the call of a result, an error, a stream or a response.

    None when Weir was not asked.
    """
    found = _found(thing)
    while found is None and _is_wrapped(thing):
        thing = getattr(thing, "__cause__", None) or getattr(thing, "__context__", None)
        found = _found(thing)
    if found is None:
        return _in_body(thing)
    if found.code is None and found.decision == "block":
        # A refusal by the proxy: only the client has read its body (Google's: in `details`).
        _fill(found, getattr(thing, "body", None) or getattr(thing, "details", None))
    return found


def _in_body(thing: object) -> WeirOutcome | None:
    """The refusal in the body that an error of a framework keeps instead of the response."""
    body = getattr(thing, "body", None) if isinstance(thing, BaseException) else None
    error = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("weir"), dict):
        return None
    outcome = WeirOutcome(event_id=None, decision=None)
    _fill(outcome, body)
    return outcome


def _is_wrapped(thing: object) -> bool:
    """Whether an error wraps the error of the same call, as LiteLLM's errors wrap those of clients.

    The cause of another error may belong to another call.
    """
    return isinstance(thing, BaseException) and type(thing).__module__.partition(".")[0] == "litellm"


def _found(thing: object) -> WeirOutcome | None:
    for _ in range(4):
        if isinstance(thing, WeirOutcome):
            return thing
        extensions = getattr(thing, "extensions", None)
        if isinstance(extensions, dict) and isinstance(extensions.get("weir"), WeirOutcome):
            attached: WeirOutcome = extensions["weir"]
            return attached
        request_id = getattr(thing, "_request_id", None)
        found = RECENT.get(request_id)
        if found is not None:
            return found
        nested = _nested(thing)
        if nested is None:
            break
        thing = nested
    identity = thing.get("id") if isinstance(thing, dict) else getattr(thing, "id", None)
    return RECENT.get(identity) or RECENT.get(getattr(thing, "response_id", None))


def _nested(thing: object) -> object | None:
    for name in ("http_response", "response", "_response", "_raw_response"):
        value = getattr(thing, name, None)
        if value is not None and hasattr(value, "extensions") or hasattr(value, "http_response"):
            found: object = value
            return found
    return None


def is_blocked(error: object) -> bool:
    """Whether an error means that a rule or a budget of Weir refused the call.

    An outage of Weir is not a refusal.
    """
    if getattr(error, "code", None) == "tool_use_blocked":
        return True
    outcome = weir_of(error)
    return outcome is not None and outcome.code in BLOCKED_CODES
