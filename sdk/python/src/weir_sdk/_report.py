"""The report of the end of a call, in the formats that Weir accepts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Sequence

from ._clouds import FRAMES, as_events
from ._outcome import WeirOutcome


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

    def unframed(self) -> Report:
        """The report in a format that Weir reads.

        Streams of Bedrock are extracted from their frames here, where no caller waits.
        """
        if not (self.content_type or "").startswith(FRAMES) or self.content_encoding not in (None, "identity"):
            return self
        events = as_events(b"".join(self.chunks))
        return replace(self, content_type="text/event-stream", chunks=(events,), size=len(events))

    def shortened(self) -> Report:
        """The report with the first half of its bytes, as of an answer that its client stopped reading there."""
        half = b"".join(self.chunks)[: self.size // 2]
        return replace(self, ended="aborted" if self.ended == "complete" else self.ended, chunks=(half,), size=len(half))

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
