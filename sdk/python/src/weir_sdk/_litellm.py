"""LiteLLM: guards the HTTP clients that LiteLLM creates, and warns of calls that bypass them.

LiteLLM has a client for each provider and each way of calling it. Most of them send through two
handler classes and through the clients that it creates for OpenAI's package, whatever HTTP client
it is given; its callbacks cannot refuse a sync call. So the guard is installed in those handlers,
and a callback checks that each call has passed the guard.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

from ._attempt import Guarded
from ._clients import guarded_http, is_guarded
from ._config import Config, WeirOptions, config_of
from ._context import CALL_AT_HAND, CallAtHand
from ._core import Core, core_of
from ._errors import WeirConfigError
from ._libraries import library_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MOST_CALLS = 4096
_CALLBACKS = (
    "callbacks",
    "input_callback",
    "success_callback",
    "failure_callback",
    "service_callback",
    "_async_input_callback",
    "_async_success_callback",
    "_async_failure_callback",
)
#: The error message for a call that would bypass the HTTP clients.
_REFUSED = "Weir does not guard {}: the call was not made"


class _Call(CallAtHand):
    """One call of LiteLLM, from before it is sent until it is logged."""

    def __init__(self, identity: object) -> None:
        super().__init__()
        self.identity = identity
        self.was_sent = False


class _Calls:
    """The calls in progress, by LiteLLM's ids."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begins anew in a child process, where another thread of the parent may have held the lock at the fork."""
        self._lock = threading.Lock()
        self._known: OrderedDict[object, _Call] = OrderedDict()

    def begun(self, identity: object) -> _Call:
        """Returns the call with this id, and makes it the current one."""
        call = CALL_AT_HAND.get()
        if not isinstance(call, _Call) or call.identity != identity:
            call = _Call(identity)
            CALL_AT_HAND.set(call)
        with self._lock:
            self._known[identity] = call
            if len(self._known) > _MOST_CALLS:
                self._known.popitem(last=False)
        return call

    def ended(self, identity: object) -> _Call | None:
        with self._lock:
            return self._known.pop(identity, None)


def weir_litellm(
    *, providers: Mapping[str, str] | None = None, unguarded_hosts: Iterable[str] = (), **options: Unpack[WeirOptions]
) -> Any:
    """Makes LiteLLM ask Weir before every call, sync and async: `guard = weir_litellm()`.

    `providers` maps hosts that Weir does not recognize to providers, for example
    `{"llm.example.com": "openai"}`. Calls to other unknown hosts are refused, except to
    `unguarded_hosts`, such as those that LiteLLM sends its logs to. Returns the callback that was
    added to `litellm.callbacks`; its `close()` removes the guard. A second call replaces the first
    guard.
    """
    config = config_of(options)
    if config.via == "proxy":
        raise WeirConfigError("via 'proxy' is not supported for LiteLLM: set its api_base to the proxy instead")
    import litellm  # type: ignore[import-not-found,unused-ignore]

    for earlier in [each for each in litellm.callbacks if getattr(each, "_weir_litellm", False)]:
        earlier.close()
    guarded = Guarded(core_of(config), config, hosts=dict(providers or {}), unguarded_hosts=frozenset(unguarded_hosts))
    calls = _Calls()
    guarded.core.fork_states.add(calls)
    undo = _install(guarded)
    callback = _callback_class()(guarded.core, config, calls, undo)
    litellm.callbacks.append(callback)
    return callback


def _install(guarded: Guarded) -> list[Callable[[], None]]:
    """Guards every HTTP client of LiteLLM; returns the functions that undo it."""
    import litellm  # type: ignore[import-not-found,unused-ignore]

    try:
        from litellm.llms.custom_httpx import aiohttp_handler, http_handler  # type: ignore[import-not-found,unused-ignore]
        from litellm.llms.openai.common_utils import BaseOpenAILLM  # type: ignore[import-not-found,unused-ignore]
        from litellm.realtime_api import main as realtime  # type: ignore[import-not-found,unused-ignore]

        handlers = (http_handler.HTTPHandler, http_handler.AsyncHTTPHandler)
        getters = [kind.__dict__["client"].fget for kind in handlers]
        # Everything that is replaced below, so that a missing name is reported before any change.
        for kind, names in (
            (handlers[0], ("create_client",)),
            (handlers[1], ("create_client",)),
            (BaseOpenAILLM, ("_get_sync_http_client", "_get_async_http_client")),
            (aiohttp_handler.BaseLLMAIOHTTPHandler, ("completion", "image_variations")),
            (realtime, ("_arealtime",)),
            (litellm, ("client_session", "aclient_session", "in_memory_llm_clients_cache")),
        ):
            for name in names:
                getattr(kind, name)
        litellm.in_memory_llm_clients_cache.flush_cache
    except (ImportError, AttributeError, KeyError) as error:
        raise WeirConfigError(f"this version of LiteLLM is not supported by this version of weir_sdk ({error})") from None

    undo: list[Callable[[], None]] = []

    def put(owner: Any, name: str, value: Any) -> None:
        had = owner.__dict__[name]
        undo.append(lambda: setattr(owner, name, had))
        setattr(owner, name, value)

    def asking(http: Any) -> Any:
        return http if http is None or library_of(http) is None or is_guarded(http) else guarded_http(http, guarded)

    def made(create: Any) -> Any:
        return lambda *given, **named: asking(create(*given, **named))

    for kind, getter in zip(handlers, getters):
        put(kind, "create_client", made(kind.create_client))
        put(kind, "client", _asked_for(getter, asking, kind.client.fset))
    for name in ("_get_sync_http_client", "_get_async_http_client"):
        put(BaseOpenAILLM, name, staticmethod(made(getattr(BaseOpenAILLM, name))))
    for name in ("completion", "image_variations"):
        put(aiohttp_handler.BaseLLMAIOHTTPHandler, name, _refusing("LiteLLM's aiohttp clients"))
    for owner in (litellm, realtime):
        put(owner, "_arealtime", _refusing_async("WebSockets"))
    library = http_handler.httpx
    put(litellm, "client_session", asking(litellm.client_session or library.Client(follow_redirects=True)))
    put(litellm, "aclient_session", asking(litellm.aclient_session))
    litellm.in_memory_llm_clients_cache.flush_cache()
    undo.append(litellm.in_memory_llm_clients_cache.flush_cache)
    return undo


def _asked_for(getter: Any, asking: Callable[[Any], Any], setter: Any) -> property:
    """A property for a handler's client, guarded regardless of who created the client and when."""

    def client(handler: Any) -> Any:
        found = getter(handler)
        if is_guarded(found):
            return found
        kept = getattr(handler, "_weir_client", None)
        if kept is None or kept._weir_original is not found:
            kept = handler._weir_client = asking(found)
        return kept

    return property(client, setter)


def _refusing(what: str) -> Any:
    def refused(*_: Any, **__: Any) -> Any:
        raise WeirConfigError(_REFUSED.format(what))

    return refused


def _refusing_async(what: str) -> Any:
    async def refused(*_: Any, **__: Any) -> Any:
        raise WeirConfigError(_REFUSED.format(what))

    return refused


def _callback_class() -> type[Any]:
    """Defines the callback class on demand, because its base class is in LiteLLM."""
    from litellm.integrations.custom_logger import CustomLogger  # type: ignore[import-not-found,unused-ignore]

    class WeirLiteLLM(CustomLogger):  # type: ignore[misc,unused-ignore]
        """Warns of calls to a provider that bypass Weir."""

        _weir_litellm = True

        def __init__(self, core: Core, config: Config, calls: _Calls, undo: list[Callable[[], None]]) -> None:
            super().__init__()
            self._core, self._config, self._calls, self._undo = core, config, calls, undo

        def __repr__(self) -> str:
            return f"WeirLiteLLM(base_url={self._config.base_url!r})"

        def close(self) -> None:
            """Removes the guard from LiteLLM."""
            import litellm  # type: ignore[import-not-found,unused-ignore]

            while self._undo:
                self._undo.pop()()
            # LiteLLM copies a callback into its other lists, which must not keep it.
            for name in _CALLBACKS:
                found = getattr(litellm, name, None)
                if isinstance(found, list) and self in found:
                    found.remove(self)

        async def async_pre_call_deployment_hook(self, kwargs: Any, call_type: Any) -> None:
            # This hook runs in the task that will send; earlier hooks run in a copy of its context.
            self._calls.begun(kwargs.get("litellm_call_id"))

        def log_pre_api_call(self, model: Any, messages: Any, kwargs: Any) -> None:
            self._calls.begun(kwargs.get("litellm_call_id")).was_sent = True

        def log_success_event(self, kwargs: Any, *_: Any, **__: Any) -> None:
            self._check(kwargs)

        def log_failure_event(self, kwargs: Any, *_: Any, **__: Any) -> None:
            self._check(kwargs)

        async def async_log_success_event(self, kwargs: Any, *_: Any, **__: Any) -> None:
            self._check(kwargs)

        async def async_log_failure_event(self, kwargs: Any, *_: Any, **__: Any) -> None:
            self._check(kwargs)

        def _check(self, kwargs: Any) -> None:
            call = self._calls.ended(kwargs.get("litellm_call_id"))
            if call is None or call.met_guard or not call.was_sent:
                return
            provider = (kwargs.get("litellm_params") or {}).get("custom_llm_provider") or "a provider"
            self._core.warn_once(
                self._config,
                f"LiteLLM called {provider} in a way that bypasses Weir: the call was neither judged nor recorded",
            )

    return WeirLiteLLM
