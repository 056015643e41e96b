"""Sending of API operations: credentials, timeouts, retries, pages, errors.

For threads and for event loops.
"""

from __future__ import annotations

import json
import os
import random
import ssl
import time
from dataclasses import dataclass, field
from typing import Any, AsyncIterator, Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

from ._api_download import AsyncDownload, Download
from ._async_http import AsyncHttp, pause
from ._errors import WeirApiError, WeirConfigError, WeirConnectionError
from ._http import Fault, Http, Reply

_FIRST_PAUSE = 0.2
#: The longest pause before a retry. Rate limits are counted per minute.
_LONGEST_PAUSE_MS = 60_000
_NEEDED = {
    "management_token": "a token: token or WEIR_TOKEN",
    "service_key": "a service key: api_key or WEIR_API_KEY",
}


@dataclass(frozen=True)
class ApiSettings:
    """Validated settings. Their `repr` contains no credential."""

    base_url: str
    #: The credentials by kind, as operations name them.
    credentials: Mapping[str, str | None] = field(repr=False)
    timeout_ms: float
    max_retries: int
    ssl_context: ssl.SSLContext | None = field(default=None, repr=False)

    def deadline(self) -> float:
        return time.monotonic() + self.timeout_ms / 1000


@dataclass(frozen=True)
class Sent:
    """One request of the API, before it is sent."""

    method: str
    target: str
    headers: list[tuple[str, str]] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    #: Whether the request is idempotent.
    repeatable: bool = True


def request_of(
    settings: ApiSettings,
    method: str,
    template: str,
    credential: str,
    path: Sequence[str | int],
    query: Mapping[str, object],
    body: object = None,
    headers: Mapping[str, object] | None = None,
) -> Sent:
    """Fills the path, writes query and body, and adds the credential.

    :raises WeirConfigError: when a parameter or credential is missing, before anything is sent
    """
    secret = settings.credentials.get(credential)
    if secret is None and credential in _NEEDED:
        raise WeirConfigError(f"{method} {template} needs {_NEEDED[credential]}")
    parts = [_segment(value) for value in path]
    target = template.format(*parts)
    pairs = [(name, _written(value)) for name, value in query.items() if value is not None]
    sent = [("Accept", "application/json, */*")]
    if secret is not None:
        sent.append(("Authorization", f"Bearer {secret}"))
    sent += [(name, str(value)) for name, value in (headers or {}).items() if value is not None]
    content = None
    if body is not None:
        sent.append(("Content-Type", "application/json"))
        content = written_json(body)
    elif method in ("POST", "PUT", "PATCH"):
        content = b""
    if pairs:
        target += f"?{urlencode(pairs)}"
    return Sent(method, target, sent, content, method not in ("POST", "PATCH") or _has_event_ids(template, body))


def written_json(body: object) -> bytes:
    """A body as JSON. Text that is no Unicode, as of a file in another encoding, is written in JSON's own escapes."""
    return json.dumps(body, allow_nan=False, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _has_event_ids(template: str, body: object) -> bool:
    """Whether all events of a body have ids, with which Weir records them only once."""
    if template not in ("/v1/events", "/v1/events:batch"):
        return False
    events = body if isinstance(body, list) else [body]
    return all(isinstance(each, dict) and each.get("event_id") for each in events)


def _segment(value: str | int) -> str:
    text = str(value)
    if text in ("", ".", ".."):
        raise WeirConfigError("an id must not be empty, '.' or '..'")
    return quote(text, safe="")


def _written(value: object) -> str:
    """The text of a query parameter; items of a list are separated by commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(_written(each) for each in value)
    return str(value)


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> WeirApiError:
    """The error for a request that Weir refused."""
    error: object = None
    try:
        found = json.loads(body)
        error = found.get("error") if isinstance(found, dict) else None
    except ValueError:
        pass
    seconds = headers.get("retry-after", "")
    after = float(seconds) * 1000 if seconds.isdecimal() else None
    return WeirApiError(status, error if isinstance(error, dict) else {}, after)


def is_final(reply: Reply, decided: bool) -> bool:
    return reply.status < 300 or (decided and "x-weir-decision" in reply.headers)


def pause_before(sent: Sent, settings: ApiSettings, tries: int, problem: WeirApiError | Fault) -> float | None:
    """The delay before a retry; None when a retry cannot help, or may repeat an effect."""
    if tries >= settings.max_retries:
        return None
    if isinstance(problem, Fault):
        helps = sent.repeatable
    elif problem.status in (409, 429) or problem.type == "overloaded":
        # Weir has done nothing yet.
        helps = problem.retry_after_ms is not None
    elif problem.status == 503:
        # The request may have had its effect before the failure.
        helps = sent.repeatable and problem.retry_after_ms is not None
    else:
        helps = sent.repeatable and problem.status >= 500
    if not helps:
        return None
    after_ms = None if isinstance(problem, Fault) else problem.retry_after_ms
    if after_ms is not None and after_ms > _LONGEST_PAUSE_MS:
        return None
    # Full jitter, so that the clients of one outage do not all retry at the same time.
    return random.uniform(0, _FIRST_PAUSE * 2 ** min(tries, 8)) if after_ms is None else after_ms / 1000  # noqa: S311


def value_of(reply: Reply) -> Any:
    """The JSON value of a response."""
    try:
        return json.loads(reply.body)
    except ValueError:
        pass
    # Outside of the handler, because the error of the JSON parser would quote the response.
    raise WeirConnectionError("Weir sent a response that is not JSON")


class Sender:
    """Sends from any thread."""

    def __init__(self, settings: ApiSettings) -> None:
        self.settings = settings
        self._http = Http(settings.base_url, settings.ssl_context)
        self._pid = os.getpid()

    def json(self, *asked: Any, **more: Any) -> Any:
        return value_of(self.reply(request_of(self.settings, *asked, **more)))

    def none(self, *asked: Any, **more: Any) -> None:
        self.reply(request_of(self.settings, *asked, **more))

    def reply(self, sent: Sent, *, decided: bool = False) -> Reply:
        """A successful response, or with `decided` any response with a verdict on a call.

        :raises WeirApiError: when Weir refuses
        :raises WeirConnectionError: when Weir does not answer
        """
        http = self._own()
        tries = 0
        while True:
            problem: WeirApiError | Fault
            try:
                reply = http.send(
                    sent.method,
                    sent.target,
                    sent.headers,
                    sent.body,
                    self.settings.deadline(),
                    repeatable=sent.repeatable,
                )
                if is_final(reply, decided):
                    return reply
                problem = error_of(reply.status, reply.headers, reply.body)
            except Fault as fault:
                problem = fault
            seconds = pause_before(sent, self.settings, tries, problem)
            if seconds is None:
                raise _raised(problem)
            time.sleep(seconds)
            tries += 1

    def download(self, *asked: Any, **more: Any) -> Download:
        sent = request_of(self.settings, *asked, **more)
        tries = 0
        while True:
            problem: WeirApiError | Fault
            try:
                opened = self._own().open(sent.method, sent.target, sent.headers, self.settings.timeout_ms / 1000)
                if opened.status < 300:
                    return Download(opened)
                with Download(opened) as refused:
                    problem = error_of(opened.status, opened.headers, refused.read())
            except Fault as fault:
                problem = fault
            seconds = pause_before(sent, self.settings, tries, problem)
            if seconds is None:
                raise _raised(problem)
            time.sleep(seconds)
            tries += 1

    def pages(
        self,
        method: str,
        template: str,
        credential: str,
        path: Sequence[str | int],
        query: Mapping[str, object],
        parameter: str,
        following: str,
        key: str,
    ) -> Iterator[Any]:
        at: object = None
        while True:
            page = self.json(method, template, credential, path, {**query, parameter: at})
            yield from page[key]
            at = page.get(following)
            if at is None:
                return

    def close(self) -> None:
        self._own().close()

    def _own(self) -> Http:
        if self._pid != os.getpid():
            # A child process must not share connections with its parent.
            self._http.forget()
            self._pid = os.getpid()
        return self._http


class AsyncSender:
    """Sends from any event loop."""

    def __init__(self, settings: ApiSettings) -> None:
        self.settings = settings
        self._http = AsyncHttp(settings.base_url, Http(settings.base_url, settings.ssl_context))
        self._pid = os.getpid()

    async def json(self, *asked: Any, **more: Any) -> Any:
        return value_of(await self.reply(request_of(self.settings, *asked, **more)))

    async def none(self, *asked: Any, **more: Any) -> None:
        await self.reply(request_of(self.settings, *asked, **more))

    async def reply(self, sent: Sent, *, decided: bool = False) -> Reply:
        """`Sender.reply` with `await`; the decisions are in functions that both share."""
        http = self._own()
        tries = 0
        while True:
            problem: WeirApiError | Fault
            try:
                reply = await http.send(
                    sent.method,
                    sent.target,
                    sent.headers,
                    sent.body,
                    self.settings.deadline(),
                    repeatable=sent.repeatable,
                )
                if is_final(reply, decided):
                    return reply
                problem = error_of(reply.status, reply.headers, reply.body)
            except Fault as fault:
                problem = fault
            seconds = pause_before(sent, self.settings, tries, problem)
            if seconds is None:
                raise _raised(problem)
            await pause(seconds)
            tries += 1

    async def download(self, *asked: Any, **more: Any) -> AsyncDownload:
        sent = request_of(self.settings, *asked, **more)
        tries = 0
        while True:
            problem: WeirApiError | Fault
            try:
                opened = await self._own().open(
                    sent.method, sent.target, sent.headers, self.settings.timeout_ms / 1000
                )
                if opened.status < 300:
                    return AsyncDownload(opened)
                async with AsyncDownload(opened) as refused:
                    problem = error_of(opened.status, opened.headers, await refused.read())
            except Fault as fault:
                problem = fault
            seconds = pause_before(sent, self.settings, tries, problem)
            if seconds is None:
                raise _raised(problem)
            await pause(seconds)
            tries += 1

    async def pages(
        self,
        method: str,
        template: str,
        credential: str,
        path: Sequence[str | int],
        query: Mapping[str, object],
        parameter: str,
        following: str,
        key: str,
    ) -> AsyncIterator[Any]:
        at: object = None
        while True:
            page = await self.json(method, template, credential, path, {**query, parameter: at})
            for item in page[key]:
                yield item
            at = page.get(following)
            if at is None:
                return

    async def close(self) -> None:
        await self._own().close()

    def _own(self) -> AsyncHttp:
        if self._pid != os.getpid():
            self._http.forget()
            self._pid = os.getpid()
        return self._http


def _raised(problem: WeirApiError | Fault) -> WeirApiError | WeirConnectionError:
    return WeirConnectionError(str(problem)) if isinstance(problem, Fault) else problem


class Group:
    """One group of API operations."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender


class AsyncGroup:
    """`Group` for event loops."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender
