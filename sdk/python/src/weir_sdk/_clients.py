"""Access to internals of other packages' clients, checked before a client is guarded."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import lru_cache
from typing import Any, Callable
from urllib.parse import urlsplit

from ._asking import Verdict
from ._attempt import JUDGED, Guarded, Judged, decided, has_body, question_of, refusal_response, without_sending
from ._config import Config
from ._core import Core
from ._errors import WeirConfigError
from ._libraries import library_of
from ._routes import proxied_url
from ._transport import transport_classes

#: Parts of the class names of clients that sign or rewrite their requests after building them.
_SIGNING = ("Bedrock", "AWS")
#: Parts of the class names of clients whose requests the proxy cannot forward.
_CLOUDS = (*_SIGNING, "Vertex", "Foundry", "GoogleCloud")


_PACKAGES = ("openai", "anthropic")


def _package(kind: type[Any]) -> str:
    return kind.__module__.partition(".")[0]


def guarded_client(client: Any, core: Core, config: Config) -> Any:
    """A copy of a provider's client that asks Weir; the client itself is not changed."""
    package = next((name for name in map(_package, type(client).__mro__) if name in _PACKAGES), None)
    http = getattr(client, "_client", None)
    library = library_of(http)
    if package is None or not callable(getattr(client, "copy", None)) or library is None:
        raise WeirConfigError(
            f"a {type(client).__module__}.{type(client).__qualname__} cannot be guarded;"
            " create a google.genai.Client with http_options=weir_genai_http_options(),"
            " and pass weir_http_client() or weir_transport() to other clients that accept an HTTP client"
        )
    if config.via == "proxy" and _is_any(client, _CLOUDS):
        raise WeirConfigError(f"the proxy does not support clients of type {type(client).__name__}: use via 'calls'")
    return _guarded(client, core, config, package)


def _guarded(client: Any, core: Core, config: Config, package: str) -> Any:
    base_url = _unproxied_url(client)
    guarded = Guarded(core, config, provider=package, style=package, base_path=urlsplit(base_url).path)
    own = guarded_http(client._client, guarded)
    options: dict[str, Any] = {"http_client": own}
    reached = base_url if config.via == "calls" else proxied_url(config.base_url, config.provider or package, base_url)
    if reached != str(client.base_url):
        options["base_url"] = reached
    copied = type(client).copy(client, **options)
    if getattr(copied, "_client", None) is not own:
        raise WeirConfigError(f"{type(client).__name__} did not accept the guarded HTTP client")
    _keep_guarded(copied, guarded, package, (reached.rstrip("/"), base_url.rstrip("/")))
    return copied


def _unproxied_url(client: Any) -> str:
    """The base URL of a client without Weir's proxy, which an earlier guard may have put there."""
    current = str(client.base_url)
    base_urls: tuple[str, str] = getattr(client, "_weir_base_urls", (current, current))
    reached, own = base_urls
    return own + current[len(reached) :] if current.startswith(reached) else current


def _is_any(client: Any, names: tuple[str, ...]) -> bool:
    """Whether a client is one of `names`.

    Newer clients of OpenAI have a `_provider` instead of a class for each cloud.
    """
    kinds = [kind.__name__ for kind in type(client).__mro__]
    return any(name in kind for name in names for kind in kinds) or getattr(client, "_provider", None) is not None


def _judge_before_signing(client: Any, guarded: Guarded, library: Any) -> None:
    """Asks Weir before the client signs: a signature covers the body, which Weir may change.

    The client's transport then only reports.
    """
    names = ("_prepare_request", "_make_status_error_from_response")
    if not all(callable(getattr(client, name, None)) for name in names):
        raise WeirConfigError(f"this version of weir_sdk cannot judge {type(client).__name__} requests before they are signed")

    signs: Any = client._prepare_request
    raised: Any = client._make_status_error_from_response

    def put(request: Any, body: bytes, question: Any, verdict: Verdict) -> None:
        sent, verdict = decided(library, request, question, verdict)
        if verdict.kind == "refuse":
            if verdict.unsent:
                without_sending(guarded, verdict.outcome)
            # Clients that sign raise an error here. They get no canned answer, because they read
            # the response formats of their clouds.
            response = refusal_response(library, request, replace(verdict, answer=None))
            raise raised(response)
        if sent is not request:
            body = sent.read()
            request.headers = sent.headers
            request.stream = sent.stream
            request._content = body
        request.extensions = {**request.extensions, JUDGED: Judged(verdict.outcome, body)}

    def not_signed(request: Any) -> None:
        without_sending(guarded, request.extensions[JUDGED].outcome)

    if isinstance(client._client, library.Client):

        def prepared(request: Any, *more: Any, **named: Any) -> Any:
            body = request.read() if has_body(request) else b""
            if not body:
                return signs(request, *more, **named)
            question = question_of(guarded, request, body)
            put(request, body, question, guarded.core.ask(guarded.config, question))
            try:
                return signs(request, *more, **named)
            except BaseException:
                not_signed(request)
                raise

        client._prepare_request = prepared
        return

    async def prepared_async(request: Any, *more: Any, **named: Any) -> Any:
        body = await request.aread() if has_body(request) else b""
        if not body:
            return await signs(request, *more, **named)
        question = question_of(guarded, request, body)
        put(request, body, question, await guarded.core.ask_async(guarded.config, question, library))
        try:
            return await signs(request, *more, **named)
        except BaseException:
            not_signed(request)
            raise

    client._prepare_request = prepared_async


def _keep_guarded(client: Any, guarded: Guarded, package: str, base_urls: tuple[str, str]) -> None:
    """Completes a client with the guarded HTTP client, and likewise its copies, even those with their own HTTP client.

    :param base_urls: the base URL that the guard has set, and the client's own
    """
    client._weir_base_urls = base_urls
    if _is_any(client, _SIGNING):
        _judge_before_signing(client, guarded, library_of(client._client))

    def copied(**options: Any) -> Any:
        made = type(client).copy(client, **options)
        if is_guarded(made._client):
            _keep_guarded(made, guarded, package, base_urls)
            return made
        made._weir_base_urls = base_urls
        return _guarded(made, guarded.core, guarded.config, package)

    client.copy = client.with_options = copied
    if hasattr(client, "websocket_base_url"):
        client.websocket_base_url = _NoWebSockets()


class _NoWebSockets:
    """Replaces the base URL of WebSockets, which bypass the HTTP client and would be unguarded."""

    def __repr__(self) -> str:
        return "Weir does not guard WebSockets: use an unguarded client for them"

    __str__ = __repr__


def is_guarded(http: object) -> bool:
    return getattr(http, "_weir_original", None) is not None


def guarded_http(http: Any, guarded: Guarded) -> Any:
    """A copy of an HTTP client that asks Weir.

    It has the same pool, proxies, hooks, limits, cookies and credentials.
    """
    library = library_of(http)
    if library is None or not isinstance(http, (library.Client, library.AsyncClient)):
        raise WeirConfigError("weir_http_client() takes a Client or AsyncClient of httpx or httpx2")
    # If the client is already guarded, the new options replace the old ones: Weir is asked once.
    original = getattr(http, "_weir_original", http)
    if not hasattr(original, "_transport") or not isinstance(getattr(original, "_mounts", None), dict):
        raise WeirConfigError(f"{library.__name__} {library.__version__} is not supported by this version of weir_sdk")
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
    """A subclass without `__del__`: collecting the copy must not close the pool of the original."""
    return type(
        kind.__name__, (kind,), {"__del__": lambda self: None, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    )
