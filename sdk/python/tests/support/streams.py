"""Streams of a provider that a test controls."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Coroutine, Iterable, Iterator

import pytest

from .servers import ProviderLike, Seen, completion_chunks

Answer = Callable[[Any, Seen], None]


def endless(started: threading.Event) -> Answer:
    """An answer that continues until the client closes the connection."""

    def answer(handler: Any, seen: Seen) -> None:
        def chunks() -> Iterator[bytes]:
            while True:
                yield next(completion_chunks(1))
                started.set()

        handler.stream(chunks())

    return answer


async def is_cut_at_once(
    call: Callable[[], Coroutine[Any, Any, Any]], provider: ProviderLike, began: asyncio.Event | None = None
) -> None:
    """
    Cancelling a task that reads an endless answer closes the connection to the provider.

    `began` is set by a task that is cancelled only after it has received a part of the answer.
    """
    started = threading.Event()
    provider.script = [endless(started)]
    task = asyncio.create_task(call())
    assert await asyncio.to_thread(started.wait, 60)
    if began is not None:
        await asyncio.wait_for(began.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(provider.broken_off.wait, 60)


def held(go_on: threading.Event, events: Iterable[bytes], most: int = 1) -> Answer:
    """Sends the first `most` events, and the others after the test has set `go_on`."""

    def answer(handler: Any, seen: Seen) -> None:
        def chunks() -> Iterator[bytes]:
            for index, event in enumerate(events):
                if index == most:
                    go_on.wait(60)
                yield event

        handler.stream(chunks())

    return answer
