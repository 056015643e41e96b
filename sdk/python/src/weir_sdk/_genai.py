"""The guard for Google's client, which is guarded by its options because it cannot be copied."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

from ._attempt import Guarded
from ._clients import guarded_http
from ._config import Config, WeirOptions, config_of
from ._core import Core, core_of
from ._errors import WeirConfigError
from ._libraries import any_library, library_of
from ._routes import proxied_url

if TYPE_CHECKING:
    from typing_extensions import Unpack


def weir_genai_http_options(http_options: Any = None, **options: Unpack[WeirOptions]) -> Any:
    """Options with which a client of Google asks Weir before sync and async calls.

    Use: `genai.Client(http_options=weir_genai_http_options())`. Your own `http_options` are kept;
    HTTP clients in them are guarded.
    """
    config = config_of(options)
    from google.genai import types  # type: ignore[import-not-found,import-untyped,unused-ignore]

    given = types.HttpOptions.model_validate(http_options or {})
    if getattr(given, "aiohttp_client", None) is not None:
        raise WeirConfigError("aiohttp_client would bypass Weir; omit it, or send its calls through the proxy")
    core = core_of(config)
    library = library_of(given.httpx_client) or library_of(given.httpx_async_client) or any_library()
    guarded: dict[str, Any] = {}
    # Both clients are always set: without an async client, async calls could use aiohttp, which is
    # not guarded.
    for name, kind, arguments in (
        ("httpx_client", library.Client, given.client_args),
        ("httpx_async_client", library.AsyncClient, given.async_client_args),
    ):
        own = getattr(given, name) or kind(follow_redirects=True, timeout=None, **(arguments or {}))
        guarded[name] = _asking(own, core, config)
    if config.via == "proxy":
        guarded["base_url"] = proxied_url(config.base_url, config.provider or "gemini", given.base_url or "")
    # If an HTTP client is given, Google's client uses these arguments only for WebSockets.
    guarded["async_client_args"] = {**(given.async_client_args or {}), "ssl": _NoWebSockets(ssl.PROTOCOL_TLS_CLIENT)}
    return given.model_copy(update=guarded)


def _asking(http: Any, core: Core, config: Config) -> Any:
    return guarded_http(http, Guarded(core, config, provider=config.provider or "gemini", style="gemini"))


class _NoWebSockets(ssl.SSLContext):
    """Replaces the TLS context of Live's WebSocket, which would bypass the guarded HTTP clients."""

    def wrap_bio(self, *_: Any, **__: Any) -> Any:
        raise WeirConfigError("Weir does not guard WebSockets: use an unguarded client for them")
