"""Responses of the API that are read in chunks: files, and streams of events.

For threads and for event loops.
"""

from __future__ import annotations

import re
from typing import AsyncIterator, Iterator, Mapping, TypeVar

from ._async_http import AsyncOpened
from ._errors import WeirConnectionError
from ._http import Fault, Opened

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")

S = TypeVar("S", bound="Download")
A = TypeVar("A", bound="AsyncDownload")


class _Lines:
    """Splits chunks into lines. The parts of a long line are joined once, when its end has arrived."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        #: A carriage return at the end of a chunk: a line feed after it belongs to the same line end.
        self._return = b""

    def add(self, chunk: bytes) -> list[str]:
        """The lines that end in this chunk."""
        *whole, left = _LINE_END.split(self._return + chunk)
        self._return = left[-1:] if left.endswith(b"\r") else b""
        if whole:
            whole[0] = b"".join((*self._parts, whole[0]))
            self._parts.clear()
        self._parts.append(left.removesuffix(b"\r"))
        return [line.decode() for line in whole]

    def end(self) -> list[str]:
        """The last line, if it has no line end."""
        last = b"".join(self._parts)
        return [last.decode()] if last + self._return else []


class Download:
    """A file or a stream of events.

    Read the whole response, or read it in chunks or lines. Close a response that is not read to its
    end.
    """

    def __init__(self, opened: Opened) -> None:
        self.headers: Mapping[str, str] = opened.headers
        self._opened = opened

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    def __iter__(self) -> Iterator[bytes]:
        while True:
            try:
                piece = self._opened.read()
            except Fault as fault:
                problem = str(fault)
                break
            if piece == b"":
                self.close()
                return
            yield piece
        raise WeirConnectionError(problem)

    def read(self) -> bytes:
        return b"".join(self)

    def lines(self) -> Iterator[str]:
        """Lines without line endings, for example of NDJSON or `text/event-stream`."""
        lines = _Lines()
        for piece in self:
            yield from lines.add(piece)
        yield from lines.end()

    def close(self) -> None:
        self._opened.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncDownload:
    """`Download` for event loops."""

    def __init__(self, opened: AsyncOpened) -> None:
        self.headers: Mapping[str, str] = opened.headers
        self._opened = opened

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            try:
                piece = await self._opened.read()
            except Fault as fault:
                problem = str(fault)
                break
            if piece == b"":
                await self.close()
                return
            yield piece
        raise WeirConnectionError(problem)

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self])

    async def lines(self) -> AsyncIterator[str]:
        """Lines without line endings, for example of NDJSON or `text/event-stream`."""
        lines = _Lines()
        async for piece in self:
            for line in lines.add(piece):
                yield line
        for line in lines.end():
            yield line

    async def close(self) -> None:
        await self._opened.close()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
