"""HTTP to Weir: a pool of connections, and a deadline for each whole exchange.

The standard library's client is used because it costs a fraction of a call through httpx, and
because the deadline has to limit all reads together: a client with a timeout for each read waits
forever for a server that sends a byte per second.
"""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Sequence

from ._origin import Origin, left_until
from ._version import VERSION

USER_AGENT = f"weir-sdk-python/{VERSION}"
MOST_BYTES = 64 * 1024 * 1024
_MOST_IDLE = 16

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Reply:
    """A response from Weir."""

    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)


class Fault(Exception):
    """There is no valid response. `kind` is `unreachable`, `late` or `garbage`.

    The message contains nothing of the request.
    """

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        super().__init__(text)


class _TimedSocket:
    """A socket for `http.client`; each operation times out at the deadline."""

    def __init__(self, raw: socket.socket) -> None:
        self.raw = raw
        self.deadline = 0.0
        self._closed = False
        self._readers = 0

    def left(self) -> float:
        return left_until(self.deadline)

    def sendall(self, data: bytes) -> None:
        self.raw.settimeout(self.left())
        self.raw.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        self._readers += 1
        return io.BufferedReader(_TimedReader(self))

    def reader_closed(self) -> None:
        self._readers -= 1
        if self._closed and self._readers <= 0:
            self.raw.close()

    def close(self) -> None:
        """Closes the socket when no reader is open any more.

        `http.client` closes a connection before its last response is read.
        """
        self._closed = True
        if self._readers <= 0:
            self.raw.close()


class _TimedReader(io.RawIOBase):
    def __init__(self, timed: _TimedSocket) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._timed.raw.settimeout(self._timed.left())
        return self._timed.raw.recv_into(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._timed.reader_closed()


class _Connection(http.client.HTTPConnection):
    """A connection with a deadline."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin.host, origin.port)
        self.default_port = 443 if origin.tls else 80
        self._origin = origin
        self.sock: Any = None

    def connect_until(self, deadline: float) -> None:
        raw = self._origin.connected(deadline)
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._origin.has_tunnel:
                raw = self._tunnelled(raw, deadline)
            if self._origin.tls:
                raw.settimeout(left_until(deadline))
                raw = self._origin.context().wrap_socket(raw, server_hostname=self._origin.host)
        except BaseException:
            raw.close()
            raise
        self.sock = _TimedSocket(raw)

    def _tunnelled(self, raw: socket.socket, deadline: float) -> socket.socket:
        raw.settimeout(left_until(deadline))
        target = self._origin.authority
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}", *self._origin.proxy_lines(), "", ""]
        raw.sendall("\r\n".join(lines).encode("latin-1"))
        # Reads single bytes, so that no byte after the proxy's response head is consumed.
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            raw.settimeout(left_until(deadline))
            byte = raw.recv(1)
            if byte == b"" or len(head) > 16384:
                raise Fault("unreachable", "the proxy for Weir sent no valid response")
            head += byte
        if not head.split(b"\r\n", 1)[0].split(b" ")[1:2] == [b"200"]:
            raise Fault("unreachable", "the proxy for Weir refused the connection")
        return raw

    def until(self, deadline: float) -> None:
        self.sock.deadline = deadline

    def stale(self) -> bool:
        """Whether the server has closed the connection, or sent unexpected data."""
        try:
            return bool(select.select([self.sock.raw], [], [], 0)[0])
        except (OSError, ValueError):
            return True


class Opened:
    """A response that is read in chunks."""

    def __init__(
        self, connection: _Connection, timed: _TimedSocket, answer: http.client.HTTPResponse, seconds: float
    ) -> None:
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self._timed = timed
        self._connection = connection
        self._answer = answer
        self._seconds = seconds

    def read(self) -> bytes:
        """The bytes that are available, at least one; empty only at the end.

        :raises Fault: when the response is incomplete
        """
        try:
            self._timed.deadline = time.monotonic() + self._seconds
            piece = self._answer.read1(65536)
            if piece == b"" and self._answer.length:
                raise http.client.IncompleteRead(b"")
            return piece
        except Exception as error:
            self.close()
            raise fault_of(error) from None

    def interrupt(self) -> None:
        """Ends a read in another thread."""
        try:
            self._timed.raw.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


class Http:
    """The connections of one process to Weir. Any thread may send."""

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None) -> None:
        #: Shared with the requests of event loops.
        self.origin = Origin(base_url, ssl_context)
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Drops what a child must not share with its parent; the parent's connections stay open."""
        self._lock = threading.Lock()
        self.origin.forget()
        self.close()

    def send(
        self,
        method: str,
        path: str,
        headers: Headers,
        body: bytes | None,
        deadline: float,
        *,
        repeatable: bool = True,
    ) -> Reply:
        """Sends one request; `deadline` is a time of `time.monotonic`.

        A pooled connection that the server has closed is replaced; a request that is not repeatable
        gets a new connection.

        :raises Fault: when there is no response
        """
        while True:
            connection = self._taken() if repeatable else None
            kept = connection is not None
            try:
                if connection is None:
                    connection = _Connection(self.origin)
                    connection.connect_until(deadline)
                connection.until(deadline)
                reply = self._exchanged(connection, method, path, headers, body)
            except BaseException as error:
                if connection is not None:
                    connection.close()
                if kept and isinstance(error, (ConnectionError, http.client.RemoteDisconnected)):
                    continue
                raise fault_of(error) from None
            return reply

    def open(self, method: str, path: str, headers: Headers, seconds: float) -> Opened:
        """Sends a request whose response is read in chunks; `seconds` is the timeout of a chunk.

        :raises Fault: when there is no response
        """
        connection = _Connection(self.origin)
        try:
            deadline = time.monotonic() + seconds
            connection.connect_until(deadline)
            connection.until(deadline)
            timed = connection.sock
            return Opened(connection, timed, self._asked(connection, method, path, headers, None), seconds)
        except BaseException as error:
            connection.close()
            raise fault_of(error) from None

    def _exchanged(
        self, connection: _Connection, method: str, path: str, headers: Headers, body: bytes | None
    ) -> Reply:
        answer = self._asked(connection, method, path, headers, body)
        content = answer.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Fault("garbage", "Weir's answer is too long")
        if answer.length:
            raise http.client.IncompleteRead(b"")
        if answer.will_close:
            connection.close()
        else:
            # Reads the end of the last chunk, so that the connection can be reused.
            answer.read()
            self._give_back(connection)
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _asked(
        self, connection: _Connection, method: str, path: str, headers: Headers, body: bytes | None
    ) -> http.client.HTTPResponse:
        connection.putrequest(method, self.origin.target(path), skip_accept_encoding=True)
        for name, value in [("User-Agent", USER_AGENT), *self.origin.proxy_headers(), *headers]:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        try:
            connection.endheaders(body if body else None)
        except TimeoutError:
            raise
        except OSError as error:
            return _early_answer(connection, error)
        return connection.getresponse()

    def _taken(self) -> _Connection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if not connection.stale():
                return connection
            connection.close()

    def _give_back(self, connection: _Connection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _early_answer(connection: _Connection, error: OSError) -> http.client.HTTPResponse:
    """The answer of a server that closed the connection before it had read the request.

    Weir does so when a request is too large: this is a refusal, not an outage.
    """
    try:
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException):
        raise error from None
    answer.will_close = True
    return answer


def fault_of(error: BaseException) -> BaseException:
    """The `Fault` for an error, without the message of a library, which may quote the request."""
    if isinstance(error, Fault) or not isinstance(error, Exception):
        return error
    if isinstance(error, TimeoutError):
        return Fault("late", "Weir did not answer in time")
    if isinstance(error, http.client.RemoteDisconnected):
        return Fault("unreachable", "Weir closed the connection without a response")
    if isinstance(error, http.client.HTTPException):
        return Fault("garbage", "Weir sent an invalid HTTP response")
    if isinstance(error, OSError):
        return Fault("unreachable", f"Weir could not be reached ({type(error).__name__})")
    return Fault("garbage", f"The request to Weir failed ({type(error).__name__})")
