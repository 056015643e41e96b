"""The entry points: `weir`, `weir_http_client`, `weir_transport`; `Weir` for flush and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ._async_http import in_thread
from ._attempt import Guarded
from ._clients import guarded_client, guarded_http
from ._config import Config, WeirOptions, config_of
from ._core import Core, core_of
from ._errors import WeirConfigError
from ._libraries import library_of
from ._transport import transport_classes

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


def weir(client: T, **options: Unpack[WeirOptions]) -> T:
    """A copy of an OpenAI or Anthropic client that asks Weir before each call and reports after it.

    The copy has the same type; the client itself is not changed. A refused call raises the client's
    own `BadRequestError`; see `is_blocked` and `weir_of`.
    """
    config = config_of(options)
    made: T = guarded_client(client, core_of(config), config)
    return made


def weir_http_client(client: T, **options: Unpack[WeirOptions]) -> T:
    """A copy of a `Client` or `AsyncClient` of httpx or httpx2 that asks Weir."""
    config = config_of(options)
    _only_calls(config)
    made: T = guarded_http(client, Guarded(core_of(config), config, provider=config.provider))
    return made


def weir_transport(inner: T, **options: Unpack[WeirOptions]) -> T:
    """A transport of httpx or httpx2 that asks Weir and sends through `inner`."""
    config = config_of(options)
    _only_calls(config)
    library = library_of(inner)
    if library is None:
        raise WeirConfigError("weir_transport() takes a transport of httpx or httpx2")
    sync_class, async_class = transport_classes(library)
    chosen = sync_class if isinstance(inner, library.BaseTransport) else async_class
    made: T = chosen(Guarded(core_of(config), config, provider=config.provider), inner)
    return made


def _only_calls(config: Config) -> None:
    if config.via == "proxy":
        raise WeirConfigError("via 'proxy' needs weir(client): the address of an HTTP client alone cannot be changed")


class _Base:
    def __init__(self, **options: Unpack[WeirOptions]) -> None:
        self._config: Config = config_of(options)
        self._core: Core = core_of(self._config)

    def stats(self) -> dict[str, int]:
        """Counts of this process, shared by all guards with the same key and address."""
        return self._core.stats()

    def _flush_seconds(self, timeout_ms: float | None) -> float:
        return (self._config.flush_timeout_ms if timeout_ms is None else timeout_ms) / 1000

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._config.base_url!r})"


class Weir(_Base):
    """A handle on the state that guarded clients with the same key and address share."""

    def guard(self, client: T) -> T:
        """`weir(client, …)` with the options of this object."""
        made: T = guarded_client(client, self._core, self._config)
        return made

    def flush(self, timeout_ms: float | None = None) -> bool:
        """Waits until all reports are sent. False after the time limit (`flush_timeout_ms`)."""
        return self._core.reports.flush(self._flush_seconds(timeout_ms))


class AsyncWeir(_Base):
    """`Weir` for event loops."""

    def guard(self, client: T) -> T:
        """`weir(client, …)` with the options of this object."""
        made: T = guarded_client(client, self._core, self._config)
        return made

    async def flush(self, timeout_ms: float | None = None) -> bool:
        """Waits until all reports are sent. False after the time limit (`flush_timeout_ms`)."""
        return await in_thread(self._core.reports.flush, self._flush_seconds(timeout_ms))
