"""Everything that is read from the inside of other packages' clients, checked before a client is guarded."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any, Callable
from urllib.parse import urlsplit

from ._attempt import Guarded
from ._config import Config
from ._core import Core
from ._errors import WeirConfigError
from ._libraries import library_of
from ._transport import transport_classes

_SIGNING = ("Bedrock", "Vertex", "AWS", "Foundry")


def guarded_client(client: Any, core: Core, config: Config) -> Any:
    """A copy of a provider's client that asks Weir; the client itself is untouched."""
    package = type(client).__module__.partition(".")[0]
    http = getattr(client, "_client", None)
    library = library_of(http)
    if package not in ("openai", "anthropic") or not callable(getattr(client, "copy", None)) or library is None:
        raise WeirConfigError(
            f"a {type(client).__module__}.{type(client).__qualname__} cannot be guarded;"
            " make a google.genai.Client with http_options=weir_genai_http_options(),"
            " and give weir_http_client() or weir_transport() to what takes an HTTP client"
        )
    if any(name in type(client).__name__ for name in _SIGNING) or getattr(client, "_provider", None) is not None:
        raise WeirConfigError(f"{type(client).__name__} signs its requests and cannot be guarded yet")
    return _guarded(client, core, config, package)


def _guarded(client: Any, core: Core, config: Config, package: str) -> Any:
    base = urlsplit(str(client.base_url))
    guarded = Guarded(core, config, provider=package, style=package, base_path=base.path)
    own = guarded_http(client._client, guarded)
    options: dict[str, Any] = {"http_client": own}
    if config.via == "proxy":
        options["base_url"] = f"{config.base_url}/proxy/{config.provider or package}{base.path.rstrip('/')}"
    copied = type(client).copy(client, **options)
    if getattr(copied, "_client", None) is not own:
        raise WeirConfigError(f"{type(client).__name__} did not take the guarded HTTP client")
    _keep_guarded(copied, core, config, package)
    return copied


def _keep_guarded(client: Any, core: Core, config: Config, package: str) -> None:
    """Copies of the copy stay guarded, those with an HTTP client of their own, too."""

    def copied(**options: Any) -> Any:
        made = type(client).copy(client, **options)
        if not is_guarded(made._client):
            return _guarded(made, core, config, package)
        _keep_guarded(made, core, config, package)
        return made

    client.copy = client.with_options = copied
    if hasattr(client, "websocket_base_url") and config.unknown_routes == "refuse":
        client.websocket_base_url = _NoWebSockets()


class _NoWebSockets:
    """Stands where the address of WebSockets is looked up: they do not pass the HTTP client, so nobody would guard them."""

    def __repr__(self) -> str:
        return "Weir does not guard WebSockets; unknown_routes='log' lets them go on unguarded"

    __str__ = __repr__


def is_guarded(http: object) -> bool:
    return getattr(http, "_weir_original", None) is not None


def guarded_http(http: Any, guarded: Guarded) -> Any:
    """A copy of an HTTP client with the same pool, proxies, hooks, limits, cookies and credentials, that asks Weir."""
    library = library_of(http)
    if library is None or not isinstance(http, (library.Client, library.AsyncClient)):
        raise WeirConfigError("weir_http_client() takes a Client or AsyncClient of httpx or httpx2")
    # Guarded already: the new options take the place of the old ones, and Weir is asked once.
    original = getattr(http, "_weir_original", http)
    if not hasattr(original, "_transport") or not isinstance(getattr(original, "_mounts", None), dict):
        raise WeirConfigError(f"{library.__name__} {library.__version__} is not laid out as this version of weir_sdk knows it")
    made = copy.copy(original)
    kind: Any = type(original)
    made.__class__ = _without_finaliser(kind)
    made._weir_original = original
    wrap = _wrapper(library, isinstance(http, library.Client), guarded, original)
    made._transport = wrap(original._transport)
    made._mounts = {
        pattern: None if transport is None else wrap(transport) for pattern, transport in original._mounts.items()
    }
    return made


def _wrapper(library: Any, is_sync: bool, guarded: Guarded, kept: Any) -> Callable[[Any], Any]:
    sync_class, async_class = transport_classes(library)
    chosen = sync_class if is_sync else async_class
    return lambda inner: chosen(guarded, inner, kept)


@lru_cache(maxsize=None)
def _without_finaliser(kind: Any) -> type[Any]:
    """The same class, but collecting the copy must not close the pool that the original goes on using."""
    return type(
        kind.__name__, (kind,), {"__del__": lambda self: None, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    )
