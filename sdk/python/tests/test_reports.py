"""Reports: complete, bounded, without delays for the caller, and sent before a process ends."""

from __future__ import annotations

import asyncio
import gc
import gzip
import multiprocessing
import os
import subprocess
import sys
import threading
import zlib
from typing import Any

import httpx2
import openai
import pytest

from support.patient import weir, weir_http_client
from support.servers import CANARY, ProviderLike, Seen, WeirLike, completion, completion_chunks
from support.streams import endless, is_cut_at_once
from weir_sdk import Weir, weir_context, weir_of

ASK: Any = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def client_of(provider: ProviderLike, **options: Any) -> openai.OpenAI:
    return weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1", max_retries=0), **options)


def test_an_answer_is_reported_unchanged(door: WeirLike, provider: ProviderLike) -> None:
    result = client_of(provider).chat.completions.create(**ASK)
    [answer] = door.wait_for_answers(1)
    outcome = weir_of(result)
    assert outcome is not None and answer["call"] == outcome.call_id
    assert answer["body"] == completion()
    assert (answer["status"], answer["ended"], answer["content_type"]) == (200, "complete", "application/json")
    assert answer["latency_ms"] > 0


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_answer_is_reported_compressed(coding: str, door: WeirLike, provider: ProviderLike) -> None:
    packed = gzip.compress(completion(identity="packed-1")) if coding == "gzip" else zlib.compress(completion(identity="packed-1"))
    headers = {"content-type": "application/json", "content-encoding": coding}
    provider.script = [lambda handler, seen: handler.say(200, packed, headers)]
    result = client_of(provider).chat.completions.create(**ASK)
    assert result.choices[0].message.content == "Hello there"
    [answer] = door.wait_for_answers(1)
    assert answer["content_encoding"] == coding and answer["body"] == packed
    assert weir_of(result) is not None


def test_errors_of_the_provider_are_reported(door: WeirLike, provider: ProviderLike) -> None:
    provider.script = [lambda handler, seen: handler.say(429, b'{"error":{"message":"slow"}}')]
    with pytest.raises(openai.RateLimitError):
        client_of(provider).chat.completions.create(**ASK)
    provider.script = [lambda handler, seen: handler.cut()]
    with pytest.raises(openai.APIConnectionError):
        client_of(provider).chat.completions.create(**ASK)
    first, second = door.wait_for_answers(2)
    assert (first["status"], first["ended"]) == (429, "complete")
    assert (second["ended"], second["error"]) == ("error", "upstream_unreachable")


def test_an_aborted_stream_is_reported_with_the_part_received(door: WeirLike, provider: ProviderLike) -> None:
    more = threading.Event()

    def slow(handler: Any, seen: Seen) -> None:
        def chunks() -> Any:
            chunks = list(completion_chunks(3))
            yield chunks[0]
            more.wait(60)
            # Until the client closes the connection.
            while not handler.server.broken_off.is_set():
                yield chunks[1]

        handler.stream(chunks())

    provider.script = [slow]
    stream = client_of(provider).chat.completions.create(**ASK, stream=True)
    next(iter(stream))
    stream.close()
    more.set()
    [answer] = door.wait_for_answers(1)
    assert answer["ended"] == "aborted" and b"w0" in answer["body"]
    assert provider.broken_off.wait(60), "the provider's connection is closed at once"


async def test_a_cancelled_task_closes_the_providers_connection(door: WeirLike, provider: ProviderLike) -> None:
    client = weir(openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    began = asyncio.Event()

    async def read() -> None:
        async for _ in await client.chat.completions.create(**ASK, stream=True):
            began.set()

    await is_cut_at_once(read, provider, began)
    await asyncio.to_thread(door.wait_for_answers, 1)
    assert door.answers()[0]["ended"] == "aborted"


def test_an_answer_that_nobody_reads_is_reported(door: WeirLike, provider: ProviderLike) -> None:
    http = weir_http_client(httpx2.Client(), provider="openai")
    request = http.build_request("POST", f"{provider.url}/v1/chat/completions", json={"messages": []})
    response = http.send(request, stream=True)
    del response
    gc.collect()
    assert door.wait_for_answers(1)[0]["ended"] == "aborted"


def test_a_long_answer_is_reported_truncated(door: WeirLike, provider: ProviderLike) -> None:
    provider.script = [lambda handler, seen: handler.stream(completion_chunks(2000))]
    client = client_of(provider, report_max_bytes=50_000)
    assert len(list(client.chat.completions.create(**ASK, stream=True))) == 2000
    [answer] = door.wait_for_answers(1)
    assert answer["ended"] == "aborted" and 0 < answer["length"] <= 50_000


@pytest.mark.parametrize("limit", [{"queue_max_reports": 3}, {"queue_max_bytes": 3 * len(completion())}])
def test_the_queue_is_bounded_and_dropped_reports_are_counted(limit: Any, door: WeirLike, provider: ProviderLike) -> None:
    go_on = threading.Event()

    def held(handler: Any, seen: Seen) -> bool:
        if seen.path == "/v1/calls/answers":
            go_on.wait(60)
        return False

    door.fault = held
    warned: list[str] = []
    client = client_of(provider, **limit, on_warning=warned.append)
    for _ in range(8):
        client.chat.completions.create(**ASK)
    own = Weir(**limit)
    stats = own.stats()
    assert (stats["dropped"], stats["queued"]) == (5, 3) and stats["queued_bytes"] <= 3 * len(completion())
    assert not own.flush(10)
    go_on.set()
    assert own.flush(60_000)
    assert own.stats()["reported"] == 3 and len(warned) == 1 and own.stats()["queued_bytes"] == 0


def test_reports_are_retried_after_a_failure_of_weir(door: WeirLike, provider: ProviderLike) -> None:
    failures = [503, 500]

    def busy(handler: Any, seen: Seen) -> bool:
        if seen.path == "/v1/calls/answers" and failures:
            handler.say(failures.pop(), b"")
            return True
        return False

    door.fault = busy
    client_of(provider).chat.completions.create(**ASK)
    assert Weir().flush(60_000) and failures == []
    assert {each["body"] for each in door.answers()} == {completion()}


async def test_the_context_of_calls_reaches_weir(door: WeirLike, provider: ProviderLike) -> None:
    client = weir(
        openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1", max_retries=1),
        metadata={"team": "a", "feature": "x"},
        session="s-0",
    )

    async def call(user: str) -> None:
        with weir_context(metadata={"user": user, "feature": "é"}, session=f"s-{user}", request_id=f"r-{user}"):
            await asyncio.sleep(0)
            await client.chat.completions.create(**ASK, user=user)

    await asyncio.gather(*(call(str(n)) for n in range(5)))
    await client.chat.completions.create(**ASK, user="none")
    for seen in door.asked:
        user = seen.json["user"]
        expected = (
            '{"team":"a","feature":"x"}' if user == "none" else f'{{"team":"a","feature":"\\u00e9","user":"{user}"}}'
        )
        assert seen.header("x-service-metadata") == expected
        assert seen.header("x-service-session") == ("s-0" if user == "none" else f"s-{user}")
        assert seen.header("x-request-id") == (None if user == "none" else f"r-{user}")
    provider.script = [lambda handler, seen: handler.say(500, b"", {"retry-after-ms": "1"})]
    await client.chat.completions.create(**ASK)
    assert '"attempt":2' in str(door.asked[-1].header("x-service-metadata"))


def test_flush_waits_for_reports_of_deleted_clients(door: WeirLike, provider: ProviderLike) -> None:
    go_on = threading.Event()

    def held(handler: Any, seen: Seen) -> bool:
        return seen.path == "/v1/calls/answers" and not go_on.wait(60)

    door.fault = held
    http = weir_http_client(httpx2.Client(), provider="openai", queue_max_reports=77)
    assert http.post(f"{provider.url}/v1/chat/completions", json={"messages": []}).status_code == 200
    del http
    gc.collect()
    assert not Weir(queue_max_reports=77).flush(10)
    go_on.set()
    assert Weir(queue_max_reports=77).flush(60_000) and len(door.answers()) == 1


def test_bare_and_guarded_client_may_be_deleted_independently(door: WeirLike, provider: ProviderLike) -> None:
    bare = openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1")
    guarded = weir(bare)
    del bare
    gc.collect()
    guarded.chat.completions.create(**ASK)
    bare = openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1")
    weir(bare).chat.completions.create(**ASK)
    gc.collect()
    bare.chat.completions.create(**ASK)
    assert len(provider.requests) == 3 and len(door.asked) == 2


SCRIPT = """
import os, sys, openai
from weir_sdk import weir
client = weir(openai.OpenAI(api_key="k", base_url=sys.argv[1]), deadline_ms=60_000)
for n in range(20):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
"""


def run(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=120)


def test_a_process_sends_all_reports_before_it_ends(door: WeirLike, provider: ProviderLike) -> None:
    ended = run(SCRIPT + "del client", f"{provider.url}/v1")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(door.answers()) == 20


def test_a_process_ends_within_the_limit_if_weir_accepts_no_reports(door: WeirLike, provider: ProviderLike) -> None:
    stop = threading.Event()

    def held(handler: Any, seen: Seen) -> bool:
        if seen.path == "/v1/calls/answers":
            stop.wait(60)
        return False

    door.fault = held
    ended = run(SCRIPT.replace("deadline_ms=60_000", "deadline_ms=60_000, flush_timeout_ms=200"), f"{provider.url}/v1")
    assert ended.returncode == 0 and not stop.is_set()
    stop.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_its_own_connections_and_reports(door: WeirLike, provider: ProviderLike) -> None:
    forking = """
pid = os.fork()
for n in range(5):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "child" if pid == 0 else "parent"}])
if pid == 0:
    from weir_sdk import Weir
    print(Weir().flush(60000), Weir().stats()["asked"], flush=True)
    # An orderly exit would also send queued reports, but flush() alone must have sent them.
    os._exit(0)
os.waitpid(pid, 0)
"""
    # Without keep-alive connections to the provider: both processes would share them in any case.
    own = 'base_url=sys.argv[1], http_client=httpx2.Client(limits=httpx2.Limits(max_keepalive_connections=0))'
    ended = run("import httpx2" + SCRIPT.replace("base_url=sys.argv[1]", own) + forking, f"{provider.url}/v1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True 5\n", "")
    calls = [each["call"] for each in door.answers()]
    assert len(calls) == len(set(calls)) == 30


# Reads the beginning of a streamed answer.
BEGUN_STREAM = """
import gc, os, sys, openai
from weir_sdk import Weir, weir
client = weir(openai.OpenAI(api_key="k", base_url=sys.argv[1]), deadline_ms=60_000)
stream = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)
parts = iter(stream)
next(parts)
"""


def test_an_answer_that_is_not_read_to_its_end_when_the_process_ends_is_reported(door: WeirLike, provider: ProviderLike) -> None:
    provider.script = [lambda handler, seen: handler.stream(completion_chunks(5))]
    ended = run(BEGUN_STREAM, f"{provider.url}/v1")
    assert (ended.returncode, ended.stderr) == (0, "")
    [answer] = door.answers()
    assert answer["ended"] == "aborted" and b"w0" in answer["body"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_during_a_stream_does_not_end_the_call_of_its_parent(door: WeirLike, provider: ProviderLike) -> None:
    provider.script = [lambda handler, seen: handler.stream(completion_chunks(5))]
    forking = """
pid = os.fork()
if pid == 0:
    del parts, stream
    gc.collect()
    print(Weir().flush(60000), Weir().stats()["reported"], flush=True)
    # An orderly exit would report the stream in any case.
    os._exit(0)
os.waitpid(pid, 0)
print(len(list(parts)))
"""
    ended = run(BEGUN_STREAM + forking, f"{provider.url}/v1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True 0\n4\n", "")
    assert [each["ended"] for each in door.answers()] == ["complete"]


def _in_a_child(provider_url: str) -> None:
    client = weir(openai.OpenAI(api_key="k", base_url=provider_url))
    client.chat.completions.create(**ASK)


@pytest.mark.parametrize("method", [each for each in ("fork", "spawn", "forkserver") if each in multiprocessing.get_all_start_methods()])
def test_children_of_multiprocessing_report_before_they_end(method: str, door: WeirLike, provider: ProviderLike) -> None:
    script = f"""
import multiprocessing, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
from test_reports import _in_a_child
if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    children = [context.Process(target=_in_a_child, args=(sys.argv[1],)) for _ in range(2)]
    for child in children: child.start()
    for child in children: child.join()
    sys.exit(max(child.exitcode for child in children))
"""
    ended = run(script, f"{provider.url}/v1")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(door.answers()) == 2
    assert CANARY not in ended.stdout


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="open files cannot be counted here")
def test_consecutive_event_loops_leave_no_connection_open(door: WeirLike, provider: ProviderLike) -> None:
    script = """
import asyncio, os, sys, warnings
import openai
from weir_sdk import weir
async def call():
    async with openai.AsyncOpenAI(api_key="k", base_url=sys.argv[1]) as client:
        await weir(client, deadline_ms=60_000, report="await").chat.completions.create(model="m", messages=[])
warnings.simplefilter("error", ResourceWarning)
open_files = []
for _ in range(4):
    asyncio.run(call())
    open_files.append(len(os.listdir("/dev/fd")))
print(open_files[-1] - open_files[0])
"""
    ended = run(script, f"{provider.url}/v1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0\n", "")
    assert len(door.answers()) == 4
