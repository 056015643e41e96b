"""A client of Weir's own API: `WeirApi` for threads, `AsyncWeirApi` for event loops."""

from __future__ import annotations

import os
import ssl
from typing import TypeVar

from ._api_async_groups import AsyncGroups
from ._api_client import ApiSettings, AsyncSender, Sender
from ._api_groups import Groups
from ._config import checked_key, checked_number, checked_url

S = TypeVar("S", bound="WeirApi")
A = TypeVar("A", bound="AsyncWeirApi")


def _settings(
    base_url: str | None,
    token: str | None,
    api_key: str | None,
    timeout_ms: float,
    max_retries: int,
    ssl_context: ssl.SSLContext | None,
) -> ApiSettings:
    checked_number("timeout_ms", timeout_ms, 1)
    checked_number("max_retries", max_retries, 0)
    return ApiSettings(
        checked_url(base_url or os.environ.get("WEIR_BASE_URL") or "http://localhost:8080"),
        {
            "management_token": checked_key("token", token or os.environ.get("WEIR_TOKEN") or None),
            "service_key": checked_key("api_key", api_key or os.environ.get("WEIR_API_KEY") or None),
        },
        timeout_ms,
        max_retries,
        ssl_context,
    )


class WeirApi(Groups):
    """The whole API, grouped by subject: `WeirApi().events.list(decision=["block"])`.

    A missing credential is reported only when an operation needs it. `timeout_ms` is the timeout of
    one request, `max_retries` the number of retries of a request that may be repeated, after 429,
    5xx and broken connections.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        token: str | None = None,
        api_key: str | None = None,
        timeout_ms: float = 30_000,
        max_retries: int = 2,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._sender = Sender(_settings(base_url, token, api_key, timeout_ms, max_retries, ssl_context))
        super().__init__(self._sender)

    def close(self) -> None:
        """Closes idle connections."""
        self._sender.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"WeirApi(base_url={self._sender.settings.base_url!r})"


class AsyncWeirApi(AsyncGroups):
    """`WeirApi` for event loops: `await AsyncWeirApi().events.list(decision=["block"])`."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        token: str | None = None,
        api_key: str | None = None,
        timeout_ms: float = 30_000,
        max_retries: int = 2,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._sender = AsyncSender(_settings(base_url, token, api_key, timeout_ms, max_retries, ssl_context))
        super().__init__(self._sender)

    async def close(self) -> None:
        """Closes idle connections of the current event loop."""
        await self._sender.close()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncWeirApi(base_url={self._sender.settings.base_url!r})"
