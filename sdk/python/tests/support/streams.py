"""Streams of a provider that a test holds in its hand."""

from __future__ import annotations

import threading
from typing import Any, Callable, Iterable, Iterator

from .servers import Seen, completion_chunks

Answer = Callable[[Any, Seen], None]


def endless(started: threading.Event) -> Answer:
    """Until the other side hangs up."""

    def answer(handler: Any, seen: Seen) -> None:
        def chunks() -> Iterator[bytes]:
            while True:
                yield next(completion_chunks(1))
                started.set()

        handler.stream(chunks())

    return answer


def held(go_on: threading.Event, events: Iterable[bytes], most: int = 1) -> Answer:
    """The first `most` of the events, and the others when the test says so."""

    def answer(handler: Any, seen: Seen) -> None:
        def chunks() -> Iterator[bytes]:
            for index, event in enumerate(events):
                if index == most:
                    go_on.wait(60)
                yield event

        handler.stream(chunks())

    return answer
