"""Calls while Weir fails: they follow the fail mode within the deadline, and error messages contain no content."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Any

import anthropic
import httpx
import openai
import pytest

from support.both import go
from support.faults import Fault, is_question, raw, says, silent
from support.servers import ProviderLike, Seen, WeirLike
from weir_sdk import AsyncWeir, Weir, WeirConfigError, is_blocked, weir, weir_http_client

SECRET = "planted-prompt-4711"
MESSAGES: Any = [{"role": "user", "content": SECRET}]
KEY = "provider-key-4711"


def drip(handler: Any, seen: Seen) -> bool:
    """Sends single bytes with pauses, so that no single read takes long."""
    if not is_question(seen):
        return False
    handler.wfile.write(b"HTTP/1.1 204 No Content\r\n")
    for _ in range(400):
        try:
            handler.wfile.write(b"x-filler: y\r\n")
            handler.wfile.flush()
        except OSError:
            break
        time.sleep(0.05)
    handler.close_connection = True
    return True


def cut(handler: Any, seen: Seen) -> bool:
    if not is_question(seen):
        return False
    handler.cut()
    return True


OUTAGES: dict[str, Fault] = {
    "says nothing": silent,
    "drips": drip,
    "cuts": cut,
    "500": says(500, b'{"error":{"type":"internal","message":"x"}}'),
    "502 of a load balancer": says(502, b"<html>bad gateway</html>"),
    "503": says(503, b'{"error":{"type":"unavailable","message":"x"}}', {"retry-after": "1000"}),
    "200 of something else": says(200, b"<html>log in</html>"),
    "204 without a call": says(204, b""),
    "404 of something else": says(404, b"<html>not here</html>"),
    "no HTTP": raw(b"\x15\x03\x01\x00\x02\x02\x16"),
    "half a head": raw(b"HTTP/1.1 204 No Content\r\nx-weir-ca"),
    "half a body": raw(b"HTTP/1.1 200 OK\r\nx-weir-call: 1\r\ncontent-length: 100\r\n\r\n{"),
    "a broken chunk": raw(b"HTTP/1.1 200 OK\r\nx-weir-call: 1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
}
CLIENTS: dict[str, Any] = {
    "openai": (openai, openai.OpenAI, "/v1", lambda c: c.chat.completions.create(model="m", messages=MESSAGES)),
    "openai async": (openai, openai.AsyncOpenAI, "/v1", lambda c: c.chat.completions.create(model="m", messages=MESSAGES)),
    "anthropic": (anthropic, anthropic.Anthropic, "", lambda c: c.messages.create(model="m", max_tokens=1, messages=MESSAGES)),
    "anthropic async": (
        anthropic, anthropic.AsyncAnthropic, "",
        lambda c: c.messages.create(model="m", max_tokens=1, messages=MESSAGES),
    ),
}  # fmt: skip


def made(name: str, provider: ProviderLike, **options: Any) -> Any:
    _, cls, path, _ = CLIENTS[name]
    client = cls(api_key=KEY, base_url=provider.url + path, max_retries=2)
    return weir(client, **{"deadline_ms": 60_000, "on_warning": lambda text: None, **options})


def nothing_leaks(*texts: object) -> None:
    for text in map(repr, texts):
        assert not any(word in text for word in (SECRET, KEY, "sk_test"))


@pytest.mark.parametrize("outage", list(OUTAGES))
@pytest.mark.parametrize("name", list(CLIENTS))
async def test_fail_mode_closed_sends_nothing(name: str, outage: str, door: WeirLike, provider: ProviderLike) -> None:
    door.fault = OUTAGES[outage]
    package, _, _, call = CLIENTS[name]
    client = made(name, provider, deadline_ms=300)
    with pytest.raises(package.InternalServerError) as refused:
        await go(call(client))
    assert provider.requests == []
    error = refused.value.body.get("error", refused.value.body)
    assert error["weir"]["code"] == "guardrail_unavailable" and error["message"].startswith("Weir ")
    assert refused.value.status_code == 503 and not is_blocked(refused.value)
    nothing_leaks(refused.value, refused.value.body, client)


@pytest.mark.parametrize("outage", list(OUTAGES))
@pytest.mark.parametrize("name", ["openai", "anthropic async"])
async def test_fail_mode_open_sends_the_call_once_unchanged(name: str, outage: str, door: WeirLike, provider: ProviderLike) -> None:
    door.fault = OUTAGES[outage]
    warned: list[str] = []
    client = made(name, provider, fail_mode="open", on_warning=warned.append, deadline_ms=300)
    before = Weir().stats()["passed_open"]
    await go(CLIENTS[name][3](client))
    assert [SECRET.encode() in each.body for each in provider.requests] == [True]
    assert Weir().stats()["passed_open"] == before + 1
    nothing_leaks(warned)


@pytest.mark.parametrize("mode", ["closed", "open"])
@pytest.mark.parametrize(
    "status, kind", [(401, "authentication_error"), (402, "subscription_lapsed"), (403, "forbidden"), (404, "not_found"),
                     (409, "in_progress"), (413, "request_too_large"), (422, "invalid_request"), (429, "trial_limit_reached")]
)  # fmt: skip
def test_an_error_of_the_service_is_raised_in_both_fail_modes(
    status: int, kind: str, mode: str, door: WeirLike, provider: ProviderLike
) -> None:
    body = b'{"error":{"message":"Weir says no","type":"x","code":"%s"}}' % kind.encode()
    door.fault = says(status, body, {"x-should-retry": "false", "content-type": "application/json"})
    with pytest.raises(openai.APIStatusError) as refused:
        made("openai", provider, fail_mode=mode).chat.completions.create(model="m", messages=MESSAGES)
    assert (refused.value.status_code, refused.value.code) == (status, kind)
    assert len(door.asked) == 1 and provider.requests == []


@pytest.mark.parametrize("name", list(CLIENTS))
async def test_an_error_in_weirs_own_format_gets_the_names_of_the_provider(
    name: str, door: WeirLike, provider: ProviderLike
) -> None:
    body = b'{"error":{"type":"not_found","message":"Not found","trace_id":"trace-1"}}'
    door.fault = says(404, body, {"content-type": "application/json"})
    package, _, _, call = CLIENTS[name]
    with pytest.raises(package.NotFoundError, match="Weir: Not found") as refused:
        await go(call(made(name, provider)))
    error = refused.value.body.get("error", refused.value.body)
    assert (error["type"], error["weir"]) == ("not_found_error", {"code": "not_found"})
    assert provider.requests == []


@pytest.mark.parametrize("mode", ["closed", "open"])
@pytest.mark.parametrize("name", list(CLIENTS))
@pytest.mark.parametrize(
    "status, raised, why",
    [
        (413, 413, "this call is too large"),
        (414, 400, "the metadata or the address of this call is too long"),
        (431, 400, "the metadata or the address of this call is too long"),
    ],
)
async def test_a_call_that_is_too_large_is_refused(
    status: int, raised: int, why: str, name: str, mode: str, door: WeirLike, provider: ProviderLike
) -> None:
    # Such answers may be those of a server in front of Weir.
    door.fault = says(status, b"<html>too large</html>")
    package, _, _, call = CLIENTS[name]
    with pytest.raises(package.APIStatusError, match=why) as refused:
        await go(call(made(name, provider, fail_mode=mode)))
    assert refused.value.status_code == raised and not is_blocked(refused.value)
    assert len(door.asked) == 1 and provider.requests == []


def test_a_call_with_an_unencodable_header_is_judged(door: WeirLike, provider: ProviderLike) -> None:
    """If this counted as an outage, the call would be sent unguarded with `open`."""
    http = weir_http_client(httpx.Client(), provider="openai", fail_mode="open")
    http.post(f"{provider.url}/v1/chat/completions", content=b'{"a":1}', headers={"content-type": "application/json; of=\u4e2d".encode()})
    assert len(door.asked) == len(provider.requests) == 1


@pytest.mark.parametrize("name", list(CLIENTS))
async def test_requests_to_weir_are_retried_with_the_same_idempotency_key(name: str, door: WeirLike, provider: ProviderLike) -> None:
    answers = [cut, says(503, b"busy"), None]

    def fault(handler: Any, seen: Seen) -> bool:
        next_one = answers.pop(0) if is_question(seen) else None
        return next_one is not None and next_one(handler, seen)

    door.fault = fault
    await go(CLIENTS[name][3](made(name, provider, deadline_ms=60_000)))
    assert len(door.asked) == 3 and len(provider.requests) == 1
    assert len({each.header("idempotency-key") for each in door.asked}) == 1


def test_a_rate_limit_is_awaited_only_within_the_deadline(door: WeirLike, provider: ProviderLike) -> None:
    limited = b'{"error":{"message":"Weir: too many","type":"rate_limit_exceeded","code":"rate_limit_exceeded"}}'
    door.fault = says(429, limited, {"retry-after": "120"})
    with pytest.raises(openai.RateLimitError):
        made("openai", provider, deadline_ms=30_000).chat.completions.create(model="m", messages=MESSAGES)
    assert len(door.asked) == 1
    door.reset()
    answers = [says(429, limited, {"retry-after": "0"})]
    door.fault = lambda handler, seen: bool(is_question(seen) and answers and answers.pop()(handler, seen))
    made("openai", provider, deadline_ms=60_000).chat.completions.create(model="m", messages=MESSAGES)
    assert len(door.asked) == 2


@pytest.mark.parametrize("name", list(CLIENTS))
@pytest.mark.parametrize("to", ["another server", "another path"])
async def test_a_redirect_of_the_proxy_is_not_followed(to: str, name: str, door: WeirLike, provider: ProviderLike) -> None:
    proxy = ProviderLike()
    at = {"another server": provider.url, "another path": f"{proxy.url}/proxy/openai"}[to]
    proxy.script = [lambda handler, seen: handler.say(307, b"", {"location": f"{at}/v1/chat/completions"})]
    package, _, _, call = CLIENTS[name]
    try:
        with pytest.raises(package.InternalServerError) as refused:
            await go(call(made(name, provider, via="proxy", base_url=proxy.url)))
        assert len(proxy.requests) == 1 and provider.requests == []
    finally:
        proxy.stop()
    error = refused.value.body.get("error", refused.value.body)
    assert error["weir"]["code"] == "guardrail_unavailable" and "redirects are not followed" in error["message"]
    nothing_leaks(refused.value, refused.value.body)


def test_a_decision_about_a_failed_detector_is_not_treated_as_an_outage(door: WeirLike, provider: ProviderLike) -> None:
    body = b'{"error":{"message":"Weir could not scan","type":"api_error","code":"guardrail_unavailable"}}'
    door.fault = says(503, body, {"x-weir-decision": "block", "x-weir-event-id": "e1", "content-type": "application/json"})
    with pytest.raises(openai.InternalServerError):
        made("openai", provider, fail_mode="open").chat.completions.create(model="m", messages=MESSAGES)
    assert len(door.asked) == 1 and provider.requests == []


@pytest.mark.parametrize("name", list(CLIENTS))
async def test_nothing_is_sent_if_weir_is_unreachable(name: str, door: WeirLike, provider: ProviderLike) -> None:
    gone = WeirLike()
    gone.stop()
    with pytest.raises(CLIENTS[name][0].InternalServerError):
        await go(CLIENTS[name][3](made(name, provider, base_url=gone.url)))
    assert provider.requests == []


def test_a_kept_connection_that_weir_closed_is_replaced(door: WeirLike, provider: ProviderLike) -> None:
    client = made("openai", provider, deadline_ms=60_000, max_retries=0)
    for _ in range(3):
        client.chat.completions.create(model="m", messages=MESSAGES)
        assert Weir().flush(60_000)
        # Pooled connections are closed at their next request, without a response.
        ended = {"left": 1}

        def fault(handler: Any, seen: Seen, ended: dict[str, int] = ended) -> bool:
            handler.close_connection = True
            return False

        door.fault = fault
    assert len(provider.requests) == 3


async def test_a_cancelled_call_sends_nothing(door: WeirLike, provider: ProviderLike) -> None:
    door.fault = silent
    client = made("openai async", provider, deadline_ms=60_000)
    task = asyncio.create_task(client.chat.completions.create(model="m", messages=MESSAGES))
    await asyncio.to_thread(door.wait_for, lambda seen: len(seen) > 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert provider.requests == []


def test_concurrent_threads_can_share_a_client(door: WeirLike, provider: ProviderLike) -> None:
    client = made("openai", provider, deadline_ms=60_000)
    failed: list[BaseException] = []

    def calls() -> None:
        try:
            for _ in range(5):
                client.chat.completions.create(model="m", messages=MESSAGES)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=calls) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and len(provider.requests) == 80 and len(door.asked) == 80
    assert Weir().flush(60_000) and len(door.answers()) == 80


async def test_concurrent_tasks_can_share_a_client(door: WeirLike, provider: ProviderLike) -> None:
    client = made("openai async", provider, deadline_ms=60_000)
    await asyncio.gather(*(client.chat.completions.create(model="m", messages=MESSAGES) for _ in range(60)))
    assert len(provider.requests) == 60 and await AsyncWeir().flush(60_000)


def test_consecutive_event_loops_can_each_make_calls(door: WeirLike, provider: ProviderLike) -> None:
    async def one() -> None:
        async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{provider.url}/v1") as client:
            await weir(client).chat.completions.create(model="m", messages=MESSAGES)

    def in_a_thread() -> None:
        for _ in range(3):
            asyncio.run(one())

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    assert len(provider.requests) == 3


def test_logs_contain_nothing_that_was_sent(door: WeirLike, provider: ProviderLike, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="weir_sdk")
    door.fault = cut
    with pytest.raises(openai.InternalServerError):
        made("openai", provider).chat.completions.create(model="m", messages=MESSAGES)
    own = [record.getMessage() for record in caplog.records if record.name.startswith("weir")]
    nothing_leaks(own, Weir(), Weir().stats())


@pytest.mark.parametrize(
    "options, told",
    [
        ({"api_key": ""}, "api_key is missing"),
        ({"api_key": "a b"}, "api_key must be"),
        ({"base_url": "ftp://x"}, "base_url must be"),
        ({"base_url": "http://x:99999"}, "base_url must be"),
        ({"base_url": "http://[::1"}, "base_url must be"),
        ({"base_url": "http://x/a b"}, "base_url must be"),
        ({"base_url": "http://u:p@x"}, "base_url must not contain credentials"),
        ({"fail_mode": "ajar"}, "fail_mode must be 'closed' or 'open'"),
        ({"deadline_ms": 0}, "deadline_ms must be"),
        ({"deadline_ms": float("nan")}, "deadline_ms must be"),
        ({"deadline_ms": 2**31}, "deadline_ms must be"),
        ({"flush_timeout_ms": 1e300}, "flush_timeout_ms must be"),
        ({"max_retries": True}, "max_retries must be"),
        ({"metadata": "x"}, "metadata must be"),
        ({"metadata": {"a": {1, 2}}}, "metadata cannot be written as JSON"),
        ({"session": "two words"}, "session must be"),
        ({"session": "\u4e2d"}, "session must be"),
        ({"provider": "Open AI"}, "provider must be"),
        ({"timeout": 3}, "timeout is not an option"),
        ({"via": "proxy", "fail_mode": "open"}, "fail_mode 'open' needs via 'calls'"),
    ],
)
def test_an_invalid_option_is_named(options: Any, told: str, door: WeirLike, monkeypatch: pytest.MonkeyPatch) -> None:
    if options == {"api_key": ""}:
        monkeypatch.delenv("WEIR_API_KEY")
    with pytest.raises(WeirConfigError, match=told):
        Weir(**options)
