"""The lines of a file or stream, whatever chunks it arrives in."""

from __future__ import annotations

from typing import Any, AsyncIterator, Iterator

import pytest

from support.both import each
from weir_sdk._api_download import AsyncDownload, Download

TEXT = "first\r\n\nthird\rfourth: é\n\r\nlast"
LINES = ["first", "", "third", "fourth: é", "", "last"]


class OfChunks(Download):
    """A download of these chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks


class AsyncOfChunks(AsyncDownload):
    """A download of these chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


both = pytest.mark.parametrize("kind", [OfChunks, AsyncOfChunks], ids=["sync", "async"])


@both
@pytest.mark.parametrize("size", range(1, 12))
async def test_lines_do_not_depend_on_the_chunks(kind: Any, size: int) -> None:
    raw = TEXT.encode()
    chunks = (raw[start : start + size] for start in range(0, len(raw), size))
    assert await each(kind(chunks).lines()) == LINES


@both
@pytest.mark.parametrize(
    ("raw", "lines"), [(b"", []), (b"a\n", ["a"]), (b"a\r", ["a"]), (b"\r", [""]), (b"a\r\r", ["a", ""])]
)
async def test_the_last_line_may_have_a_line_end(kind: Any, raw: bytes, lines: list[str]) -> None:
    assert await each(kind(iter([raw])).lines()) == lines


@both
async def test_a_line_of_many_chunks_is_not_scanned_again_with_each_chunk(kind: Any) -> None:
    # Searching the whole line again for each chunk would read 80 GB.
    chunks = iter([b"x" * 4096] * 6400 + [b"\nlast"])
    first, last = await each(kind(chunks).lines())
    assert (len(first), last) == (6400 * 4096, "last")
