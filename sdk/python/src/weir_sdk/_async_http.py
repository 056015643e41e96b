"""HTTP to Weir from event loops: through the library that the guarded client brings, one client for each loop."""

from __future__ import annotations

import asyncio
import ssl
import time
import weakref
from typing import Any, Callable, TypeVar

from ._http import MOST_BYTES, USER_AGENT, Fault, Headers, Http, Opened, Reply
from ._libraries import any_library

T = TypeVar("T")


class AsyncHttp:
    """Sends from any loop, of asyncio or trio. Without httpx and httpx2 it sends from threads of asyncio."""

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None, in_threads: Http) -> None:
        self._base_url = base_url
        self._ssl_context = ssl_context
        self._in_threads = in_threads
        self.forget()

    def forget(self) -> None:
        """Drops what a child process must not share with its parent."""
        self._clients: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    async def send(
        self,
        method: str,
        path: str,
        headers: Headers,
        body: bytes | None,
        deadline: float,
        library: Any = None,
        *,
        repeatable: bool = True,
    ) -> Reply:
        """One exchange until `deadline` (of `time.monotonic`).

        :raises Fault: when there is no answer
        """
        library = library or any_library()
        if library is None:
            return await asyncio.to_thread(
                self._in_threads.send, method, path, headers, body, deadline, repeatable=repeatable
            )
        import anyio

        client = self._client(library)
        try:
            with anyio.fail_after(max(0.0, deadline - time.monotonic())):
                return await self._exchanged(client, method, path, headers, body)
        except TimeoutError:
            raise Fault("late", "Weir did not answer in time") from None
        except library.TimeoutException:
            raise Fault("late", "Weir did not answer in time") from None
        except (library.RemoteProtocolError, library.DecodingError):
            raise Fault("garbage", "Weir answered what is no answer") from None
        except library.HTTPError as error:
            raise Fault("unreachable", f"Weir could not be reached ({type(error).__name__})") from None
        except OSError as error:
            raise Fault("unreachable", f"Weir could not be reached ({type(error).__name__})") from None

    async def open(self, method: str, path: str, headers: Headers, seconds: float) -> AsyncOpened:
        """An exchange whose answer is read piece by piece, with so many seconds for each. It reads in threads: files and
        streams of events are few, and need no HTTP library so.

        :raises Fault: when there is no answer
        """
        return AsyncOpened(await in_thread(self._in_threads.open, method, path, headers, seconds))

    async def _exchanged(self, client: Any, method: str, path: str, headers: Headers, body: bytes | None) -> Reply:
        request = client.build_request(method, self._base_url + path, headers=list(headers), content=body)
        answer = await client.send(request, stream=True)
        try:
            chunks: list[bytes] = []
            size = 0
            async for chunk in answer.aiter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > MOST_BYTES:
                    raise Fault("garbage", "Weir's answer is too long")
        finally:
            await answer.aclose()
        return Reply(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, b"".join(chunks))

    def _client(self, library: Any) -> Any:
        clients = self._clients.setdefault(_loop(), {})
        if library.__name__ not in clients:
            clients[library.__name__] = library.AsyncClient(
                # The deadline alone decides how long.
                timeout=None,
                headers={"User-Agent": USER_AGENT},
                verify=True if self._ssl_context is None else self._ssl_context,
                limits=library.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30),
            )
        return clients[library.__name__]

    async def close(self) -> None:
        """Closes the connections of this loop."""
        for client in self._clients.pop(_loop(), {}).values():
            await client.aclose()


class AsyncOpened:
    """An answer that is read piece by piece."""

    def __init__(self, opened: Opened) -> None:
        self.status = opened.status
        self.headers = opened.headers
        self._opened = opened

    async def read(self) -> bytes:
        """What has come, at least a byte of it; nothing at the end."""
        try:
            return await in_thread(self._opened.read)
        except BaseException:
            # Also when the task is cancelled: its thread ends with the connection.
            self._opened.interrupt()
            raise

    async def close(self) -> None:
        await in_thread(self._opened.close)


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Of asyncio or trio."""
    if any_library() is None:
        return await asyncio.to_thread(function, *arguments)
    import anyio.to_thread

    return await anyio.to_thread.run_sync(function, *arguments, abandon_on_cancel=True)


async def pause(seconds: float) -> None:
    """Of asyncio or trio; without httpx and httpx2 there is no anyio, and the loop is asyncio's."""
    if any_library() is None:
        await asyncio.sleep(seconds)
        return
    import anyio

    await anyio.sleep(seconds)


def _loop() -> Any:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        import trio  # type: ignore[import-not-found,unused-ignore]

        return trio.lowlevel.current_trio_token()
