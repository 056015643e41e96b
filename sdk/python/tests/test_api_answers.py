"""The client of Weir's whole API, sync and async: what it repeats, and how it reads the answers of a server."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any, Callable, Iterator

import pytest

from support.both import go
from support.servers import LocalServer, Seen
from weir_sdk import WeirApi, WeirApiError, WeirConnectionError


class Told(LocalServer):
    """Answers with the answers of a test in turn, and repeats the last one."""

    def __init__(self, *answers: Callable[[Any], None]) -> None:
        self.left = list(answers)
        super().__init__(self._told)

    def _told(self, handler: Any, seen: Seen) -> None:
        answer = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        answer(handler)


def says(status: int, body: bytes = b"{}", **headers: str) -> Callable[[Any], None]:
    return lambda handler: handler.say(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.fixture
def told() -> Iterator[Callable[..., Told]]:
    made: list[Told] = []

    def start(*answers: Callable[[Any], None]) -> Told:
        made.append(Told(*answers))
        return made[-1]

    yield start
    for server in made:
        server.stop()


async def test_retries_only_requests_that_had_no_effect(api_kind: Any, told: Any) -> None:
    server = told(says(500), lambda handler: handler.cut(), says(200, b'{"data": []}'))
    api = api_kind(base_url=server.url, token="t")
    assert await go(api.apps.list()) == {"data": []}
    assert len(server.requests) == 3
    server = told(says(500))
    with pytest.raises(WeirApiError) as failed:
        await go(api_kind(base_url=server.url, token="t").apps.create({"name": "x"}))
    assert failed.value.status == 500 and len(server.requests) == 1
    server = told(says(429, b"{}", retry_after="0"), says(201, b'{"id": "a"}'))
    assert await go(api_kind(base_url=server.url, token="t").apps.create({"name": "x"})) == {"id": "a"}
    assert len(server.requests) == 2
    server = told(says(503, b"{}", retry_after="3600"))
    with pytest.raises(WeirApiError) as closed:
        await go(api_kind(base_url=server.url, token="t").apps.list())
    assert closed.value.retry_after_ms == 3_600_000 and len(server.requests) == 1


async def test_repeats_after_503_only_what_weir_has_not_done_yet_and_what_it_would_do_only_once(api_kind: Any, told: Any) -> None:
    event: Any = {"type": "ai.request", "request_id": "r", "payload": {"prompt": "hello"}}
    for error, ask, times in (
        ("unavailable", lambda api: api.apps.create({"name": "x"}), 1),
        ("unavailable", lambda api: api.events.submit(event), 1),
        ("unavailable", lambda api: api.events.submit({**event, "event_id": "e-1"}), 3),
        ("unavailable", lambda api: api.apps.list(), 3),
        ("overloaded", lambda api: api.apps.create({"name": "x"}), 3),
    ):
        body = b'{"error":{"type":"%s","message":"Not now"}}' % error.encode()
        server = told(says(503, body, retry_after="0"))
        with pytest.raises(WeirApiError) as failed:
            await go(ask(api_kind(base_url=server.url, token="t", api_key="k")))
        assert (failed.value.type, len(server.requests)) == (error, times)


async def test_an_answer_that_exceeds_the_timeout_is_a_connection_error(api_kind: Any, told: Any) -> None:
    def drips(handler: Any) -> None:
        handler.send_response_only(200)
        handler.send_header("content-length", "1000000")
        handler.end_headers()
        for _ in range(600):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    server = told(drips)
    with pytest.raises(WeirConnectionError, match="in time"):
        await go(api_kind(base_url=server.url, token="t", timeout_ms=500, max_retries=0).apps.list())


async def test_an_answer_not_from_weir_raises_an_error_that_does_not_quote_it(api_kind: Any, told: Any) -> None:
    server = told(says(200, b"<html>secret-page</html>"))
    with pytest.raises(WeirConnectionError) as garbled:
        await go(api_kind(base_url=server.url, token="t").apps.list())
    assert "secret-page" not in repr(garbled.value) and garbled.value.__context__ is None
    server = told(says(502, b"<html>secret-page</html>"))
    with pytest.raises(WeirApiError) as failed:
        await go(api_kind(base_url=server.url, token="t", max_retries=0).apps.list())
    assert str(failed.value) == "502 unknown: Weir answered with status 502"
    server = told(says(302, b"", location="http://127.0.0.1:1/elsewhere"))
    with pytest.raises(WeirApiError):
        await go(api_kind(base_url=server.url, token="t").apps.list())


async def test_an_answer_that_closes_the_connection_is_read_completely(api_kind: Any, told: Any) -> None:
    body = json.dumps({"data": ["x" * 300_000]}).encode()
    server = told(says(200, body, connection="close"))
    api = api_kind(base_url=server.url, token="t", max_retries=0)
    for _ in range(2):
        assert await go(api.apps.list()) == json.loads(body)
    assert await go((await go(api.events.export())).read()) == body


async def test_a_truncated_file_raises_an_error(api_kind: Any, told: Any) -> None:
    def breaks_off(handler: Any) -> None:
        handler.send_response_only(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.wfile.flush()
        handler.cut()

    file = await go(api_kind(base_url=told(breaks_off).url, token="t").events.export())
    with pytest.raises(WeirConnectionError):
        await go(file.read())


def test_no_repr_or_error_shows_a_credential(api_kind: Any, told: Any) -> None:
    api = api_kind(base_url="http://127.0.0.1:1", token="wt_secret-token", api_key="sk_secret-key", max_retries=0)
    shown = [repr(api), repr(api.events), repr(vars(api)), repr(api._sender.settings)]

    async def fails() -> None:
        await go(api.apps.list())

    with pytest.raises(WeirConnectionError) as failed:
        asyncio.run(fails())
    shown += [repr(failed.value), str(failed.value), repr(failed.value.__context__)]
    assert "secret" not in " ".join(shown)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_process_has_its_own_connections(told: Any) -> None:
    server = told(says(200, b'{"data": []}'))
    with WeirApi(base_url=server.url, token="t") as api:
        api.apps.list()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if api.apps.list() == {"data": []} else 1
            finally:
                # Also when the call raises: a child that continues or ends with clean-up would run
                # the parent's tests.
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert api.apps.list() == {"data": []}
