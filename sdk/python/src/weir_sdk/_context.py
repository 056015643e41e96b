"""Annotations of the calls in one part of a program: metadata, session, request id."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from ._config import HEADER_VALUE, Config, checked_name, encoded_metadata


@dataclass(frozen=True)
class Context:
    metadata: Mapping[str, Any] = field(default_factory=dict)
    session: str | None = None
    request_id: str | None = None


_EMPTY = Context()
_current: ContextVar[Context] = ContextVar("weir_context", default=_EMPTY)


class CallAtHand:
    """A call of a framework; the guard records that it has seen one of its requests."""

    def __init__(self) -> None:
        self.met_guard = False


#: Set by callbacks of frameworks, which detect calls that bypass the guard.
CALL_AT_HAND: ContextVar[CallAtHand | None] = ContextVar("weir_call_at_hand", default=None)


@contextmanager
def weir_context(
    *, metadata: Mapping[str, Any] | None = None, session: str | None = None, request_id: str | None = None
) -> Iterator[None]:
    """Adds metadata, session and request id to all calls inside the `with` block.

    Inner values override outer ones. They apply to this thread or task and to tasks that are
    started inside the block, but not to worker threads that do not copy the context
    (`contextvars.copy_context`). A generator with such a block may be advanced in other contexts than
    the one in which it entered the block: give `metadata` and `session` to its client instead.
    """
    checked_name("session", session)
    checked_name("request_id", request_id)
    outer = _current.get()
    inner = Context(
        metadata={**outer.metadata, **(metadata or {})},
        session=session if session is not None else outer.session,
        request_id=request_id if request_id is not None else outer.request_id,
    )
    encoded_metadata(inner.metadata)
    token = _current.set(inner)
    try:
        yield
    finally:
        try:
            _current.reset(token)
        except ValueError:
            # A generator that is advanced in several contexts, as by a web framework's worker threads, may end
            # in another one than it began in. That one never had these values.
            pass


def current_context() -> Context:
    """The current context of `weir_context`."""
    return _current.get()


def call_headers(config: Config, retries: int, request_id: str | None) -> list[tuple[str, str]]:
    """The headers with a call's metadata, session and request id for Weir."""
    context = _current.get()
    metadata = {**config.metadata, **context.metadata}
    if retries > 0:
        metadata["attempt"] = retries + 1
    headers: list[tuple[str, str]] = []
    if metadata:
        headers.append(("X-Service-Metadata", encoded_metadata(metadata)))
    session = context.session or config.session
    if session is not None:
        headers.append(("X-Service-Session", session))
    asked = context.request_id or request_id
    if asked is not None and HEADER_VALUE.fullmatch(asked):
        headers.append(("X-Request-Id", asked))
    return headers
