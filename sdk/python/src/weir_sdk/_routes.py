"""Which provider an address belongs to, and what of it Weir is told."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

_HOSTS = (
    (re.compile(r"api\.openai\.com|.*\.api\.openai\.com"), "openai"),
    (re.compile(r".*\.(?:openai|cognitiveservices|services\.ai)\.azure\.com"), "openai"),
    (re.compile(r"api\.anthropic\.com|.*\.api\.anthropic\.com"), "anthropic"),
    (re.compile(r"(?:.*\.)?generativelanguage\.googleapis\.com"), "gemini"),
    (re.compile(r"(?:.*[.-])?aiplatform(?:\.[a-z]+\.rep|\.[a-z]+-[a-z0-9]+\.rep)?\.googleapis\.com"), "gemini"),
)
#: What vendors put before a route; the service knows these, and reads the route behind them.
_KNOWN_PREFIX = re.compile(
    r"(?:/(?:api|openai|anthropic|compatible-mode|inference|serverless|models|paas|ai|v\d+[a-z0-9]*"
    r"|(?:deployments|engines|accounts)/[^/]+))*/?",
    re.IGNORECASE,
)
#: Routes by their ends, for servers that speak a provider's language under a prefix of their own.
_ENDS = {
    "openai": re.compile(r"/(?:chat/completions|completions|responses|embeddings)/?$", re.IGNORECASE),
    "anthropic": re.compile(r"/messages(?:/count_tokens)?/?$", re.IGNORECASE),
}
_CREDENTIAL_PARAMETERS = {"key", "api_key", "api-key", "apikey", "access_token", "auth_token", "subscription-key"}
#: Where clients fetch short-lived credentials: there is no prompt in it, but there is a secret.
_TOKEN_ROUTE = re.compile(r"/oauth2?(?:/[\w.-]+)*/token$", re.IGNORECASE)
#: What ids, dates and options look like: not what anybody says.
_PLAIN = re.compile(r"[A-Za-z0-9_:./-]{0,200}")
_MANY_DIGITS = re.compile(r"(?:\d[ .:/-]?){7}")
_DRAWN = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*[_-])+[A-Za-z0-9_-]{8,}")


def provider_at(host: str) -> str | None:
    """The id at Weir of who is at a host; None when it does not tell."""
    return next((name for pattern, name in _HOSTS if pattern.fullmatch(host)), None)


def path_at_weir(provider: str, base_path: str, request: Any) -> str:
    """Path and query below the provider's name at Weir, credentials left out. A prefix that the service does not know would hide
    the route from it."""
    path, query = _address(request)
    base = base_path.rstrip("/")
    if base and not _KNOWN_PREFIX.fullmatch(base) and path.startswith(f"{base}/"):
        path = f"/v1{path[len(base):]}"
    end = _ENDS[provider].search(path) if provider in _ENDS else None
    if end is not None and not _KNOWN_PREFIX.fullmatch(path[: end.start()]):
        path = f"/v1{end.group()}"
    return path + (f"?{query}" if query else "")


def is_token_route(request: Any) -> bool:
    """Whether a client fetches a credential of its own."""
    return _TOKEN_ROUTE.search(_address(request)[0]) is not None


def holds_words(request: Any) -> bool:
    """Whether something in path or query could be what somebody says."""
    path, query = _address(request)
    parts = [unquote(part) for part in (*path.split("/"), *re.split("[&=]", query))]
    return not all(map(_is_plain, parts))


def _is_plain(part: str) -> bool:
    if not _PLAIN.fullmatch(part):
        return False
    return _MANY_DIGITS.search(part) is None or _DRAWN.fullmatch(part) is not None


def _address(request: Any) -> tuple[str, str]:
    """The query is as it was written, but for the credentials."""
    path, _, query = request.url.raw_path.decode("ascii").partition("?")
    kept = [each for each in query.split("&") if each and each.partition("=")[0].lower() not in _CREDENTIAL_PARAMETERS]
    return str(path), "&".join(kept)
