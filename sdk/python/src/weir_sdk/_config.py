"""Options, their sources, and their validation."""

from __future__ import annotations

import json
import os
import re
import ssl
import sys
import warnings
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, TypedDict
from urllib.parse import SplitResult, urlsplit

from ._errors import WeirConfigError

FailMode = Literal["closed", "open"]
Via = Literal["calls", "proxy"]
UnknownRoutes = Literal["refuse", "log"]
ReportMode = Literal["background", "await"]


class WeirOptions(TypedDict, total=False):
    """The options of `weir()`, `Weir()` and `weir_transport()`."""

    api_key: str
    base_url: str
    fail_mode: FailMode
    deadline_ms: float
    max_retries: int
    via: Via
    metadata: Mapping[str, Any]
    session: str
    unknown_routes: UnknownRoutes
    report: ReportMode
    queue_max_reports: int
    queue_max_bytes: int
    report_max_bytes: int
    flush_timeout_ms: float
    provider: str
    ssl_context: ssl.SSLContext
    on_warning: Callable[[str], None]


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


@dataclass(frozen=True)
class Config:
    """Validated options. Their `repr` does not contain the key."""

    api_key: str = field(repr=False)
    base_url: str = "http://localhost:8080"
    fail_mode: FailMode = "closed"
    deadline_ms: float = 2000
    max_retries: int = 2
    via: Via = "calls"
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    session: str | None = None
    unknown_routes: UnknownRoutes = "log"
    report: ReportMode = "background"
    queue_max_reports: int = 1000
    queue_max_bytes: int = 64 * 1024 * 1024
    #: Weir accepts 32 MiB, with the lines around the answer.
    report_max_bytes: int = 32 * 1024 * 1024 - 8 * 1024
    flush_timeout_ms: float = 5000
    provider: str | None = None
    ssl_context: ssl.SSLContext | None = field(default=None, repr=False)
    on_warning: Callable[[str], None] = field(default=_warn, repr=False)

    def shared_with(self) -> tuple[Any, ...]:
        """The options that clients must have in common to share connections, queue and counts."""
        return (
            self.api_key,
            self.base_url,
            self.queue_max_reports,
            self.queue_max_bytes,
            self.flush_timeout_ms,
            id(self.ssl_context),
        )


_CHOICES: dict[str, tuple[str, ...]] = {
    "fail_mode": ("closed", "open"),
    "via": ("calls", "proxy"),
    "unknown_routes": ("log", "refuse"),
    "report": ("background", "await"),
}
_LEAST: dict[str, float] = {
    "deadline_ms": 1,
    "max_retries": 0,
    "queue_max_reports": 1,
    "queue_max_bytes": 1,
    "report_max_bytes": 1,
    "flush_timeout_ms": 0,
}
#: The longest time of an option, 24 days: sockets and waits of Python overflow above it.
MOST_MS = 2**31 - 1
_PROVIDER = re.compile(r"[a-z0-9][a-z0-9_-]*")
_KEY = re.compile(r"[\x21-\x7e]+")
#: The path of an address, as it can be sent.
_PATH = re.compile(r"[\x21-\x7e]*")
_SPACE = re.compile(r"\s")
HEADER_VALUE = re.compile(r"[\x21-\x7e]{1,256}")


def config_of(options: Mapping[str, Any]) -> Config:
    """Validates options; `WEIR_API_KEY` and `WEIR_BASE_URL` are the defaults of key and address."""
    known = {each.name for each in fields(Config)}
    for name in options:
        if name not in known:
            raise WeirConfigError(f"{name} is not an option of Weir; the options are {', '.join(sorted(known))}")
    given = {name: value for name, value in options.items() if value is not None}
    given.setdefault("api_key", os.environ.get("WEIR_API_KEY") or None)
    if not given["api_key"]:
        raise WeirConfigError("api_key is missing: pass it or set WEIR_API_KEY")
    checked_key("api_key", given["api_key"])
    given.setdefault("base_url", os.environ.get("WEIR_BASE_URL") or Config.base_url)
    given["base_url"] = checked_url(given["base_url"])
    for name, choices in _CHOICES.items():
        if name in given and given[name] not in choices:
            raise WeirConfigError(f"{name} must be {' or '.join(repr(each) for each in choices)}")
    for name, least in _LEAST.items():
        checked_number(name, given.get(name, least), least)
    encoded_metadata(given.get("metadata", {}))
    checked_name("session", given.get("session"))
    if not _PROVIDER.fullmatch(given.get("provider", "openai")):
        raise WeirConfigError("provider must be the id of a provider in Weir, such as 'openai'")
    if given.get("via") == "proxy" and given.get("fail_mode") == "open":
        raise WeirConfigError("fail_mode 'open' needs via 'calls': a call through the proxy cannot bypass Weir")
    return Config(**given)


def checked_number(name: str, value: Any, least: float) -> None:
    """Checks a number, and that a time is not too long for Python's own waits."""
    is_time = name.endswith("_ms")
    most = MOST_MS if is_time else sys.maxsize
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise WeirConfigError(f"{name} must be a number of at least {least:g}" + (f" and at most {most}" if is_time else ""))


def encoded_metadata(metadata: Any) -> str:
    """Metadata as JSON in ASCII, which does not depend on the encoding of headers."""
    if not isinstance(metadata, Mapping):
        raise WeirConfigError("metadata must be a mapping")
    try:
        return json.dumps(dict(metadata), separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        # Without the cause, because its message may quote the value.
        raise WeirConfigError(f"metadata cannot be written as JSON ({type(error).__name__})") from None


def checked_name(name: str, value: Any) -> None:
    """Checks that a session or request id is valid in a header."""
    if value is not None and (not isinstance(value, str) or not HEADER_VALUE.fullmatch(value)):
        raise WeirConfigError(f"{name} must be 1 to 256 printable ASCII characters without spaces")


def checked_key(name: str, key: Any) -> Any:
    """Checks that a key is valid in a header; error messages contain no part of it."""
    if key is not None and (not isinstance(key, str) or not _KEY.fullmatch(key)):
        raise WeirConfigError(f"{name} must be printable ASCII without spaces")
    return key


def _http_parts(url: str) -> SplitResult | None:
    """The parts of an http or https address with a host and a possible port; None for any other text."""
    try:
        parts = urlsplit(url)
        return parts if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def checked_url(url: object) -> str:
    """Weir's address without a slash at its end, or white space around it, as of a file that a variable was read from.

    An address that no request can have is refused here: later, it would look like an outage of Weir.
    """
    parts = _http_parts(url.strip() if isinstance(url, str) else "")
    if parts is None or parts.query or parts.fragment or not _PATH.fullmatch(parts.path) or _SPACE.search(parts.netloc):
        raise WeirConfigError("base_url must be an http or https address, without a query or fragment")
    if parts.username or parts.password:
        raise WeirConfigError("base_url must not contain credentials")
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
