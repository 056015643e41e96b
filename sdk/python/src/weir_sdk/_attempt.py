"""One HTTP attempt of a client: the request to Weir, and the request to send.

Works on requests and responses of either HTTP library, and sends nothing itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Mapping
from urllib.parse import urlsplit

from ._asking import Question, Verdict, made_refusal
from ._clouds import asked_as, with_members, without_members
from ._collector import attach
from ._config import Config
from ._context import CALL_AT_HAND, call_headers
from ._core import Core
from ._errors import WeirConfigError
from ._outcome import IdOfAnswer, WeirOutcome
from ._report import Report
from ._routes import holds_words, is_token_route, path_at_weir, provider_at

_SIGNED = re.compile(r"AWS4-|AWS4A-|Signature ", re.IGNORECASE)
#: Headers that describe the bytes of the original body, and are wrong for a replaced body.
_OF_OLD_BODY = {"content-encoding", "content-md5", "digest", "content-digest", "repr-digest", "transfer-encoding"}
_BODY_METHODS = {"POST", "PUT", "PATCH", "DELETE"}


@dataclass(frozen=True)
class Guarded:
    """A transport's data about the client that it belongs to."""

    core: Core
    config: Config
    #: Id of the provider in Weir; if absent, it is derived from the host.
    provider: str | None = None
    #: The provider whose error format is used.
    style: str | None = None
    #: Path of the client's base address.
    base_path: str = ""
    #: For a client that calls several hosts: ids of providers by host, and hosts without a guard.
    hosts: Mapping[str, str] = field(default_factory=dict)
    unguarded_hosts: frozenset[str] = frozenset()

    def knows(self, request: Any) -> bool:
        """Whether the provider of a request can be determined."""
        return self._provider(request) is not None

    def provider_of(self, request: Any) -> tuple[str, str]:
        """The provider's id in Weir, and its error format."""
        provider = self._provider(request)
        if provider is None:
            raise WeirConfigError("provider is missing: it cannot be derived from the host of this call")
        return provider, self.style or (provider if provider in ("anthropic", "gemini") else "openai")

    def _provider(self, request: Any) -> str | None:
        provider = self.config.provider or self.provider
        if provider is None:
            host = str(request.url.host)
            provider = self.hosts.get(host) or provider_at(host)
            if provider == "gemini" and "/publishers/anthropic/" in str(request.url.path):
                provider = "anthropic"
        return provider


def question_of(guarded: Guarded, request: Any, body: bytes) -> Question:
    """The request to Weir: the body as it would be sent, without the client's credentials."""
    call = CALL_AT_HAND.get()
    if call is not None:
        call.met_guard = True
    provider, style = guarded.provider_of(request)
    headers = [
        # A value that the provider accepts may be invalid in Weir's header, which is not an outage.
        (name, str(request.headers[name]).encode("ascii", "replace").decode("ascii"))
        for name in ("Content-Type", "Content-Encoding")
        if name in request.headers
    ]
    if request.method != "POST":
        headers.append(("x-weir-method", request.method))
    retried = request.headers.get("x-stainless-retry-count", "0")
    headers += call_headers(
        guarded.config, int(retried) if retried.isdecimal() else 0, request.headers.get("x-request-id")
    )
    path = path_at_weir(provider, guarded.base_path, request)
    is_json = _is_json(request, body)
    cloud = asked_as(path, body) if style == "anthropic" else None
    if cloud is None:
        return Question(request.method, f"/v1/calls/{provider}{path}", style, headers, body, is_json)
    path, members = cloud
    asked = with_members(body, members) if members else body
    return Question(request.method, f"/v1/calls/{provider}{path}", style, headers, asked, is_json, members)


def _is_json(request: Any, body: bytes) -> bool:
    content_type = str(request.headers.get("content-type", "")).lower()
    is_said = "json" in content_type
    return is_said or body.lstrip().startswith((b"{", b"["))


def may_be_asked_about(guarded: Guarded, request: Any) -> bool:
    """Whether the body may contain text to judge; decided without reading the body."""
    return str(request.url.host) not in guarded.unguarded_hosts and not is_token_route(request) and has_body(request)


def is_asked_about(guarded: Guarded, request: Any, body: bytes) -> bool:
    """Whether Weir is asked about a request: if it has a body, or a URL that may contain text."""
    if body:
        return True
    if str(request.url.host) in guarded.unguarded_hosts or is_token_route(request):
        return False
    return holds_words(request) and guarded.knows(request)


def has_body(request: Any) -> bool:
    """Whether a request may have a body; decided without reading it."""
    if request.method not in _BODY_METHODS and not (
        "content-length" in request.headers or "transfer-encoding" in request.headers
    ):
        return False
    return str(request.headers.get("content-length")) != "0"


def outgoing(library: Any, request: Any, verdict: Verdict, question: Question) -> Any | Verdict:
    """The request to send for a verdict, or a refusal if the request can no longer be changed."""
    if verdict.kind != "replace":
        return request
    if _SIGNED.match(request.headers.get("authorization", "")):
        return made_refusal(
            question.style,
            400,
            "unreadable_body",
            "Weir would change this request, but the request is already signed, so it was not sent",
            verdict.outcome,
        )
    if question.members:
        body = without_members(verdict.body, question.members)
        if body is None:
            return made_refusal(
                question.style,
                400,
                "unreadable_body",
                "Weir would change a value in the path of this request, so the request was not sent",
                verdict.outcome,
            )
        verdict = replace(verdict, body=body)
    headers = []
    for name, value in request.headers.raw:
        lower = name.decode("ascii").lower()
        if lower == "content-length" or lower == "transfer-encoding":
            headers.append((b"Content-Length" if name[:1].isupper() else b"content-length", b"%d" % len(verdict.body)))
        elif lower not in _OF_OLD_BODY:
            headers.append((name, value))
    return library.Request(
        request.method, request.url, headers=headers, content=verdict.body, extensions=request.extensions
    )


def decided(library: Any, request: Any, question: Question, verdict: Verdict) -> tuple[Any, Verdict]:
    """The request to send, and the verdict, which is a refusal if the request cannot be changed."""
    if verdict.kind == "refuse":
        return request, verdict
    sent = outgoing(library, request, verdict, question)
    return (sent, verdict) if isinstance(sent, library.Request) else (request, sent)


@dataclass
class Judged:
    """Weir's verdict on a request before it was signed, and the judged bytes.

    A verdict is used only once, because a redirect is a new call.
    """

    outcome: WeirOutcome | None
    body: bytes = field(repr=False)
    used: bool = False


#: The key of `Judged` in the extensions of a request.
JUDGED = "weir_judged"


def judged(request: Any, body: bytes) -> Judged | None:
    """The earlier verdict on this request; None when its bytes have changed since."""
    found = request.extensions.get(JUDGED)
    if not isinstance(found, Judged) or found.used or found.body != body:
        return None
    found.used = True
    return found


def refusal_response(library: Any, request: Any, verdict: Verdict) -> Any:
    """Weir's refusal as a response of the provider.

    The client raises its own error, or gets the canned answer of the rule.
    """
    if verdict.answer is not None:
        return _canned_response(library, request, verdict, *verdict.answer)
    return library.Response(
        verdict.status,
        headers=verdict.headers,
        content=verdict.body,
        request=request,
        extensions={"weir": verdict.outcome},
    )


def _canned_response(library: Any, request: Any, verdict: Verdict, content_type: str, body: bytes) -> Any:
    replaced = ("content-type", "x-should-retry")
    headers = [(name, value) for name, value in verdict.headers if name.lower() not in replaced]
    response = library.Response(200, headers=[*headers, ("content-type", content_type)], content=body, request=request)
    if verdict.outcome is not None:
        attach(response, verdict.outcome)
        found = IdOfAnswer(response.headers, verdict.outcome)
        found.add(body)
        found.end()
    return response


def without_sending(guarded: Guarded, outcome: WeirOutcome | None) -> None:
    """Reports that a recorded call was never sent, so that Weir releases its reservation."""
    if outcome is not None and outcome.call_id:
        guarded.core.report(guarded.config, Report(outcome, "unsent"))


def through_proxy(guarded: Guarded, request: Any) -> None:
    """Adds the headers for Weir's proxy to a request. Other hosts never receive the key."""
    base = urlsplit(guarded.config.base_url)
    port = base.port or (443 if base.scheme == "https" else 80)
    url = request.url
    if guarded.style == "gemini" and guarded.config.provider is None and "/projects/" in url.path:
        raise WeirConfigError("Vertex AI cannot go through the proxy, which does not support it: use via 'calls'")
    asked = url.port or (443 if url.scheme == "https" else 80)
    path = url.raw_path.decode("ascii")
    if (url.scheme, url.host, asked) != (base.scheme, base.hostname, port) or not path.startswith(f"{base.path}/proxy/"):
        raise WeirConfigError("via 'proxy': this call would not be sent to Weir; create the client without its own base_url")
    retried = request.headers.get("x-stainless-retry-count", "0")
    own = call_headers(guarded.config, int(retried) if retried.isdecimal() else 0, request.headers.get("x-request-id"))
    for name, value in [("X-Service-Key", guarded.config.api_key), *own]:
        request.headers[name] = value


def redirected(guarded: Guarded, status: int) -> Verdict | None:
    """The refusal for a redirect of a proxied call; None for any other answer.

    Weir never redirects, so that the key and the prompt would be sent somewhere else.
    """
    if not 300 <= status < 400 or status == 304:
        return None
    why = f"Weir answered {status}, and redirects are not followed; the call did not reach its provider"
    return made_refusal(guarded.style or "openai", 503, "guardrail_unavailable", why, None)
