"""What is said about the calls of one part of a program: metadata, session, request id."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from ._config import Config
from ._errors import WeirConfigError


@dataclass(frozen=True)
class Context:
    metadata: Mapping[str, Any] = field(default_factory=dict)
    session: str | None = None
    request_id: str | None = None


_EMPTY = Context()
_current: ContextVar[Context] = ContextVar("weir_context", default=_EMPTY)


class CallAtHand:
    """A call of a framework; the guard notes that it has seen something of it."""

    def __init__(self) -> None:
        self.met_guard = False


#: Set by callbacks of frameworks, which want to know of calls that go past the guard.
CALL_AT_HAND: ContextVar[CallAtHand | None] = ContextVar("weir_call_at_hand", default=None)
_HEADER_VALUE = re.compile(r"[\x21-\x7e]{1,256}")


@contextmanager
def weir_context(
    *, metadata: Mapping[str, Any] | None = None, session: str | None = None, request_id: str | None = None
) -> Iterator[None]:
    """Adds to all calls within: metadata (the inner one wins), the session, the id of the request.

    It holds for this thread or task and for the tasks that are started within; worker threads that
    do not copy the context (`contextvars.copy_context`) are outside of it.
    """
    for name, value in (("session", session), ("request_id", request_id)):
        if value is not None and not _HEADER_VALUE.fullmatch(value):
            raise WeirConfigError(f"{name} must be 1 to 256 printable ASCII characters without blanks")
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
        _current.reset(token)


def current_context() -> Context:
    """What `weir_context` says here."""
    return _current.get()


def call_headers(config: Config, attempt: int, request_id: str | None) -> list[tuple[str, str]]:
    """Headers that tell Weir what is known about a call beside the call itself."""
    context = _current.get()
    metadata = {**config.metadata, **context.metadata}
    if attempt > 0:
        metadata["attempt"] = attempt
    headers: list[tuple[str, str]] = []
    if metadata:
        headers.append(("X-Service-Metadata", encoded_metadata(metadata)))
    session = context.session or config.session
    if session is not None:
        headers.append(("X-Service-Session", session))
    asked = context.request_id or request_id
    if asked is not None and _HEADER_VALUE.fullmatch(asked):
        headers.append(("X-Request-Id", asked))
    return headers


def encoded_metadata(metadata: Mapping[str, Any]) -> str:
    """As ASCII, so that no header coding can be in doubt."""
    try:
        return json.dumps(dict(metadata), separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        # Without the cause: its text may quote the value.
        raise WeirConfigError(f"metadata cannot be written as JSON ({type(error).__name__})") from None
