"""The real service fails during calls.

It fails before its verdict, between its verdict and the provider's answer, and during a stream.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from itertools import product
from typing import Any, Iterator

import anthropic
import httpx
import httpx2
import openai
import pytest

from support.between import Between
from support.both import each, go
from support.faults import Fault, is_question, raw, says, silent
from support.servers import ProviderLike, Seen, completion_chunks, message_events
from support.service import Service, running
from support.streams import held
from weir_sdk import Weir, is_blocked, weir

#: Assembled from parts, so that no scanner reports them as real ones.
SECRET = "planted-" + "prompt-4711"
PROVIDER_KEY = "provider-" + "key-4711"
MESSAGES: Any = [{"role": "user", "content": SECRET}]
CLIENTS: dict[str, Any] = {
    "openai": (openai, openai.OpenAI, "/v1", {}),
    "openai async": (openai, openai.AsyncOpenAI, "/v1", {}),
    "anthropic": (anthropic, anthropic.Anthropic, "", {"max_tokens": 9}),
    "anthropic async": (anthropic, anthropic.AsyncAnthropic, "", {"max_tokens": 9}),
}
every_client = pytest.mark.parametrize("name", list(CLIENTS))
MODES = ["closed", "open"]
every_mode = pytest.mark.parametrize("mode", MODES)


def every_client_and_mode(test: Any) -> Any:
    return every_client(every_mode(test))


#: The limit of a call with a deadline of 1 s: it detects hanging, and is not a measurement.
HANGS_AFTER_SECONDS = 45


@pytest.fixture
def between(service: Service) -> Iterator[Between]:
    made = Between(service)
    yield made
    made.stop()


def made(name: str, at: Service | Between, provider: ProviderLike, **options: Any) -> Any:
    _, cls, path, _ = CLIENTS[name]
    client = cls(api_key=PROVIDER_KEY, base_url=provider.url + path, max_retries=0)
    own = {"api_key": at.key, "base_url": at.url, "deadline_ms": 1_000, "on_warning": lambda text: None}
    return weir(client, **{**own, **options})


async def ask(name: str, client: Any, **more: Any) -> Any:
    """Sends a call, in a thread if it would block the loop, so that a hang is detected."""
    create = client.messages.create if name.startswith("anthropic") else client.chat.completions.create
    given = {"model": "m", "messages": MESSAGES, **CLIENTS[name][3], **more}
    return await create(**given) if name.endswith("async") else await asyncio.to_thread(create, **given)


def reports_to(at: Service | Between) -> Weir:
    """The handle on the queue of all clients with this key."""
    return Weir(api_key=at.key, base_url=at.url)


def nothing_leaks(at: Service | Between, *things: object) -> None:
    for thing in things:
        text = "".join(traceback.format_exception(thing)) if isinstance(thing, BaseException) else repr(thing)
        for shown in (text, repr(thing), str(thing)):
            assert not any(word in shown for word in (PROVIDER_KEY, at.key))
        # A Python traceback quotes source lines, but not values.
        assert SECRET not in text


def refuses(status: int, kind: str) -> Fault:
    body = b'{"error":{"message":"Weir says no","type":"x","code":"%s"}}' % kind.encode()
    return says(status, body, {"content-type": "application/json", "retry-after": "3600"})


OUTAGES: dict[str, Any] = {"slow": silent, "garbage": raw(b"\x15\x03\x01\x00\x02\x02\x16"), "500": refuses(500, "internal")}
REFUSALS = [(401, "authentication_error"), (402, "subscription_lapsed"), (429, "rate_limit_exceeded")]


@every_client_and_mode
@pytest.mark.parametrize("outage", list(OUTAGES))
async def test_an_outage_before_the_verdict_leads_to_the_fail_mode(
    outage: str, mode: str, name: str, between: Between, provider: ProviderLike
) -> None:
    between.fault = OUTAGES[outage]
    client = made(name, between, provider, fail_mode=mode)
    call = asyncio.wait_for(ask(name, client), HANGS_AFTER_SECONDS)
    if mode == "open":
        await call
        assert len(provider.requests) == 1
    else:
        with pytest.raises(CLIENTS[name][0].InternalServerError) as failed:
            await call
        assert failed.value.status_code == 503 and not is_blocked(failed.value) and not provider.requests
        nothing_leaks(between, failed.value, failed.value.body, client)


@every_client_and_mode
@pytest.mark.parametrize("status, kind", REFUSALS)
async def test_an_error_of_the_service_is_raised_in_both_fail_modes(
    status: int, kind: str, mode: str, name: str, between: Between, provider: ProviderLike
) -> None:
    between.fault = refuses(status, kind)
    call = asyncio.wait_for(ask(name, made(name, between, provider, fail_mode=mode)), HANGS_AFTER_SECONDS)
    with pytest.raises(CLIENTS[name][0].APIStatusError) as failed:
        await call
    assert failed.value.status_code == status and not provider.requests
    nothing_leaks(between, failed.value, failed.value.body)


#: Faults of Weir after its verdict.
AFTER: dict[str, Any] = {
    "gone": lambda handler, seen: handler.cut() or True,
    "garbage": lambda handler, seen: handler.say(200, b"<html>") or True,
    "401": lambda handler, seen: handler.say(401, b'{"error":{"type":"authentication_error","message":"no"}}') or True,
    "402": lambda handler, seen: handler.say(402, b'{"error":{"type":"subscription_lapsed","message":"no"}}') or True,
    "429": lambda handler, seen: handler.say(429, b'{"error":{"type":"rate_limit_exceeded","message":"no"}}') or True,
    "500": lambda handler, seen: handler.say(500, b"") or True,
}


@every_client
@pytest.mark.parametrize("streamed", [False, True], ids=["before the answer", "during a stream"])
@pytest.mark.parametrize("after", list(AFTER))
async def test_a_failure_after_the_verdict_does_not_affect_the_caller(
    after: str, streamed: bool, name: str, between: Between, provider: ProviderLike
) -> None:
    """The call continues and is sent once, while its report waits in the bounded queue."""
    # The verdict is in time, however busy the machine is: the fault is after it.
    patient: Any = {"queue_max_reports": 2, "deadline_ms": 60_000}
    client = made(name, between, provider, **patient)
    own = Weir(api_key=between.key, base_url=between.url, queue_max_reports=2)
    for _ in range(4):
        between.fault = None
        if streamed:
            stream = await asyncio.wait_for(ask(name, client, stream=True), HANGS_AFTER_SECONDS)
            first = await each(stream, 1)
            between.fault = AFTER[after]
            await asyncio.wait_for(each(stream), HANGS_AFTER_SECONDS)
            await go(stream.close())
            assert first
        else:
            between.answered = lambda: setattr(between, "fault", AFTER[after])
            assert await asyncio.wait_for(ask(name, client), HANGS_AFTER_SECONDS)
            between.answered = None
    assert len(provider.requests) == 4
    stats = own.stats()
    assert stats["queued"] <= 2 and stats["queued"] + stats["dropped"] + stats["reported"] == 4
    between.fault = None
    nothing_leaks(between, client, own, stats)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Service]:
    """A separate service that these tests may stop and kill."""
    yield from running()


@every_mode
@every_client
async def test_a_paused_service_leads_to_the_fail_mode(mode: str, name: str, mortal: Service, provider: ProviderLike) -> None:
    client = made(name, mortal, provider, fail_mode=mode, deadline_ms=60_000)
    await ask(name, client)
    late = made(name, mortal, provider, fail_mode=mode)
    os.kill(mortal.process_id, signal.SIGSTOP)
    try:
        call = asyncio.wait_for(ask(name, late), HANGS_AFTER_SECONDS)
        if mode == "open":
            await call
        else:
            with pytest.raises(CLIENTS[name][0].InternalServerError, match="in time"):
                await call
        assert len(provider.requests) == (2 if mode == "open" else 1)
    finally:
        os.kill(mortal.process_id, signal.SIGCONT)
    # The service is available again, and the queued reports are sent.
    await ask(name, client)
    assert await asyncio.to_thread(reports_to(mortal).flush, 60_000)


@pytest.mark.parametrize("name", ["openai", "openai async"])
async def test_a_service_paused_during_a_stream_does_not_delay_the_stream(name: str, mortal: Service, provider: ProviderLike) -> None:
    go_on = threading.Event()
    provider.script = [held(go_on, completion_chunks(5))]
    client = made(name, mortal, provider, deadline_ms=60_000)
    stream = await ask(name, client, stream=True)
    assert len(await each(stream, 1)) == 1
    os.kill(mortal.process_id, signal.SIGSTOP)
    try:
        go_on.set()
        assert len(await asyncio.wait_for(each(stream), HANGS_AFTER_SECONDS)) == 4
        assert len(provider.requests) == 1
    finally:
        os.kill(mortal.process_id, signal.SIGCONT)
    assert await asyncio.to_thread(reports_to(mortal).flush, 60_000)


def broken_in_two(name: str, go_on: threading.Event) -> Any:
    """A stream that pauses in the middle, in the client's format."""
    return held(go_on, message_events() if name.startswith("anthropic") else completion_chunks(5), most=3)


async def begun(name: str, client: Any) -> Any:
    stream = await asyncio.wait_for(ask(name, client, stream=True), HANGS_AFTER_SECONDS)
    assert len(await each(stream, 1)) == 1
    return stream


async def test_streams_are_complete_if_the_service_is_killed_meanwhile(provider: ProviderLike) -> None:
    """Allowed calls continue in both fail modes; later calls follow their fail mode."""
    for service in running():
        streams, go_on = {}, threading.Event()
        for name, mode in product(CLIENTS, MODES):
            provider.script = [broken_in_two(name, go_on)]
            client = made(name, service, provider, fail_mode=mode, deadline_ms=60_000)
            streams[name, mode] = client, await begun(name, client)
        os.kill(service.process_id, signal.SIGKILL)
        go_on.set()
        for (name, mode), (client, stream) in streams.items():
            left = await asyncio.wait_for(each(stream), HANGS_AFTER_SECONDS)
            await go(stream.close())
            # All events after the one that was read: none is lost, and none is repeated.
            assert len(left) == (len(list(message_events())) if name.startswith("anthropic") else 5) - 1, (name, mode)
        assert len(provider.requests) == len(streams)
        stats = reports_to(service).stats()
        assert stats["queued"] + stats["dropped"] == len(streams) and not stats["reported"]
        nothing_leaks(service, stats, *(client for client, _ in streams.values()))
        for name, mode in streams:
            provider.reset()
            call = asyncio.wait_for(ask(name, made(name, service, provider, fail_mode=mode)), HANGS_AFTER_SECONDS)
            if mode == "open":
                await call
                assert len(provider.requests) == 1
            else:
                with pytest.raises(CLIENTS[name][0].InternalServerError):
                    await call
                assert not provider.requests


async def test_streams_raise_an_error_if_the_proxy_is_killed_meanwhile(provider: ProviderLike) -> None:
    """A partial answer is never treated as complete: the client raises a connection error."""
    at = dict.fromkeys(("WEIR_OPENAI_BASE_URL", "WEIR_ANTHROPIC_BASE_URL"), provider.url)
    for service in running(at):
        streams, go_on = {}, threading.Event()
        for name in CLIENTS:
            provider.script = [broken_in_two(name, go_on)]
            streams[name] = await begun(name, made(name, service, provider, via="proxy", deadline_ms=60_000))
        os.kill(service.process_id, signal.SIGKILL)
        for name, stream in streams.items():
            with pytest.raises((httpx.TransportError, httpx2.TransportError, CLIENTS[name][0].APIConnectionError)) as failed:
                await asyncio.wait_for(each(stream), HANGS_AFTER_SECONDS)
            nothing_leaks(service, failed.value)
        go_on.set()
        assert len(provider.requests) == len(streams)
        for name in CLIENTS:
            client = made(name, service, provider, via="proxy")
            with pytest.raises(CLIENTS[name][0].APIConnectionError) as gone:
                await asyncio.wait_for(ask(name, client), HANGS_AFTER_SECONDS)
            nothing_leaks(service, gone.value, client)
        assert len(provider.requests) == len(streams)


DYING = """
import asyncio, sys, openai
from weir_sdk import weir, Weir
provider, is_async = sys.argv[1], sys.argv[2] == "async"
made = (openai.AsyncOpenAI if is_async else openai.OpenAI)(api_key=sys.argv[3], base_url=provider, max_retries=0)
# Earlier verdicts arrive in time even on a busy machine; a refused connection fails at once.
client = weir(made, flush_timeout_ms=300, deadline_ms=60_000)
call = dict(model="m", messages=[{"role": "user", "content": sys.argv[4]}])
async def asked():
    answer = client.chat.completions.create(**call)
    return await answer if is_async else answer
async def main():
    for _ in range(5):
        await asked()
    print("killed", flush=True)
    sys.stdin.readline()
    try:
        await asked()
    except openai.InternalServerError as error:
        print("refused", error.status_code, flush=True)
asyncio.run(main())
raise RuntimeError("the program fails as well")
"""


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_process_ends_in_time_when_the_service_was_killed(kind: str, provider: ProviderLike) -> None:
    """The output of the ending process contains no prompt, no key and no secret."""
    for service in running():
        env = {**os.environ, "WEIR_BASE_URL": service.url, "WEIR_API_KEY": service.key}
        command = [sys.executable, "-c", DYING, f"{provider.url}/v1", kind, PROVIDER_KEY, SECRET]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        program = subprocess.Popen(command, env=env, text=True, **pipes)
        assert program.stdout is not None and program.stdin is not None
        assert program.stdout.readline() == "killed\n"
        os.kill(service.process_id, signal.SIGKILL)
        before = time.monotonic()
        printed, errors = program.communicate("go on\n", timeout=HANGS_AFTER_SECONDS)
        assert time.monotonic() - before < HANGS_AFTER_SECONDS
        assert printed == "refused 503\n" and "RuntimeError: the program fails as well" in errors
        assert len(provider.requests) == 5
        assert not any(word in printed + errors for word in (SECRET, PROVIDER_KEY, service.key))


async def test_logs_and_warnings_contain_nothing_that_was_sent(
    between: Between, provider: ProviderLike, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    warned: list[str] = []
    for outage in OUTAGES.values():
        between.fault = outage
        client = made("openai async", between, provider, fail_mode="open", on_warning=warned.append)
        await ask("openai async", client)
    between.fault = None
    gc.collect()
    own = [record.getMessage() for record in caplog.records if record.name.partition(".")[0] in ("weir_sdk", "weir")]
    nothing_leaks(between, own, warned)
    assert warned
