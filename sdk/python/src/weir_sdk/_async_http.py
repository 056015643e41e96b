"""HTTP to Weir from event loops: the guarded client's HTTP library, with one client per loop.

The connections of a loop are closed when the loop ends, so that a program with several consecutive
loops keeps no connections of earlier loops open.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from dataclasses import dataclass, field
from typing import Any, AsyncGenerator, Callable, TypeVar

from ._http import MOST_BYTES, USER_AGENT, Fault, Headers, Http, Opened, Reply, fault_of
from ._libraries import any_library

T = TypeVar("T")
#: The size from which a server may answer before it has read the whole body.
_LARGE_BYTES = 64 * 1024


@dataclass
class _OfLoop:
    """The HTTP clients of one loop, by library."""

    clients: dict[str, Any] = field(default_factory=dict)
    #: A generator that is suspended until the loop closes; its end closes the clients.
    ending: AsyncGenerator[None, None] | None = None


#: Objects that a child process inherited from its parent. They are kept, because collecting one of
#: their generators would end it on the parent's loop.
_OF_PARENTS: list[object] = []


class AsyncHttp:
    """Sends requests in any event loop of asyncio or trio.

    If neither httpx nor httpx2 is installed, requests are sent in threads of asyncio.
    """

    def __init__(self, base_url: str, in_threads: Http) -> None:
        self._base_url = base_url
        self._in_threads = in_threads
        self._loops: weakref.WeakKeyDictionary[Any, _OfLoop] = weakref.WeakKeyDictionary()

    def forget(self) -> None:
        """Drops what a child process must not share with its parent."""
        self._in_threads.forget()
        for of_loop in self._loops.values():
            of_loop.clients.clear()
        _OF_PARENTS.append(self._loops)
        self._loops = weakref.WeakKeyDictionary()

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
        """Sends one request; `deadline` is a time of `time.monotonic`.

        :raises Fault: when there is no response
        """
        library = library or any_library()
        if library is None:
            return await asyncio.to_thread(
                self._in_threads.send, method, path, headers, body, deadline, repeatable=repeatable
            )
        import anyio

        client = await self._client(library)
        try:
            with anyio.fail_after(max(0.0, deadline - time.monotonic())):
                try:
                    return await self._exchanged(client, method, path, headers, body)
                except (library.ReadError, library.WriteError, library.RemoteProtocolError):
                    if not repeatable or len(body or b"") < _LARGE_BYTES:
                        raise
                    # Weir may have refused the body before it had read it. Event loops drop such an answer when they
                    # fail to write the rest; a thread reads it.
                    return await in_thread(self._in_threads.send, method, path, headers, body, deadline)
        except TimeoutError:
            raise Fault("late", "Weir did not answer in time") from None
        except library.TimeoutException:
            raise Fault("late", "Weir did not answer in time") from None
        except (library.RemoteProtocolError, library.DecodingError):
            raise Fault("garbage", "Weir sent an invalid HTTP response") from None
        except library.HTTPError as error:
            raise Fault("unreachable", f"Weir could not be reached ({type(error).__name__})") from None
        except Exception as error:
            raise fault_of(error) from None

    async def open(self, method: str, path: str, headers: Headers, seconds: float) -> AsyncOpened:
        """Sends a request whose response is read in chunks; `seconds` is the timeout of a chunk.

        It reads in threads, which needs no HTTP library: files and streams of events are few.

        :raises Fault: when there is no response
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

    async def _client(self, library: Any) -> Any:
        clients = (await self._of_this_loop()).clients
        if library.__name__ not in clients:
            origin = self._in_threads.origin
            transport = library.AsyncHTTPTransport(
                # TLS settings and proxy are those of sync requests, which the library would choose differently.
                verify=origin.context(),
                proxy=None if origin.proxy is None else library.Proxy(origin.proxy),
                limits=library.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30),
            )
            clients[library.__name__] = library.AsyncClient(
                transport=transport,
                # Only the deadline limits the time.
                timeout=None,
                headers={"User-Agent": USER_AGENT},
                trust_env=False,
            )
        return clients[library.__name__]

    async def _of_this_loop(self) -> _OfLoop:
        loop = _loop()
        found = self._loops.get(loop)
        if found is None:
            self._drop_closed_loops()
            found = self._loops[loop] = _OfLoop()
            found.ending = self._until_it_ends(loop, found)
            await found.ending.__anext__()
        return found

    async def _until_it_ends(self, loop: Any, of_loop: _OfLoop) -> AsyncGenerator[None, None]:
        """Closes the clients of a loop when it ends.

        Before they close, loops of asyncio and trio end all suspended generators and wait for them.
        """
        try:
            yield
        finally:
            if self._loops.get(loop) is of_loop:
                del self._loops[loop]
            while of_loop.clients:
                await of_loop.clients.popitem()[1].aclose()

    def _drop_closed_loops(self) -> None:
        """Drops loops that were closed without ending their generators.

        Otherwise their open connections would keep them in memory forever.
        """
        # A list of references is made at once, while other threads may add their loops.
        for reference in self._loops.keyrefs():
            loop = reference()
            if getattr(loop, "is_closed", bool)():
                self._loops.pop(loop, None)

    async def close(self) -> None:
        """Closes the connections of the current loop."""
        of_loop = self._loops.get(_loop())
        if of_loop is not None and of_loop.ending is not None:
            await of_loop.ending.aclose()


class AsyncOpened:
    """A response that is read in chunks."""

    def __init__(self, opened: Opened) -> None:
        self.status = opened.status
        self.headers = opened.headers
        self._opened = opened

    async def read(self) -> bytes:
        """The bytes that are available, at least one; empty only at the end."""
        try:
            return await in_thread(self._opened.read)
        except BaseException:
            # This also happens when the task is cancelled: closing the connection ends the thread.
            self._opened.interrupt()
            raise

    async def close(self) -> None:
        await in_thread(self._opened.close)


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Runs a function in a thread of asyncio or trio."""
    if any_library() is None:
        return await asyncio.to_thread(function, *arguments)
    import anyio.to_thread

    return await anyio.to_thread.run_sync(function, *arguments, abandon_on_cancel=True)


async def pause(seconds: float) -> None:
    """Sleeps in asyncio or trio; without httpx and httpx2 there is no anyio, so only in asyncio."""
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
