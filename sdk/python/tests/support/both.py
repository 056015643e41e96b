"""Helpers for test cases that are written once for sync and async clients."""

from __future__ import annotations

import inspect
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator


async def go(value: Any) -> Any:
    """The value, awaited if it is of an async client."""
    return await value if inspect.isawaitable(value) else value


async def each(stream: Any, most: int | None = None) -> list[Any]:
    """The items of a stream, at most `most`."""
    found: list[Any] = []
    if hasattr(stream, "__aiter__"):
        async for item in stream:
            found.append(item)
            if len(found) == most:
                break
    else:
        for item in stream:
            found.append(item)
            if len(found) == most:
                break
    return found


@asynccontextmanager
async def within(manager: Any) -> AsyncIterator[Any]:
    """Enters a sync or an async context manager."""
    if hasattr(manager, "__aenter__"):
        async with manager as entered:
            yield entered
    else:
        with manager as entered:
            yield entered


def shown(value: Any) -> Any:
    """A result in a comparable form."""
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return value


async def outcome(call: Any) -> tuple[str, Any]:
    """The outcome of a call: its result, or class, message, status and body of its error."""
    try:
        return "result", shown(await call)
    except Exception as error:
        return type(error).__module__ + "." + type(error).__qualname__, (
            str(error),
            *(shown(getattr(error, name, None)) for name in ("status_code", "body", "code", "status", "details", "request_id")),
            type(error.__cause__).__qualname__,
        )
