"""The end of a call: the copy of an answer while a client reads it, and its report."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

from ._outcome import IdOfAnswer, WeirOutcome, from_headers, keep_by_headers
from ._report import Report

if TYPE_CHECKING:
    from ._attempt import Guarded

_LAST_EVENT = re.compile(rb"\n(?:data: ?\[DONE\]|event: ?message_stop\r?\ndata: ?\{[^\r\n]*\})\s*$")


class HeadReader:
    """Finds the id of a proxied answer. Nothing is reported, because the proxy has seen the answer."""

    #: Always false, because no report waits for the end of the answer.
    is_over = False

    def __init__(self, response: Any) -> None:
        outcome = from_headers(response.headers)
        self._id = IdOfAnswer(response.headers, outcome)
        if outcome.event_id is None:
            self._id.done = True
        else:
            attach(response, outcome)

    def add(self, chunk: bytes) -> None:
        if not self._id.done:
            self._id.add(chunk)

    def end(self, ended: str, error: str | None = None) -> None:
        self._id.end()

    def end_complete(self) -> None:
        self._id.end()

    async def end_async(self, library: Any, ended: str) -> None:
        self._id.end()


def attach(response: Any, outcome: WeirOutcome) -> None:
    response.extensions = {**response.extensions, "weir": outcome}
    keep_by_headers(response.headers, outcome)


class Collector:
    """Keeps the bytes of an answer while a client reads them, and reports them once."""

    def __init__(self, guarded: Guarded, outcome: WeirOutcome, started: float) -> None:
        self._guarded = guarded
        self._outcome = outcome
        self._started = started
        self._status: int | None = None
        self._headers: Any = {}
        self._id: IdOfAnswer | None = None
        self._chunks: list[bytes] = []
        self._size = 0
        self._cut = False
        self._ended = False
        self._pid = os.getpid()
        self._is_stream = False
        #: Whether the last event of a stream has arrived. Clients then stop reading, and some never
        #: close the stream.
        self.is_over = False
        guarded.core.reports.opened(self)

    def answered(self, response: Any) -> None:
        self._status = response.status_code
        self._headers = response.headers
        self._id = IdOfAnswer(response.headers, self._outcome)
        self._is_stream = str(response.headers.get("content-type", "")).startswith("text/event-stream")
        attach(response, self._outcome)

    @property
    def awaits(self) -> bool:
        return self._guarded.config.report == "await"

    def add(self, chunk: bytes) -> None:
        if self._ended:
            return
        self._size += len(chunk)
        if self._size > self._guarded.config.report_max_bytes:
            self._cut = True
        else:
            self._chunks.append(chunk)
            if self._is_stream and chunk.endswith(b"\n"):
                # A short chunk may be the second part of a split line.
                if len(chunk) < 64 or b"[DONE]" in chunk[-32:] or b"message_stop" in chunk[-128:]:
                    self.is_over = self._says_it_is_over()
        if self._id is not None and not self._id.done:
            self._id.add(chunk)

    def end(self, ended: str, error: str | None = None) -> None:
        """Queues the report; later calls have no effect."""
        report = self.taken(ended, error)
        if report is not None:
            self._guarded.core.report(self._guarded.config, report)

    def taken(self, ended: str, error: str | None = None) -> Report | None:
        """The report; None after the first call, and in a child process: its parent goes on reading the answer."""
        if self._ended:
            return None
        self._ended = True
        if self._pid != os.getpid():
            return None
        self._guarded.core.reports.closed(self)
        # The thread that reads the answer may go on while the report is sent.
        chunks = tuple(self._chunks)
        if self._status is None and ended == "aborted":
            # The call ended before its answer began, so that nothing was received: Weir accepts `aborted` only with a status.
            ended, error = "error", "upstream_timeout"
        coding = self._headers.get("content-encoding", "").lower()
        if self._id is not None:
            self._id.end()
        return Report(
            self._outcome,
            "aborted" if self._cut else ended,
            self._status,
            self._headers.get("content-type"),
            coding or None,
            error,
            (time.monotonic() - self._started) * 1000,
            chunks,
            sum(map(len, chunks)),
        )

    def _says_it_is_over(self) -> bool:
        """Whether the last event is in the stream, on a line of its own.

        Text of an answer cannot imitate this, because it contains no line breaks within an event.
        """
        return _LAST_EVENT.search(b"".join(self._chunks[-3:])[-256:]) is not None

    async def end_async(self, library: Any, ended: str) -> None:
        report = self.taken(ended)
        if report is None:
            return
        if self.awaits:
            await self._guarded.core.report_now_async(self._guarded.config, report, library)
        else:
            self._guarded.core.report(self._guarded.config, report)

    def end_complete(self) -> None:
        report = self.taken("complete")
        if report is None:
            return
        if self.awaits:
            self._guarded.core.report_now(self._guarded.config, report)
        else:
            self._guarded.core.report(self._guarded.config, report)

    def __del__(self) -> None:
        if not self._ended:
            ended = self.taken("aborted")
            reports, guarded = self._guarded.core.reports, self._guarded
            if ended is not None:
                # A finaliser may run while this thread holds any lock: the queue's thread reports.
                reports.orphan(lambda: guarded.core.report(guarded.config, ended))
