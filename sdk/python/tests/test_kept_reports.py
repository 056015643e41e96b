"""Reports that are not lost: while Weir is unavailable, when a task is cancelled, and without threads."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import json
import subprocess
import sys
import threading
from typing import Any, Iterator

import httpx
import httpx2
import openai
import pytest

from support.both import each, go
from support.patient import weir, weir_http_client
from support.servers import INVALID, ProviderLike, Seen, WeirLike, completion, completion_chunks
from support.streams import held
from weir_sdk import AsyncWeir, Weir, weir_context, weir_of
from weir_sdk._report import Report

ASK: Any = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def client_of(provider: ProviderLike, kind: Any = openai.OpenAI, own: Any = None, **options: Any) -> Any:
    return weir(kind(api_key="k", base_url=f"{provider.url}/v1", max_retries=0, **(own or {})), **options)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir_sdk._reports._PAUSES", (0.01,))


def some_times(count: int, answer: Any) -> Any:
    """A fault of the first `count` requests with reports."""
    left = [answer] * count

    def fault(handler: Any, seen: Seen) -> bool:
        if seen.path != "/v1/calls/answers" or not left:
            return False
        left.pop()(handler, seen)
        return True

    return fault


def items(**item: Any) -> Any:
    """An answer with the same item for each report."""

    def answer(handler: Any, seen: Seen) -> None:
        handler.say(200, json.dumps({"answers": [item] * seen.body.count(b'{"call"')}).encode())

    return answer


def test_of_an_answer_that_is_too_large_for_weir_the_beginning_is_reported(door: WeirLike, provider: ProviderLike) -> None:
    door.fault = some_times(1, lambda handler, seen: handler.say(413, b"too large"))
    before = Weir().stats()
    client_of(provider).chat.completions.create(**ASK)
    assert Weir().flush(60_000)
    whole = completion()
    sent = [(each["ended"], each["body"]) for each in door.answers()]
    assert sent == [("complete", whole), ("aborted", whole[: len(whole) // 2])]
    after = Weir().stats()
    assert (after["reported"] - before["reported"], after["dropped"] - before["dropped"]) == (1, 0)
    assert after["queued_bytes"] == 0


def test_a_report_that_is_too_large_even_without_its_answer_is_dropped(door: WeirLike, provider: ProviderLike) -> None:
    door.fault = some_times(1000, lambda handler, seen: handler.say(413, b"too large"))
    before = Weir().stats()["dropped"]
    client_of(provider).chat.completions.create(**ASK)
    assert Weir().flush(60_000)
    assert (Weir().stats()["dropped"] - before, Weir().stats()["queued_bytes"]) == (1, 0)


def test_bytes_after_the_last_event_do_not_damage_a_report_that_waits(door: WeirLike, provider: ProviderLike) -> None:
    last = b'event: ping\ndata: {}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n'
    began, go_on = threading.Event(), threading.Event()

    def late(handler: Any, seen: Seen) -> bool:
        if seen.path == "/v1/calls/answers":
            began.set()
            go_on.wait(60)
        return False

    door.fault = late
    http = weir_http_client(httpx2.Client(), provider="anthropic")
    http.post(f"{provider.url}/v1/messages", json={"messages": []})
    assert began.wait(60)
    provider.script = [lambda handler, seen: handler.stream(iter([last, b"\n"]))]
    assert http.post(f"{provider.url}/v1/messages", json={"messages": []}).content == last + b"\n"
    go_on.set()
    assert Weir().flush(60_000)
    assert [(each["ended"], each["body"]) for each in door.answers()][1:] == [("complete", last)]


UNAVAILABLE: dict[str, Any] = {
    "gone": lambda handler, seen: handler.cut(),
    "no HTTP": lambda handler, seen: (handler.wfile.write(b"\x15\x03"), handler.cut()),
    "429": lambda handler, seen: handler.say(429, b"{}"),
    "502 of a gateway": lambda handler, seen: handler.say(502, b"<html>bad gateway</html>"),
    "503": lambda handler, seen: handler.say(503, b'{"error":{"type":"unavailable","message":"x"}}'),
    "a report in progress": items(status=409, error={"type": "in_progress"}),
    "an item 429": items(status=429),
    "an item 503": items(status=503),
}


@pytest.mark.parametrize("fault", list(UNAVAILABLE))
def test_no_report_is_dropped_while_weir_is_unavailable(fault: str, door: WeirLike, provider: ProviderLike) -> None:
    door.fault = some_times(20, UNAVAILABLE[fault])
    own = Weir()
    before = own.stats()
    outcomes = [weir_of(client_of(provider).chat.completions.create(**ASK)) for _ in range(3)]
    assert own.flush(60_000)
    after = own.stats()
    assert (after["reported"] - before["reported"], after["dropped"] - before["dropped"], after["queued_bytes"]) == (3, 0, 0)
    assert all(outcome is not None and outcome.wait(0) for outcome in outcomes)


POISON = completion("poison")


def with_a_poisonous_one(door: WeirLike, provider: ProviderLike, fault: Any) -> tuple[int, int]:
    """Makes five calls, whose reports are sent together. Returns how many of them were reported, and how many dropped."""
    go_on = threading.Event()

    def after_all_calls(handler: Any, seen: Seen) -> bool:
        return bool(seen.path == "/v1/calls/answers" and go_on.wait(60) and fault(handler, seen))

    def answering(body: bytes) -> Any:
        return lambda handler, seen: handler.say(200, body, {"content-type": "application/json"})

    door.fault = after_all_calls
    provider.script = [answering(completion()), answering(POISON)]
    client = client_of(provider)
    own = Weir()
    before = own.stats()
    for _ in range(5):
        client.chat.completions.create(**ASK)
    go_on.set()
    assert own.flush(60_000)
    after = own.stats()
    return after["reported"] - before["reported"], after["dropped"] - before["dropped"]


@pytest.mark.parametrize("answer", [(400, b"<html>refused by a firewall</html>"), (422, INVALID)], ids=["a firewall", "Weir"])
def test_a_report_that_is_always_refused_does_not_hold_up_others(answer: Any, door: WeirLike, provider: ProviderLike) -> None:
    def refusing(handler: Any, seen: Seen) -> bool:
        if POISON not in seen.body:
            return False
        handler.say(*answer)
        return True

    assert with_a_poisonous_one(door, provider, refusing) == (4, 1)


def test_a_report_that_cannot_be_written_does_not_hold_up_others(
    door: WeirLike, provider: ProviderLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    framed = Report.framed

    def failing(self: Report) -> bytes:
        if POISON in b"".join(self.chunks):
            raise ValueError("cannot be written")
        return framed(self)

    monkeypatch.setattr(Report, "framed", failing)
    assert with_a_poisonous_one(door, provider, lambda handler, seen: False) == (4, 1)


@pytest.mark.parametrize(
    "answer", [b'{"answers":[null]}', b'{"answers":[{"status":[]}]}', b'{"answers":5}', b"[]", b"no JSON"]
)
def test_reports_are_sent_after_an_invalid_answer_of_weir(answer: bytes, door: WeirLike, provider: ProviderLike) -> None:
    door.fault = some_times(1, lambda handler, seen: handler.say(200, answer))
    client = client_of(provider)
    for _ in range(2):
        client.chat.completions.create(**ASK)
        assert Weir().flush(60_000)
    assert len(door.answers()) >= 2


def test_violations_of_an_unknown_form_are_ignored(door: WeirLike, provider: ProviderLike) -> None:
    door.fault = some_times(1, items(status=200, event_id="e-1", violations=5))
    outcome = weir_of(client_of(provider).chat.completions.create(**ASK))
    assert outcome is not None and outcome.wait(60_000)
    assert (outcome.answer_event_id, list(outcome.violations)) == ("e-1", [])


def test_the_wait_for_reports_may_be_unlimited(door: WeirLike, provider: ProviderLike) -> None:
    outcome = weir_of(client_of(provider).chat.completions.create(**ASK))
    assert Weir().flush(float("inf")) and outcome is not None and outcome.wait(float("inf"))


def test_a_process_that_can_start_no_thread_keeps_its_reports(
    door: WeirLike, provider: ProviderLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def refused(self: threading.Thread) -> None:
        if self.name == "weir-reports":
            raise RuntimeError("can't start new thread")
        start(self)

    own: Any = {"queue_max_reports": 79}
    client = client_of(provider, **own)
    with monkeypatch.context() as without_threads:
        without_threads.setattr(threading.Thread, "start", refused)
        assert client.chat.completions.create(**ASK).choices[0].message.content == "Hello there"
        assert Weir(**own).stats()["queued"] == 1
        # The waiting thread itself sends the reports.
        assert Weir(**own).flush(60_000) and len(door.answers()) == 1
        client.chat.completions.create(**ASK)
    # A thread can be started again.
    client.chat.completions.create(**ASK)
    assert len(door.wait_for_answers(3)) == 3


def test_a_warning_that_is_an_error_does_not_end_the_reports(door: WeirLike, provider: ProviderLike) -> None:
    go_on = threading.Event()
    door.fault = lambda handler, seen: bool(seen.path == "/v1/calls/answers" and not go_on.wait(60))

    def strict(text: str) -> None:
        raise RuntimeWarning(text)

    http = weir_http_client(httpx2.Client(), provider="openai", queue_max_reports=1, on_warning=strict)
    own = Weir(queue_max_reports=1)
    post: Any = {"method": "POST", "url": f"{provider.url}/v1/chat/completions", "json": {"messages": []}}
    http.request(**post)
    # Nobody reads this answer: its report is queued later, and the queue is full.
    http.send(http.build_request(**post), stream=True)
    gc.collect()
    assert not own.flush(10)
    go_on.set()
    assert own.flush(60_000)
    http.request(**post)
    assert own.flush(60_000) and own.stats()["reported"] == 2


async def test_a_task_that_is_cancelled_while_its_answer_is_reported_loses_no_report(
    door: WeirLike, provider: ProviderLike
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(handler: Any, seen: Seen) -> bool:
        if not seen.path.endswith("/answer"):
            return False
        begun.set()
        go_on.wait(60)
        handler.cut()
        return True

    door.fault = slow
    client = client_of(provider, openai.AsyncOpenAI, report="await")
    task = asyncio.create_task(client.chat.completions.create(**ASK))
    assert await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert await AsyncWeir().flush(60_000)
    [answer] = [each for each in door.answers() if "length" in each]
    assert (answer["ended"], answer["body"]) == ("complete", completion())


async def test_a_call_that_is_cancelled_before_its_answer_begins_is_reported_with_the_others(
    door: WeirLike, provider: ProviderLike
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(handler: Any, seen: Seen) -> None:
        begun.set()
        go_on.wait(60)
        handler.cut()

    provider.script = [slow]
    client = client_of(provider, openai.AsyncOpenAI)
    before = Weir().stats()
    task = asyncio.create_task(client.chat.completions.create(**ASK))
    assert await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await client.chat.completions.create(**ASK)
    go_on.set()
    assert await AsyncWeir().flush(60_000)
    ends = [(each["ended"], each.get("error"), each.get("status")) for each in door.answers()]
    assert sorted(ends, key=str) == [("complete", None, 200), ("error", "upstream_timeout", None)]
    after = Weir().stats()
    assert (after["reported"] - before["reported"], after["dropped"] - before["dropped"]) == (2, 0)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_a_call_that_is_interrupted_before_its_answer_begins_is_reported(library: Any, door: WeirLike) -> None:
    class Interrupted(library.BaseTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            raise KeyboardInterrupt

    http = weir_http_client(library.Client(transport=Interrupted()), provider="openai")
    with pytest.raises(KeyboardInterrupt):
        http.post("http://provider.test/v1/chat/completions", json={"messages": []})
    [answer] = door.wait_for_answers(1)
    assert (answer["ended"], answer["error"], answer.get("status")) == ("error", "upstream_timeout", None)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI], ids=["sync", "async"])
async def test_the_part_before_the_clients_own_timeout_is_reported(
    kind: Any, library: Any, door: WeirLike, provider: ProviderLike
) -> None:
    go_on = threading.Event()
    provider.script = [held(go_on, completion_chunks(3))]
    http = library.AsyncClient() if kind is openai.AsyncOpenAI else library.Client()
    client = client_of(provider, kind, {"timeout": 1.0, "http_client": http})
    stream = await go(client.chat.completions.create(**ASK, stream=True))
    with pytest.raises((httpx.ReadTimeout, httpx2.ReadTimeout, openai.APITimeoutError)):
        await each(stream)
    go_on.set()
    [answer] = await asyncio.to_thread(door.wait_for_answers, 1)
    assert (answer["ended"], answer.get("error")) == ("aborted", None) and b"w0" in answer["body"]


async def test_the_part_before_a_timeout_of_the_task_is_reported(door: WeirLike, provider: ProviderLike) -> None:
    go_on = threading.Event()
    provider.script = [held(go_on, completion_chunks(3))]
    client = client_of(provider, openai.AsyncOpenAI)
    stream = await client.chat.completions.create(**ASK, stream=True)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(each(stream), 1)
    go_on.set()
    [answer] = await asyncio.to_thread(door.wait_for_answers, 1)
    assert (answer["ended"], answer.get("error")) == ("aborted", None) and b"w0" in answer["body"]


def test_a_provider_that_breaks_off_is_reported_as_such(door: WeirLike, provider: ProviderLike) -> None:
    def broken(handler: Any, seen: Seen) -> None:
        def chunks() -> Iterator[bytes]:
            yield next(completion_chunks(1))
            raise OSError

        handler.stream(chunks())

    provider.script = [broken]
    with pytest.raises((httpx.HTTPError, httpx2.HTTPError, openai.APIConnectionError)):
        list(client_of(provider).chat.completions.create(**ASK, stream=True))
    [answer] = door.wait_for_answers(1)
    assert (answer["ended"], answer["error"]) == ("error", "upstream_unreachable")


def test_an_answer_that_a_new_process_never_reads_is_reported(door: WeirLike, provider: ProviderLike) -> None:
    script = """
import gc, httpx2, sys
from weir_sdk import weir_http_client
http = weir_http_client(httpx2.Client(), provider="openai", deadline_ms=60_000)
response = http.send(http.build_request("POST", sys.argv[1], json={"messages": []}), stream=True)
del response
gc.collect()
"""
    command = [sys.executable, "-c", script, f"{provider.url}/v1/chat/completions"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [each["ended"] for each in door.answers()] == ["aborted"]


def test_a_context_may_end_in_another_context(door: WeirLike, provider: ProviderLike) -> None:
    """As in a streaming response, whose generator a web framework advances in worker threads."""
    client = client_of(provider)

    def response() -> Iterator[str]:
        with weir_context(metadata={"user": "u-1"}):
            for chunk in client.chat.completions.create(**ASK, stream=True):
                yield chunk.choices[0].delta.content

    generator, words = response(), []
    while (word := contextvars.copy_context().run(next, generator, None)) is not None:
        words.append(word)
    assert words == [f"w{n} " for n in range(5)]
    assert door.asked[0].header("x-service-metadata") == '{"user":"u-1"}'
