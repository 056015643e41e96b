"""Google's client takes its HTTP clients as an option, and has no copies: it is guarded when it is made."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ._attempt import Guarded
from ._clients import guarded_http
from ._config import Config, WeirOptions, config_of
from ._core import Core, core_of
from ._errors import WeirConfigError
from ._libraries import any_library, library_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


def weir_genai_http_options(http_options: Any = None, **options: Unpack[WeirOptions]) -> Any:
    """`genai.Client(http_options=weir_genai_http_options())`: a client of Google that asks Weir, sync and async alike.

    `http_options` of your own are kept; HTTP clients in them are guarded.
    """
    config = config_of(options)
    from google.genai import types  # type: ignore[import-not-found,import-untyped,unused-ignore]

    given = types.HttpOptions.model_validate(http_options or {})
    if getattr(given, "aiohttp_client", None) is not None:
        raise WeirConfigError("aiohttp_client would go past Weir; leave it out, or send it through the proxy")
    core = core_of(config)
    library = library_of(given.httpx_client) or library_of(given.httpx_async_client) or any_library()
    guarded: dict[str, Any] = {}
    # Both, always: without an async one, async calls could go through aiohttp, which nobody would guard.
    for name, kind, arguments in (
        ("httpx_client", library.Client, given.client_args),
        ("httpx_async_client", library.AsyncClient, given.async_client_args),
    ):
        own = getattr(given, name) or kind(follow_redirects=True, timeout=None, **(arguments or {}))
        guarded[name] = _asking(own, core, config)
    if config.via == "proxy":
        path = urlsplit(given.base_url or "").path.rstrip("/")
        guarded["base_url"] = f"{config.base_url}/proxy/{config.provider or 'gemini'}{path}"
    # What is left of these arguments, beside a client that is handed in, goes to WebSockets alone.
    guarded["async_client_args"] = {**(given.async_client_args or {}), "ssl": _NoWebSockets(ssl.PROTOCOL_TLS_CLIENT)}
    return given.model_copy(update=guarded)


def _asking(http: Any, core: Core, config: Config) -> Any:
    return guarded_http(http, Guarded(core, config, provider=config.provider or "gemini", style="gemini"))


class _NoWebSockets(ssl.SSLContext):
    """Stands where Live looks for what encrypts its WebSocket: that would not pass the HTTP clients, so nobody would guard it."""

    def wrap_bio(self, *_: Any, **__: Any) -> Any:
        raise WeirConfigError("Weir does not guard WebSockets: a client that is not guarded opens them")
