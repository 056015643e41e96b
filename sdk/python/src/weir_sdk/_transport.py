"""Transports that ask Weir before they send, for either HTTP library."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any, AsyncIterator, Iterator

from ._attempt import (
    Guarded,
    decided,
    is_asked_about,
    judged,
    may_be_asked_about,
    question_of,
    redirected,
    refusal_response,
    through_proxy,
    without_sending,
)
from ._collector import Collector, HeadReader


@lru_cache(maxsize=None)
def transport_classes(library: Any) -> tuple[type[Any], type[Any]]:
    """The sync and the async transport, derived from a library's base classes.

    The library's client accepts only transports of these base classes.
    """
    return _sync_class(library), _async_class(library)


def _error_of(library: Any, error: BaseException) -> tuple[str, str | None]:
    if isinstance(error, library.TimeoutException):
        return "error", "upstream_timeout"
    if isinstance(error, library.HTTPError):
        return "error", "upstream_unreachable"
    # The call was cancelled or interrupted, or the caller made a mistake.
    return "aborted", None


def _break_of(library: Any, error: BaseException, *, has_part: bool, is_closed: bool) -> tuple[str, str | None]:
    """The end of an answer that raised an error while it was read."""
    if is_closed or (has_part and isinstance(error, library.TimeoutException)):
        # The caller closed it, or its own time limit ended it: Weir judges and records the received part.
        return "aborted", None
    return _error_of(library, error)


def _sync_class(library: Any) -> type[Any]:
    class Tap(library.SyncByteStream):  # type: ignore[misc]
        """Passes chunks on as they arrive, and keeps them for the report."""

        def __init__(self, inner: Any, collector: Collector | HeadReader) -> None:
            self._inner = inner
            self._collector = collector
            self._is_closed = False

        def __iter__(self) -> Iterator[bytes]:
            collector = self._collector
            has_part = False
            try:
                for chunk in self._inner:
                    has_part = True
                    collector.add(chunk)
                    if collector.is_over:
                        collector.end_complete()
                    yield chunk
            except BaseException as error:
                collector.end(*_break_of(library, error, has_part=has_part, is_closed=self._is_closed))
                raise
            collector.end_complete()

        def close(self) -> None:
            self._is_closed = True
            try:
                self._inner.close()
            finally:
                self._collector.end("aborted")

    class WeirTransport(library.BaseTransport):  # type: ignore[misc]
        """Asks Weir about each request with a body, then sends it through `inner`."""

        def __init__(self, guarded: Guarded, inner: Any, kept: Any = None) -> None:
            self._guarded = guarded
            self._inner = inner
            # Keeps the owner of `inner` alive, which would close it when collected.
            self._kept = kept

        def handle_request(self, request: Any) -> Any:
            guarded = self._guarded
            if guarded.config.via == "proxy":
                through_proxy(guarded, request)
                response = self._inner.handle_request(request)
                refusal = redirected(guarded, response.status_code)
                if refusal is not None:
                    response.stream.close()
                    return refusal_response(library, request, refusal)
                if not hasattr(response, "_content"):
                    response.stream = Tap(response.stream, HeadReader(response))
                return response
            body = request.read() if may_be_asked_about(guarded, request) else b""
            if not is_asked_about(guarded, request, body):
                return self._inner.handle_request(request)
            before = judged(request, body)
            if before is not None:
                sent, outcome = request, before.outcome
            else:
                question = question_of(guarded, request, body)
                sent, verdict = decided(library, request, question, guarded.core.ask(guarded.config, question))
                if verdict.kind == "refuse":
                    if verdict.unsent:
                        without_sending(guarded, verdict.outcome)
                    return refusal_response(library, request, verdict)
                outcome = verdict.outcome
            if outcome is None:
                return self._inner.handle_request(sent)
            collector = Collector(guarded, outcome, time.monotonic())
            try:
                response = self._inner.handle_request(sent)
            except BaseException as error:
                collector.end(*_error_of(library, error))
                raise
            collector.answered(response)
            if hasattr(response, "_content"):
                # The user's transport returned a response whose body is already read.
                for chunk in response.stream:
                    collector.add(chunk)
                collector.end_complete()
            else:
                response.stream = Tap(response.stream, collector)
            return response

        def close(self) -> None:
            self._inner.close()

        def __enter__(self) -> Any:
            self._inner.__enter__()
            return self

        def __exit__(self, *exception: Any) -> None:
            self._inner.__exit__(*exception)

    return WeirTransport


def _async_class(library: Any) -> type[Any]:
    class Tap(library.AsyncByteStream):  # type: ignore[misc]
        """Passes chunks on as they arrive, and keeps them for the report."""

        def __init__(self, inner: Any, collector: Collector | HeadReader) -> None:
            self._inner = inner
            self._collector = collector
            self._is_closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            collector = self._collector
            has_part = False
            try:
                async for chunk in self._inner:
                    has_part = True
                    collector.add(chunk)
                    if collector.is_over:
                        await collector.end_async(library, "complete")
                    yield chunk
            except BaseException as error:
                collector.end(*_break_of(library, error, has_part=has_part, is_closed=self._is_closed))
                raise
            await collector.end_async(library, "complete")

        async def aclose(self) -> None:
            self._is_closed = True
            try:
                await self._inner.aclose()
            finally:
                self._collector.end("aborted")

    class AsyncWeirTransport(library.AsyncBaseTransport):  # type: ignore[misc]
        """Asks Weir about each request with a body, then sends it through `inner`."""

        def __init__(self, guarded: Guarded, inner: Any, kept: Any = None) -> None:
            self._guarded = guarded
            self._inner = inner
            self._kept = kept

        async def handle_async_request(self, request: Any) -> Any:
            guarded = self._guarded
            if guarded.config.via == "proxy":
                through_proxy(guarded, request)
                response = await self._inner.handle_async_request(request)
                refusal = redirected(guarded, response.status_code)
                if refusal is not None:
                    await response.stream.aclose()
                    return refusal_response(library, request, refusal)
                if not hasattr(response, "_content"):
                    response.stream = Tap(response.stream, HeadReader(response))
                return response
            body = await request.aread() if may_be_asked_about(guarded, request) else b""
            if not is_asked_about(guarded, request, body):
                return await self._inner.handle_async_request(request)
            before = judged(request, body)
            if before is not None:
                sent, outcome = request, before.outcome
            else:
                question = question_of(guarded, request, body)
                sent, verdict = decided(library, request, question, await guarded.core.ask_async(guarded.config, question, library))
                if verdict.kind == "refuse":
                    if verdict.unsent:
                        without_sending(guarded, verdict.outcome)
                    return refusal_response(library, request, verdict)
                outcome = verdict.outcome
            if outcome is None:
                return await self._inner.handle_async_request(sent)
            collector = Collector(guarded, outcome, time.monotonic())
            try:
                response = await self._inner.handle_async_request(sent)
            except BaseException as error:
                collector.end(*_error_of(library, error))
                raise
            collector.answered(response)
            if hasattr(response, "_content"):
                async for chunk in response.stream:
                    collector.add(chunk)
                await collector.end_async(library, "complete")
            else:
                response.stream = Tap(response.stream, collector)
            return response

        async def aclose(self) -> None:
            # The connections to Weir stay open for the other clients of the loop; they are closed with it.
            await self._inner.aclose()

        async def __aenter__(self) -> Any:
            await self._inner.__aenter__()
            return self

        async def __aexit__(self, *exception: Any) -> None:
            await self._inner.__aexit__(*exception)

    return AsyncWeirTransport
