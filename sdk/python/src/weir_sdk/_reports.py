"""A bounded queue of answers to report; a thread sends them, so that no caller waits."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Sequence

from ._clouds import FRAMES, as_events
from ._http import Fault, Http, Reply
from ._outcome import WeirOutcome

_MOST_AT_ONCE = 100
_MOST_BYTES_AT_ONCE = 8 * 1024 * 1024
_SEND_SECONDS = 30.0
_PAUSES = (0.2, 1.0, 3.0, 10.0)
_IDLE_SECONDS = 5.0
_LOOK_FOR_ORPHANS_SECONDS = 1.0
_LINGER_SECONDS = 0.02


@dataclass(frozen=True)
class Report:
    """The end of a call."""

    outcome: WeirOutcome
    ended: str
    status: int | None = None
    content_type: str | None = None
    content_encoding: str | None = None
    error: str | None = None
    latency_ms: float | None = None
    chunks: Sequence[bytes] = field(default=(), repr=False)
    size: int = 0

    def told(self) -> Report:
        """The report in a format that Weir reads.

        Streams of Bedrock are extracted from their frames here, where no caller waits.
        """
        if not (self.content_type or "").startswith(FRAMES) or self.content_encoding not in (None, "identity"):
            return self
        events = as_events(b"".join(self.chunks))
        return replace(self, content_type="text/event-stream", chunks=(events,), size=len(events))

    def framed(self) -> bytes:
        """One item of a batch: a line of JSON, the bytes, a newline."""
        head = {
            "call": self.outcome.call_id,
            "ended": self.ended,
            "status": self.status,
            "content_type": self.content_type,
            "content_encoding": self.content_encoding,
            "error": self.error,
            "latency_ms": None if self.latency_ms is None else round(self.latency_ms, 1),
            "length": self.size,
        }
        line = json.dumps({name: value for name, value in head.items() if value is not None}).encode()
        return b"".join((line, b"\n", *self.chunks, b"\n"))

    def headers(self) -> list[tuple[str, str]]:
        """The headers for a report that is sent alone."""
        pairs = (
            ("Content-Type", self.content_type),
            ("Content-Encoding", self.content_encoding),
            ("x-weir-status", None if self.status is None else str(self.status)),
            ("x-weir-ended", self.ended),
            ("x-weir-error", self.error),
            ("x-weir-latency-ms", None if self.latency_ms is None else f"{self.latency_ms:.1f}"),
        )
        return [(name, value) for name, value in pairs if value is not None]


#: Queues with a running thread, including those of deleted clients, so that all of them can be
#: flushed when the process ends.
ACTIVE: set[Reports] = set()


class Reports:
    """The queue. When it is full, new reports are dropped and counted."""

    def __init__(self, http: Http, api_key: str, most: int, most_bytes: int, flush_seconds: float) -> None:
        self.flush_seconds = flush_seconds
        #: The `Core` of the queue, kept alive while there are reports to send, so that a flush with
        #: the same key finds this queue.
        self.owner: object = None
        self._http = http
        self._headers = [("Authorization", f"Bearer {api_key}"), ("Content-Type", "application/vnd.weir.answers")]
        self._most = most
        self._most_bytes = most_bytes
        self.forget()

    def forget(self) -> None:
        """Resets the queue in a child process; the parent sends what it queued."""
        # Reentrant, because a finaliser may call `put` while this thread holds the lock.
        lock = threading.RLock()
        #: Notified when reports were sent or dropped; `flush` waits for it.
        self._changed = threading.Condition(lock)
        #: Notified when there are reports to send or `flush` waits; the thread waits for it.
        self._wanted = threading.Condition(lock)
        self._flushing = 0
        self._queued: deque[Report] = deque()
        self._orphans: deque[Callable[[], None]] = deque()
        self._bytes = 0
        self._sending = 0
        self._open = 0
        self._thread: threading.Thread | None = None
        self.reported = 0
        self.dropped = 0

    @property
    def queued(self) -> int:
        with self._changed:
            return len(self._queued) + self._sending

    @property
    def queued_bytes(self) -> int:
        return self._bytes

    def opened(self) -> None:
        """Counts a call whose answer is pending, so that the thread keeps running for it."""
        with self._changed:
            self._open += 1

    def closed(self) -> None:
        with self._changed:
            self._open -= 1

    def orphan(self, end: Callable[[], None]) -> None:
        """Queues `end` for the thread, without a lock, because finalisers may run anywhere."""
        self._orphans.append(end)

    def put(self, report: Report) -> bool:
        with self._changed:
            if len(self._queued) + self._sending >= self._most or self._bytes + report.size > self._most_bytes:
                self.dropped += 1
                return False
            self._queued.append(report)
            self._bytes += report.size
            if self._thread is None:
                ACTIVE.add(self)
                self._thread = threading.Thread(target=self._work, name="weir-reports", daemon=True)
                self._thread.start()
            elif len(self._queued) == 1 or self._is_full():
                self._wanted.notify()
            return True

    def _is_full(self) -> bool:
        return len(self._queued) >= _MOST_AT_ONCE or self._bytes >= _MOST_BYTES_AT_ONCE

    def flush(self, seconds: float) -> bool:
        """Waits until all reports are sent or dropped. False after the timeout."""
        deadline = time.monotonic() + seconds
        self._adopt()
        with self._changed:
            self._flushing += 1
            self._wanted.notify()
            try:
                while self._queued or self._sending:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return False
                    self._changed.wait(left)
            finally:
                self._flushing -= 1
        return True

    def _adopt(self) -> None:
        while self._orphans:
            self._orphans.popleft()()

    def _work(self) -> None:
        idle_since = time.monotonic()
        while True:
            self._adopt()
            with self._changed:
                if not self._queued:
                    if self._open <= 0 and time.monotonic() - idle_since >= _IDLE_SECONDS:
                        self._thread = None
                        ACTIVE.discard(self)
                        return
                    self._wanted.wait(_LOOK_FOR_ORPHANS_SECONDS)
                    continue
                # Waits briefly for more reports: one request for many is cheaper than one for each.
                self._wanted.wait_for(lambda: self._flushing > 0 or self._is_full(), _LINGER_SECONDS)
                batch = self._batch()
            self._deliver(batch)
            idle_since = time.monotonic()

    def _batch(self) -> list[Report]:
        batch: list[Report] = []
        size = 0
        while self._queued and len(batch) < _MOST_AT_ONCE:
            size += self._queued[0].size
            if batch and size > _MOST_BYTES_AT_ONCE:
                break
            batch.append(self._queued.popleft())
        self._sending = len(batch)
        return batch

    def _deliver(self, batch: list[Report]) -> None:
        for pause in (*_PAUSES, None):
            batch = self._tried(batch)
            if not batch:
                return
            if pause is None:
                break
            with self._changed:
                self._changed.wait_for(lambda: False, pause)
        self._done(batch, sent=False)

    def _tried(self, batch: list[Report]) -> list[Report]:
        """Sends a batch and returns the reports to retry."""
        body = b"".join(report.told().framed() for report in batch)
        try:
            reply = self._http.send("POST", "/v1/calls/answers", self._headers, body, time.monotonic() + _SEND_SECONDS)
        except Fault:
            return batch
        answers = _answers(reply, len(batch))
        if answers is None:
            if reply.status == 429 or reply.status >= 500:
                return batch
            self._done(batch, sent=False)
            return []
        again = []
        for report, answer in zip(batch, answers):
            status = answer.get("status")
            if status in (500, 503):
                again.append(report)
            else:
                report.outcome._settle(answer.get("event_id"), answer.get("violations") or ())
                self._done([report], sent=status == 200)
        return again

    def _done(self, reports: list[Report], *, sent: bool) -> None:
        with self._changed:
            self._sending -= len(reports)
            self._bytes -= sum(report.size for report in reports)
            if sent:
                self.reported += len(reports)
            else:
                self.dropped += len(reports)
            self._changed.notify_all()


def _answers(reply: Reply, expected: int) -> list[dict[str, Any]] | None:
    if reply.status != 200:
        return None
    try:
        answers = json.loads(reply.body)["answers"]
    except (ValueError, KeyError, TypeError):
        return None
    return answers if isinstance(answers, list) and len(answers) == expected else None
