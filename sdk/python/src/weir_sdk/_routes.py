"""The provider of a URL, and the part of the URL that is sent to Weir."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit

_HOSTS = (
    (re.compile(r"api\.openai\.com|.*\.api\.openai\.com"), "openai"),
    (re.compile(r".*\.(?:openai|cognitiveservices|services\.ai)\.azure\.com"), "openai"),
    (re.compile(r"api\.anthropic\.com|.*\.api\.anthropic\.com"), "anthropic"),
    (re.compile(r"(?:.*\.)?generativelanguage\.googleapis\.com"), "gemini"),
    (re.compile(r"(?:.*[.-])?aiplatform(?:\.[a-z]+\.rep|\.[a-z]+-[a-z0-9]+\.rep)?\.googleapis\.com"), "gemini"),
)
#: The path prefixes that vendors put before a route and that the service recognizes.
_KNOWN_PREFIX = re.compile(
    r"(?:/(?:api|openai|anthropic|compatible-mode|inference|serverless|models|paas|ai|v\d+[a-z0-9]*"
    r"|(?:deployments|engines|accounts)/[^/]+))*/?",
    re.IGNORECASE,
)
#: Routes by the ends of their paths, for servers with a provider's API under another prefix.
_ENDS = {
    "openai": re.compile(r"/(?:chat/completions|completions|responses|embeddings)/?$", re.IGNORECASE),
    "anthropic": re.compile(r"/messages(?:/count_tokens)?/?$", re.IGNORECASE),
}
_CREDENTIAL_PARAMETERS = {"key", "api_key", "api-key", "apikey", "access_token", "auth_token", "subscription-key"}
#: Routes on which clients fetch short-lived credentials: they contain no prompt, but a secret.
_TOKEN_ROUTE = re.compile(r"/oauth2?(?:/[\w.-]+)*/token$", re.IGNORECASE)
#: The characters of ids, dates and options, as opposed to written text.
_PLAIN = re.compile(r"[A-Za-z0-9_:./-]{0,200}")
_MANY_DIGITS = re.compile(r"(?:\d[ .:/-]?){7}")
_DRAWN = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*[_-])+[A-Za-z0-9_-]{8,}")


def provider_at(host: str) -> str | None:
    """The id in Weir of the provider at a host; None for an unknown host."""
    return next((name for pattern, name in _HOSTS if pattern.fullmatch(host)), None)


def path_at_weir(provider: str, base_path: str, request: Any) -> str:
    """The path after the provider's id in Weir's URL, with the query but without credentials.

    A prefix that the service does not know is removed, so that the service recognizes the route.
    """
    path, query = _address(request)
    base = base_path.rstrip("/")
    if base and not _KNOWN_PREFIX.fullmatch(base) and path.startswith(f"{base}/"):
        path = f"/v1{path[len(base):]}"
    end = _ENDS[provider].search(path) if provider in _ENDS else None
    if end is not None and not _KNOWN_PREFIX.fullmatch(path[: end.start()]):
        path = f"/v1{end.group()}"
    return path + (f"?{query}" if query else "")


def proxied_url(weir: str, provider: str, base_url: str) -> str:
    """The base URL of a client for calls through Weir's proxy; one that already is there stays as it is."""
    at_weir = f"{weir}/proxy/{provider}"
    is_there = base_url == at_weir or base_url.startswith(f"{at_weir}/")
    path = base_url[len(at_weir) :] if is_there else urlsplit(base_url).path
    return at_weir + path.rstrip("/")


def is_token_route(request: Any) -> bool:
    """Whether a request fetches a credential for the client itself."""
    return _TOKEN_ROUTE.search(_address(request)[0]) is not None


def holds_words(request: Any) -> bool:
    """Whether path or query may contain text to judge."""
    path, query = _address(request)
    parts = [unquote(part) for part in (*path.split("/"), *re.split("[&=]", query))]
    return not all(map(_is_plain, parts))


def _is_plain(part: str) -> bool:
    if not _PLAIN.fullmatch(part):
        return False
    return _MANY_DIGITS.search(part) is None or _DRAWN.fullmatch(part) is not None


def _address(request: Any) -> tuple[str, str]:
    """The path, and the original query without credentials."""
    path, _, query = request.url.raw_path.decode("ascii").partition("?")
    kept = [each for each in query.split("&") if each and each.partition("=")[0].lower() not in _CREDENTIAL_PARAMETERS]
    return str(path), "&".join(kept)
