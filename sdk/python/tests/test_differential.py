"""Comparison of the bare and the guarded client.

If no rule acts, nothing differs for the caller or the provider.
"""

from __future__ import annotations

import asyncio
import gc
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable

import anthropic
import httpx
import httpx2
import openai
import pytest
from google import genai
from google.oauth2.credentials import Credentials

from support import anthropic_cases, genai_cases, openai_cases
from support.both import outcome
from support.clouds import MAKERS
from support.patient import weir
from support.same import as_arrived, as_sent, noticed
from support.servers import ProviderLike, WeirLike
from support.streams import is_cut_at_once
from weir_sdk import Weir, weir_genai_http_options

#: A bare client and a guarded client.
Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Kind:
    """A client to compare: the creation of the pair, the calls, and their minimum number."""

    pair: Callable[[str], Pair]
    calls: list[tuple[str, list[Any], Any]]
    least: int


def of(cls: Any, path: str = "", **options: Any) -> Callable[[str], Pair]:
    """Creates a pair; if a class of HTTP client is given, each has its own instance."""

    def pair(url: str) -> Pair:
        built = [{name: make() if isinstance(make, type) else make for name, make in options.items()} for _ in range(2)]
        bare, other = (cls(api_key="provider-key", base_url=url + path, max_retries=0, **each) for each in built)
        return bare, weir(other)

    return pair


def azure(cls: Any) -> Callable[[str], Pair]:
    def pair(url: str) -> Pair:
        made = cls(api_key="provider-key", azure_endpoint=url, api_version="2024-10-21", azure_deployment="gpt", max_retries=0)
        return made, weir(made)

    return pair


class OwnCredentials(Credentials):  # type: ignore[misc,unused-ignore]
    """Credentials whose token need not be fetched."""

    def refresh(self, request: Any) -> None:
        raise AssertionError("the token is still good")


def google(is_async: bool = False, at_vertex: bool = False) -> Callable[[str], Pair]:
    def pair(url: str) -> Pair:
        # An async bare client would use aiohttp, whose headers are different.
        own = {"httpx_async_client": httpx2.AsyncClient(follow_redirects=True, timeout=None)} if is_async else {}
        options: Any = {"base_url": url, **own}
        access: Any = {"api_key": "provider-key"}
        if at_vertex:
            credentials = OwnCredentials(token="not-a-secret")
            access = {"vertexai": True, "project": "p", "location": "europe-west1", "credentials": credentials}
        guarded = weir_genai_http_options(options, deadline_ms=60_000)
        bare, other = (genai.Client(**access, http_options=each) for each in (options, guarded))
        _kept.extend((bare, other))
        return (bare.aio, other.aio) if is_async else (bare, other)

    return pair


#: Google's client closes its HTTP clients when it is collected, although its async half is in use.
_kept: list[Any] = []
_NOT_AT_AZURE = {"a list", "pages", "an upload", "a redirect"}
AT_AZURE = [each for each in openai_cases.CASES if each[0] not in _NOT_AT_AZURE]
GENERATING = [each for each in genai_cases.CASES if not {"an upload", "pages", "a list of files"} & {each[0]}][:60]
OPENAI, ANTHROPIC, GENAI = openai_cases.CASES, anthropic_cases.CASES, genai_cases.CASES
KINDS: dict[str, Kind] = {
    "openai": Kind(of(openai.OpenAI, "/v1"), OPENAI, 60),
    "openai async": Kind(of(openai.AsyncOpenAI, "/v1"), OPENAI, 60),
    "openai over httpx": Kind(of(openai.OpenAI, "/v1", http_client=httpx.Client), OPENAI[::2], 30),
    "openai async over httpx": Kind(of(openai.AsyncOpenAI, "/v1", http_client=httpx.AsyncClient), OPENAI[1::2], 30),
    "azure": Kind(azure(openai.AzureOpenAI), AT_AZURE, 40),
    "azure async": Kind(azure(openai.AsyncAzureOpenAI), AT_AZURE[::2], 30),
    "anthropic": Kind(of(anthropic.Anthropic), ANTHROPIC, 60),
    "anthropic async": Kind(of(anthropic.AsyncAnthropic), ANTHROPIC, 60),
    "anthropic async, own client": Kind(of(anthropic.AsyncAnthropic, http_client=httpx2.AsyncClient), ANTHROPIC[::2], 30),
    "bedrock": Kind(of(MAKERS["AnthropicBedrock"]), ANTHROPIC, 40),
    "bedrock async": Kind(of(MAKERS["AsyncAnthropicBedrock"]), ANTHROPIC[::2], 30),
    "vertex": Kind(of(MAKERS["AnthropicVertex"]), ANTHROPIC, 40),
    "vertex async": Kind(of(MAKERS["AsyncAnthropicVertex"]), ANTHROPIC[1::2], 30),
    "google": Kind(google(), GENAI, 60),
    "google async": Kind(google(is_async=True), GENAI, 60),
    "google at vertex": Kind(google(at_vertex=True), GENERATING, 40),
    "google at vertex async": Kind(google(True, True), GENERATING[::2], 30),
}


@lru_cache(maxsize=None)
def pair(kind: str, provider_url: str) -> Pair:
    """Reuses pairs, because creating a client costs more than a call."""
    return KINDS[kind].pair(provider_url)


def cases() -> list[Any]:
    return [
        pytest.param(kind, answers, call, id=f"{kind}: {name}")
        for kind, each in KINDS.items()
        for name, answers, call in each.calls
    ]


@pytest.mark.parametrize("kind, answers, call", cases())
async def test_a_guarded_call_equals_the_bare_call(kind: str, answers: Any, call: Any, door: WeirLike, provider: ProviderLike) -> None:
    bare, guarded = pair(kind, provider.url)
    assert type(guarded) is type(bare)
    expected = await noticed(bare, call, answers, provider)
    assert await noticed(guarded, call, answers, provider) == expected
    # Weir is asked about requests with a body, or with a URL that may contain text.
    asked = [each for each in provider.requests if each.body or "%" in each.path]
    assert len(door.asked) == len(asked)
    assert [as_sent(*each) for each in zip(door.asked, asked)] == [each.body for each in asked]
    secrets = ("provider-key", "not-a-secret", "AKIDEXAMPLE")
    assert not any(secret in value for each in door.asked for _, value in each.headers for secret in secrets)
    await reported(door, len(asked))


async def reported(door: WeirLike, count: int) -> None:
    """Waits for the reports.

    Google's client leaves unfinished streams to the garbage collector; the loop then ends them.
    """
    for _ in range(100):
        assert await asyncio.to_thread(Weir().flush, 60_000)
        if len(door.answers()) >= count:
            break
        gc.collect()
        await asyncio.sleep(0)
    assert len(door.answers()) == count


@pytest.mark.parametrize("kind", list(KINDS))
def test_at_least_the_declared_number_of_calls_is_compared(kind: str) -> None:
    names = [name for name, _, _ in KINDS[kind].calls]
    assert len(names) >= KINDS[kind].least and len(set(names)) == len(names)


def say_hello(client: Any) -> str:
    answer = client.chat.completions.create(**openai_cases.ASK)
    return str(answer.choices[0].message.content)


def in_threads(client: Any) -> list[str]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: say_hello(client), range(24)))


def dropped(client: Any) -> list[str]:
    """Deletes a client with an unfinished stream; a copy of the client still works."""
    again = client.with_options(timeout=9)
    next(iter(client.chat.completions.create(**openai_cases.ASK, stream=True)))
    del client
    gc.collect()
    return [say_hello(again)]


def forked(client: Any) -> list[str]:
    """A child process calls with a client that its parent created."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(theirs, say_hello(client).encode())
        finally:
            # A child that continues or ends with clean-up would run the parent's tests.
            os._exit(0)
    os.waitpid(child, 0)
    os.close(theirs)
    with open(ours) as said:
        return [said.read(), say_hello(client)]


@pytest.mark.parametrize("way", [in_threads, dropped, forked], ids=lambda way: str(way.__name__))
def test_threads_garbage_collection_and_forks_work_as_with_a_bare_client(way: Any, door: WeirLike, provider: ProviderLike) -> None:
    # Without keep-alive connections to the provider, which a fork would share, guarded or not.
    limits = httpx.Limits(max_keepalive_connections=0)
    came = []
    for guard in (lambda client: client, weir):
        provider.reset()
        http = httpx.Client(limits=limits)
        client = guard(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1", max_retries=0, http_client=http))
        came.append((way(client), as_arrived(provider.requests)))
    assert came[0] == came[1] and len(door.asked) == len(provider.requests)


async def test_concurrent_tasks_have_the_same_results_as_with_a_bare_client(door: WeirLike, provider: ProviderLike) -> None:
    came = []
    for client in pair("openai async", provider.url):
        provider.reset()

        async def call(number: int, client: Any = client) -> Any:
            if number % 2:
                return await outcome(openai_cases.stream(client))
            return await outcome(openai_cases.chat(user=str(number))(client))

        found = await asyncio.gather(*(call(number) for number in range(24)))
        came.append((found, sorted(as_arrived(provider.requests), key=repr)))
    assert came[0] == came[1] and len(door.asked) == 24


async def test_cancelling_a_task_closes_the_connection_as_with_a_bare_client(door: WeirLike, provider: ProviderLike) -> None:
    for client in pair("openai async", provider.url):
        provider.reset()
        await is_cut_at_once(lambda: openai_cases.stream(client), provider)
        assert len(provider.requests) == 1


class Planted(httpx.BaseTransport):
    """A transport between guarded client and provider, with a fault that no guard may have."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.fault == "another byte in the body":
            content = request.content.replace(b":", b": ", 1)
            headers = {**request.headers, "content-length": str(len(content))}
            request = httpx.Request(request.method, request.url, headers=headers, content=content)
        elif self.fault == "another header":
            request.headers["x-more"] = "1"
        elif self.fault == "a header less":
            del request.headers["x-stainless-lang"]
        elif self.fault == "a second request":
            self.inner.handle_request(request).read()
        elif self.fault == "another path":
            request.url = request.url.copy_with(query=b"more=1")
        elif self.fault == "another error":
            raise httpx.ReadTimeout("late", request=request)
        response = self.inner.handle_request(request)
        if self.fault == "another answer":
            return httpx.Response(200, headers={"content-type": "application/json"}, content=response.read().replace(b"Hello", b"Hallo"))
        if self.fault == "another status":
            response.status_code = 201
        if self.fault == "another header of the answer":
            response.headers["x-more"] = "1"
        return response


FAULTS = ("another byte in the body", "another header", "a header less", "a second request", "another path", "another error",
          "another answer", "another status", "another header of the answer", "")  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_comparison_detects_planted_faults(fault: str, door: WeirLike, provider: ProviderLike) -> None:
    """The comparison detects each planted fault, and nothing without one."""
    options: Any = {"api_key": "k", "base_url": f"{provider.url}/v1", "max_retries": 0}
    bare = openai.OpenAI(**options, http_client=httpx.Client())
    guarded = weir(openai.OpenAI(**options, http_client=httpx.Client(transport=Planted(fault))))
    [raw] = [call for name, _, call in OPENAI if name == "raw response"]
    answers = [lambda handler, seen: handler.say(200, b'{"id":"Hello"}', {"content-type": "application/json"})] * 2
    expected = await noticed(bare, raw, answers, provider)
    assert (await noticed(guarded, raw, answers, provider) != expected) == bool(fault)
