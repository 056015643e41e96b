"""A bounded queue of answers to report; a thread sends them, so that no caller waits."""

from __future__ import annotations

import random
import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Callable, Protocol

from ._batch_answer import FOR_NOW, answers_of, is_refusal, refused_with
from ._http import Fault, Http
from ._report import Report

_MOST_AT_ONCE = 100
_MOST_BYTES_AT_ONCE = 8 * 1024 * 1024
_SEND_SECONDS = 30.0
#: The pauses after consecutive failures; the last one is repeated.
_PAUSES = (0.2, 1.0, 3.0, 10.0)
#: The longest pause while a program waits for the queue.
_PAUSE_OF_FLUSH = 1.0
#: Failures because of one report, and not because Weir was unavailable, after which it is dropped.
_MOST_FAILURES = 5
_LONGEST_AGE_SECONDS = 3600.0
_IDLE_SECONDS = 5.0
_LOOK_FOR_ORPHANS_SECONDS = 1.0
_LINGER_SECONDS = 0.02
_LONGEST_WAIT_SECONDS = 3600.0


@dataclass(eq=False)
class _Queued:
    """A report in the queue."""

    report: Report
    since: float
    #: The attempts, and those of them that failed because of the report itself.
    attempts: int = 0
    failures: int = 0
    #: The time before which it is not sent.
    due: float = 0.0
    #: The greatest number of reports in a request with this one; it shrinks while Weir refuses these requests as a whole.
    most_at_once: int = _MOST_AT_ONCE

    @property
    def is_hopeless(self) -> bool:
        return self.failures >= _MOST_FAILURES or time.monotonic() - self.since > _LONGEST_AGE_SECONDS


class Unended(Protocol):
    """A call whose answer is pending."""

    def end(self, ended: str) -> None:
        """Queues the report."""


#: Queues with reports to send, including those of deleted clients, so that all of them can be flushed
#: when the process ends.
ACTIVE: set[Reports] = set()


class Reports:
    """The queue. When it is full, new reports are dropped and counted.

    While Weir is unavailable, reports are sent again and again for an hour.
    """

    def __init__(self, http: Http, api_key: str, most: int, most_bytes: int, flush_seconds: float) -> None:
        self.flush_seconds = flush_seconds
        #: The `Core` of the queue, kept alive while there are reports to send, so that a flush with
        #: the same key finds this queue.
        self.owner: object = None
        self._http = http
        self._headers = [("Authorization", f"Bearer {api_key}"), ("Content-Type", "application/vnd.weir.answers")]
        self._most = most
        self._most_bytes = most_bytes
        #: Issues a warning once, with the options of the client whose report was queued last.
        self._warn: Callable[[str], None] = lambda _: None
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
        self._queued: deque[_Queued] = deque()
        self._orphans: deque[Callable[[], None]] = deque()
        self._bytes = 0
        self._sending = 0
        self._open = 0
        self._unended: weakref.WeakSet[Unended] = weakref.WeakSet()
        self._thread: threading.Thread | None = None
        self._is_starting = False
        self._idle_since = 0.0
        #: Consecutive requests that got no answer about their reports; until `_resumes_at`, none is sent.
        self._failures = 0
        self._resumes_at = 0.0
        self._most_at_once = _MOST_AT_ONCE
        self.reported = 0
        self.dropped = 0

    @property
    def queued(self) -> int:
        with self._changed:
            return len(self._queued) + self._sending

    @property
    def queued_bytes(self) -> int:
        return self._bytes

    def opened(self, call: Unended) -> None:
        """Remembers a call whose answer is pending; the thread runs meanwhile, because the answer may be orphaned."""
        with self._changed:
            self._open += 1
            self._unended.add(call)
            self._has_thread()

    def closed(self, call: Unended) -> None:
        with self._changed:
            self._open -= 1
            self._unended.discard(call)

    def end_all(self) -> None:
        """Queues the reports of all answers that are still being read, when the process ends."""
        with self._changed:
            unended = list(self._unended)
        for call in unended:
            # An error here has no caller.
            with suppress(Exception):
                call.end("aborted")

    def orphan(self, end: Callable[[], None]) -> None:
        """Queues `end` for the thread, without a lock, because finalisers may run anywhere."""
        self._orphans.append(end)
        ACTIVE.add(self)

    def put(self, report: Report, warn: Callable[[str], None]) -> bool:
        """Queues a report; false when the queue is full. `warn` receives the reasons why reports are lost later."""
        with self._changed:
            self._warn = warn
            if len(self._queued) + self._sending >= self._most or self._bytes + report.size > self._most_bytes:
                self.dropped += 1
                return False
            self._queued.append(_Queued(report, time.monotonic()))
            self._bytes += report.size
            if self._has_thread() and (len(self._queued) == 1 or self._is_full()):
                self._wanted.notify()
            return True

    def _is_full(self) -> bool:
        return len(self._queued) >= _MOST_AT_ONCE or self._bytes >= _MOST_BYTES_AT_ONCE

    def _has_thread(self) -> bool:
        """Whether the thread runs; starts it if it does not."""
        ACTIVE.add(self)
        if self._is_starting or (self._thread is not None and self._thread.is_alive()):
            return True
        self._is_starting = True
        self._idle_since = time.monotonic()
        thread = threading.Thread(target=self._work, name="weir-reports", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # No thread can be started now: the next report or `flush` tries again.
            return False
        finally:
            self._is_starting = False
        self._thread = thread
        return True

    def flush(self, seconds: float) -> bool:
        """Waits until all reports are sent or dropped. False after the timeout."""
        deadline = time.monotonic() + seconds
        self._adopt()
        with self._changed:
            self._flushing += 1
            # Tries at once: Weir may be there again.
            self._resumes_at = 0.0
            for each in self._queued:
                each.due = 0.0
            self._wanted.notify()
        try:
            while True:
                with self._changed:
                    if not self._queued and not self._sending:
                        return True
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return False
                    if self._sending or self._has_thread():
                        self._changed.wait(min(left, _LONGEST_WAIT_SECONDS))
                        continue
                    pause = self._pause()
                    if pause > 0:
                        self._changed.wait(min(pause, left))
                        continue
                    batch = self._batch()
                # Without a thread, such as at the end of some processes, the reports are sent here.
                self._deliver(batch, min(deadline, time.monotonic() + _SEND_SECONDS))
        finally:
            with self._changed:
                self._flushing -= 1

    def _adopt(self) -> None:
        while self._orphans:
            end = self._orphans.popleft()
            # An error here has no caller.
            with suppress(Exception):
                end()

    def _work(self) -> None:
        is_needed = True
        while is_needed:
            is_needed = self._round()

    def _round(self) -> bool:
        """Sends a batch, or waits for one. Returns whether the thread is still needed."""
        self._adopt()
        with self._changed:
            if not self._queued:
                if self._open <= 0 and time.monotonic() - self._idle_since >= _IDLE_SECONDS:
                    self._thread = None
                    ACTIVE.discard(self)
                    return False
                self._wanted.wait(_LOOK_FOR_ORPHANS_SECONDS)
                return True
            pause = self._pause()
            if pause > 0:
                self._wanted.wait(min(pause, _LOOK_FOR_ORPHANS_SECONDS))
                return True
            # Waits briefly for more reports: one request for many is cheaper than one for each.
            self._wanted.wait_for(lambda: self._flushing > 0 or self._is_full(), _LINGER_SECONDS)
            batch = self._batch()
        self._deliver(batch, time.monotonic() + _SEND_SECONDS)
        self._idle_since = time.monotonic()
        return True

    def _pause(self) -> float:
        """The seconds until a report may be sent."""
        now = time.monotonic()
        if any(each.due <= now for each in self._queued):
            return self._resumes_at - now
        return max(self._resumes_at, min(each.due for each in self._queued)) - now

    def _batch(self) -> list[_Queued]:
        now = time.monotonic()
        batch: list[_Queued] = []
        later: list[_Queued] = []
        size = 0
        most = self._most_at_once
        while self._queued and len(batch) < most:
            if self._queued[0].due > now:
                later.append(self._queued.popleft())
                continue
            most = min(most, self._queued[0].most_at_once)
            size += self._queued[0].report.size
            if batch and (len(batch) >= most or size > _MOST_BYTES_AT_ONCE):
                break
            batch.append(self._queued.popleft())
        self._queued.extend(later)
        self._sending += len(batch)
        return batch

    def _deliver(self, batch: list[_Queued], until: float) -> None:
        """Sends a batch. Every report of it is then counted as sent or dropped, or is in the queue again."""
        if not batch:
            return
        try:
            for each in batch:
                self._replace(each, each.report.unframed())
            body = b"".join(each.report.framed() for each in batch)
            reply = self._http.send("POST", "/v1/calls/answers", self._headers, body, until)
        except Fault:
            self._put_back(batch)
            return
        except Exception:
            # One of these reports cannot be written, and must not end the thread.
            self._halve(batch, "Reports to Weir could not be written")
            return
        except BaseException:
            self._put_back(batch)
            raise
        answers = answers_of(reply, len(batch))
        if answers is not None:
            self._take(batch, answers)
        elif is_refusal(reply) and reply.status == 422:
            self._halve(batch, refused_with(reply.status))
        elif reply.status == 413 and len(batch) == 1 and batch[0].report.size > 0:
            # The beginning of an answer is worth more than no record.
            self._replace(batch[0], batch[0].report.shortened())
            self._warn("An answer is too large for a report to Weir: only its beginning is reported")
            self._again(batch)
        elif is_refusal(reply) or (reply.status == 413 and len(batch) == 1):
            self._drop(batch, refused_with(reply.status))
        else:
            # Another server may stand in for Weir, or have something against a report. If there are several, the
            # next, smaller requests tell which one.
            if len(batch) == 1 and reply.status < 500 and reply.status not in FOR_NOW:
                batch[0].failures += 1
            self._put_back(batch)

    def _replace(self, queued: _Queued, report: Report) -> None:
        """Replaces a report by another form of it, which may have another size."""
        with self._changed:
            self._bytes += report.size - queued.report.size
            queued.report = report

    def _halve(self, batch: list[_Queued], why: str) -> None:
        """Sends the halves of a batch of which one report is invalid; in the end this report is alone, and dropped."""
        if len(batch) == 1:
            self._drop(batch, why)
            return
        for each in batch:
            each.most_at_once = len(batch) // 2
        self._again(batch)

    def _put_back(self, batch: list[_Queued]) -> None:
        """Queues reports again that got no answer of their own.

        They are queued behind the others, and the next request contains fewer, so that one report at
        which Weir always fails does not hold up the rest.
        """
        with self._changed:
            self._most_at_once = max(1, len(batch) // 2)
            self._failures += 1
            self._resumes_at = time.monotonic() + self._pause_after(self._failures)
        self._again(batch)

    def _again(self, batch: list[_Queued]) -> None:
        """Queues reports again, except those for which there have been enough attempts."""
        hopeless = [each for each in batch if each.is_hopeless]
        kept = [each for each in batch if each not in hopeless]
        with self._changed:
            self._sending -= len(kept)
            self._queued.extend(kept)
            self._changed.notify_all()
        self._drop(hopeless, "Weir did not accept reports for an hour, or in several attempts")

    def _take(self, batch: list[_Queued], answers: list[dict[str, Any]]) -> None:
        """Settles the reports of a batch by Weir's answer to each."""
        sent: list[_Queued] = []
        lost: dict[int, list[_Queued]] = {}
        again: list[_Queued] = []
        for each, answer in zip(batch, answers):
            status = answer.get("status")
            is_busy = isinstance(status, int) and status in FOR_NOW
            if is_busy or not isinstance(status, int) or status >= 500:
                each.attempts += 1
                each.failures += 0 if is_busy else 1
                each.due = time.monotonic() + self._pause_after(each.attempts)
                again.append(each)
            else:
                each.report.outcome._settle(answer.get("event_id"), answer.get("violations"))
                (sent if status == 200 else lost.setdefault(status, [])).append(each)
        with self._changed:
            self._failures = 0
            self._most_at_once = min(_MOST_AT_ONCE, self._most_at_once * 2)
        self._again(again)
        self._done(sent, sent=True)
        for status, some in lost.items():
            self._drop(some, refused_with(status))

    def _pause_after(self, failures: int) -> float:
        pause = _PAUSES[min(failures, len(_PAUSES)) - 1] * random.uniform(0.5, 1)  # noqa: S311
        return min(pause, _PAUSE_OF_FLUSH) if self._flushing > 0 else pause

    def warn_of_unsent(self) -> None:
        """Warns of reports that are lost because the process ends."""
        if self.queued > 0:
            self._warn("The process ends before all reports to Weir are sent: some answers are not reported")

    def _drop(self, reports: list[_Queued], why: str) -> None:
        if reports:
            self._done(reports, sent=False)
            self._warn(f"{why}: some answers were not reported")

    def _done(self, reports: list[_Queued], *, sent: bool) -> None:
        with self._changed:
            self._sending -= len(reports)
            self._bytes -= sum(each.report.size for each in reports)
            if sent:
                self.reported += len(reports)
            else:
                self.dropped += len(reports)
            self._changed.notify_all()
