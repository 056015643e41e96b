"""Weir's address, the proxy of the environment for it, and connections to either."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import ssl
import threading
import time
import urllib.request
from itertools import zip_longest
from typing import Any, Sequence, cast
from urllib.parse import unquote, urlsplit

from ._errors import WeirConfigError

#: One address, as `socket.getaddrinfo` returns it.
Address = tuple[Any, ...]

_KEPT_SECONDS = 10.0
#: The time after which the next address is tried as well: https://www.rfc-editor.org/rfc/rfc8305
_HEAD_START_SECONDS = 0.25
_BEGUN = (0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY)


def left_until(deadline: float) -> float:
    """The seconds until a deadline.

    :raises TimeoutError: when there are none
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class Origin:
    """Weir's address, and the proxy of the environment for it."""

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None) -> None:
        parts = urlsplit(base_url)
        self.tls = parts.scheme == "https"
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if self.tls else 80)
        self.path = parts.path.rstrip("/")
        self._context = ssl_context
        #: The URL of the proxy, which may contain its password.
        self.proxy = _proxy_of(parts.scheme, self.host, self.authority)
        self._through = None if self.proxy is None else urlsplit(self.proxy)
        reached_at = self.host, self.port
        if self._through is not None:
            reached_at = self._through.hostname or "", self._through.port or 80
        self._addresses = _Addresses(*reached_at)

    @property
    def has_tunnel(self) -> bool:
        """Whether a proxy connects to Weir without reading what is sent."""
        return self.tls and self._through is not None

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def connected(self, deadline: float) -> socket.socket:
        """A connection to Weir or to the proxy."""
        try:
            return _first_connected(self._addresses.known(deadline), deadline)
        except OSError:
            # The host may have moved.
            self._addresses.expire()
            raise

    def context(self) -> ssl.SSLContext:
        """The TLS settings, which sync and async requests share."""
        if self._context is None:
            self._context = ssl.create_default_context()
        return self._context

    def target(self, path: str) -> str:
        if self._through is None or self.tls:
            return self.path + path
        return f"http://{self.authority}{self.path}{path}"

    def proxy_lines(self) -> list[str]:
        if self._through is None or self._through.username is None:
            return []
        import base64

        pair = f"{unquote(self._through.username)}:{unquote(self._through.password or '')}".encode()
        return [f"Proxy-Authorization: Basic {base64.b64encode(pair).decode()}"]

    def proxy_headers(self) -> list[tuple[str, str]]:
        if self.tls:
            return []
        return [("Proxy-Authorization", line.split(": ", 1)[1]) for line in self.proxy_lines()]

    def forget(self) -> None:
        """Drops what a child must not share with its parent."""
        self._addresses.forget()


def _proxy_of(scheme: str, host: str, authority: str) -> str | None:
    """The proxy of the environment for a host; `NO_PROXY` may name the host alone or with its port."""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if proxy is None or any(map(urllib.request.proxy_bypass, (host, authority))):
        return None
    url = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        # Without the address, which may contain a password.
        raise WeirConfigError(
            f"the proxy that the environment names for {scheme} addresses is not an http:// proxy, so Weir cannot be reached"
            " through it: set another one, or add Weir's host to NO_PROXY"
        )
    return url


class _Addresses:
    """The addresses of a host.

    A thread looks them up, because a lookup has no time limit. All callers wait for the same lookup,
    each until its own deadline.
    """

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        try:
            self._numeric = self._looked_up(socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            self._numeric = []
        self.forget()

    def forget(self) -> None:
        """Starts anew in a child process, in which the thread of a lookup does not run."""
        self._changed = threading.Condition()
        self._is_looking = False
        self._found: list[Address] = []
        self._problem: Exception | None = None
        self._kept_until = 0.0

    def expire(self) -> None:
        with self._changed:
            self._kept_until = 0.0

    def known(self, deadline: float) -> list[Address]:
        if self._numeric:
            return self._numeric
        with self._changed:
            if time.monotonic() >= self._kept_until:
                self._look_beside()
                if not self._changed.wait_for(lambda: not self._is_looking, left_until(deadline)):
                    raise TimeoutError
                if self._problem is not None:
                    raise self._problem
            return self._found

    def _look_beside(self) -> None:
        if self._is_looking:
            return
        self._is_looking = True
        try:
            threading.Thread(target=self._look, name="weir-lookup", daemon=True).start()
        except RuntimeError:
            # No thread can be started, for example while the process ends.
            self._look()

    def _look(self) -> None:
        found: list[Address] = []
        problem: Exception | None = None
        try:
            found = self._looked_up()
        except Exception as error:
            problem = error
        with self._changed:
            self._found, self._problem, self._is_looking = found, problem, False
            self._kept_until = time.monotonic() + _KEPT_SECONDS if found else 0.0
            self._changed.notify_all()

    def _looked_up(self, flags: int = 0) -> list[Address]:
        return list(socket.getaddrinfo(self._host, self._port, 0, socket.SOCK_STREAM, 0, flags))


def _first_connected(addresses: Sequence[Address], deadline: float) -> socket.socket:
    """A connection to the address that accepts first.

    Each address has a head start, but not the whole time: the first one may never answer.
    """
    waiting = _by_turns(addresses)
    problem = OSError("no address")
    with selectors.DefaultSelector() as opening:
        try:
            starts_at = 0.0
            while waiting or opening.get_map():
                pause = left_until(deadline)
                now = time.monotonic()
                if waiting and now >= starts_at:
                    begun = _begun(waiting.pop(0))
                    if isinstance(begun, OSError):
                        problem = begun
                        continue
                    opening.register(begun, selectors.EVENT_WRITE)
                    starts_at = now + _HEAD_START_SECONDS
                if waiting:
                    pause = min(pause, starts_at - now)
                for key, _ in opening.select(pause):
                    raw = cast(socket.socket, key.fileobj)
                    opening.unregister(raw)
                    code = raw.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if code == 0:
                        return raw
                    raw.close()
                    problem = OSError(code, os.strerror(code))
                    starts_at = 0.0
        finally:
            for key in list(opening.get_map().values()):
                cast(socket.socket, key.fileobj).close()
    raise problem


def _by_turns(addresses: Sequence[Address]) -> list[Address]:
    """The addresses with their families alternating, because often a whole family is unreachable."""
    first = [each for each in addresses if each[0] == addresses[0][0]]
    others = [each for each in addresses if each[0] != addresses[0][0]]
    return [each for pair in zip_longest(first, others) for each in pair if each is not None]


def _begun(address: Address) -> socket.socket | OSError:
    """A socket that is connecting, or the reason why it is not."""
    family, kind, protocol, _, where = address
    try:
        raw = socket.socket(family, kind, protocol)
    except OSError as error:
        return error
    raw.setblocking(False)
    code = raw.connect_ex(where)
    if code in _BEGUN:
        return raw
    raw.close()
    return OSError(code, os.strerror(code))
