"""LiteLLM with the callback: it asks Weir before every kind of call to every provider.

Calls that would bypass Weir are refused or cause a warning.
"""

from __future__ import annotations

import asyncio
import gc
import os
import queue
from typing import Any, Iterator

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import httpx
import litellm
import openai
import pytest
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, HTTPHandler

from support.patient import weir, weir_http_client
from support.servers import CANARY, MASK, ProviderLike, WeirLike, gemini_answers
from weir_sdk import Weir, WeirConfigError, is_blocked, weir_litellm, weir_of

MESSAGES = [{"role": "user", "content": f"Write to {CANARY}"}]
HOSTS = {"127.0.0.1": "openai"}
#: The base path of each model, and the answer where the simulated provider has none.
MODELS: dict[str, tuple[str, Any]] = {
    "openai/gpt-4o": ("/v1", None),
    "anthropic/claude-test": ("", None),
    "azure/gpt-4o": ("", None),
    "mistral/mistral-small": ("/v1", None),
    "hosted_vllm/some": ("/v1", None),
    "gemini/gemini-2.5-flash": ("", gemini_answers),
}
every = pytest.mark.parametrize("model", list(MODELS))


@pytest.fixture(autouse=True)
def warned(door: WeirLike) -> Iterator["queue.Queue[str]"]:
    said: "queue.Queue[str]" = queue.Queue()
    guard = weir_litellm(providers=HOSTS, deadline_ms=60_000, on_warning=said.put)
    # Each warning is issued once per `Core`, which the tests share.
    guard._core._warned.clear()
    yield said
    guard.close()
    assert said.empty()


def named(model: str, provider: ProviderLike) -> dict[str, Any]:
    path, answers = MODELS[model]
    if answers is not None:
        provider.script = [answers]
    more = {"api_version": "2024-10-21"} if model.startswith("azure") else {}
    base = provider.url + path
    if model.startswith("gemini"):
        base += "/v1beta/models/gemini-2.5-flash"
    return {"model": model, "api_base": base, "api_key": "provider-key", "max_tokens": 9, "max_retries": 0, **more}


async def ask(way: str, options: dict[str, Any]) -> None:
    if way == "completion":
        assert litellm.completion(**options).choices[0].message.content
    elif way == "acompletion":
        assert (await litellm.acompletion(**options)).choices[0].message.content
    elif way == "stream":
        assert "".join(chunk.choices[0].delta.content or "" for chunk in litellm.completion(**options, stream=True))
    else:
        stream = await litellm.acompletion(**options, stream=True)
        assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream])


@every
@pytest.mark.parametrize("way", ["completion", "acompletion", "stream", "astream"])
async def test_the_address_is_masked(model: str, way: str, door: WeirLike, provider: ProviderLike) -> None:
    await ask(way, {**named(model, provider), "messages": MESSAGES})
    assert len(provider.requests) == len(door.asked) == 1
    [seen] = provider.requests
    assert CANARY.encode() not in seen.body and MASK.encode() in seen.body
    assert "provider-key" not in repr(door.asked)
    if model != "anthropic/claude-test" or "stream" not in way:
        # LiteLLM drops streams without closing them; the end is their last event, which it usually
        # reads, but not always at Anthropic.
        assert Weir().flush(60_000) and [answer["ended"] for answer in door.answers()] == ["complete"]
    else:
        # Reported when Python collects the stream, which must be before the next test.
        gc.collect()
        assert Weir().flush(60_000)


@every
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_refusal_raises_the_error_of_litellm(model: str, is_async: bool, door: WeirLike, provider: ProviderLike) -> None:
    options = {**named(model, provider), "messages": [{"role": "user", "content": "BLOCK this"}], "num_retries": 0}
    with pytest.raises(litellm.BadRequestError) as refused:
        await litellm.acompletion(**options) if is_async else litellm.completion(**options)
    assert is_blocked(refused.value), model
    outcome = weir_of(refused.value)
    assert outcome is not None and outcome.violations == [{"rule": "test.block"}]
    assert provider.requests == [] and len(door.asked) == 1


async def test_embeddings_and_responses_are_masked(door: WeirLike, provider: ProviderLike) -> None:
    options: dict[str, Any] = {"api_base": f"{provider.url}/v1", "api_key": "k"}
    litellm.embedding(model="openai/e", input=[CANARY], **options)
    await litellm.aembedding(model="openai/e", input=[CANARY], **options)
    for call in (litellm.responses, litellm.aresponses):
        try:
            answer = call(model="openai/gpt-4o", input=CANARY, **options)
            await answer if asyncio.iscoroutine(answer) else None
        except Exception as error:
            # The simulated provider answers Responses like chats: only the request matters here.
            assert not isinstance(error, WeirConfigError)
    assert len(provider.requests) >= 4
    for seen in provider.requests:
        assert CANARY.encode() not in seen.body and MASK.encode() in seen.body


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-test"])
async def test_earlier_and_passed_in_clients_are_guarded(
    model: str, door: WeirLike, provider: ProviderLike, warned: Any
) -> None:
    [guard] = [each for each in litellm.callbacks if getattr(each, "_weir_litellm", False)]
    guard.close()
    options = {**named(model, provider), "messages": MESSAGES}
    litellm.completion(**options)
    await litellm.acompletion(**options)
    assert not door.asked and all(CANARY.encode() in seen.body for seen in provider.requests)
    handed = {"sync": HTTPHandler(), "async": AsyncHTTPHandler(), "own": HTTPHandler(client=httpx.Client())}
    provider.reset()
    again = weir_litellm(providers=HOSTS, deadline_ms=60_000, on_warning=warned.put)
    try:
        litellm.completion(**options)
        await litellm.acompletion(**options)
        if model.startswith("anthropic"):
            litellm.completion(**options, client=handed["sync"])
            await litellm.acompletion(**options, client=handed["async"])
            litellm.completion(**options, client=handed["own"])
        litellm.client_session = httpx.Client()
        litellm.in_memory_llm_clients_cache.flush_cache()
        litellm.completion(**options)
        assert len(provider.requests) == (6 if model.startswith("anthropic") else 3)
        assert all(CANARY.encode() not in seen.body and MASK.encode() in seen.body for seen in provider.requests)
    finally:
        litellm.client_session = None
        again.close()


def test_already_guarded_clients_keep_their_own_options(door: WeirLike, provider: ProviderLike) -> None:
    mine = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"), metadata={"mine": "1"})
    litellm.completion(model="openai/gpt-4o", messages=MESSAGES, client=mine)
    handler = HTTPHandler(client=weir_http_client(httpx.Client(), provider="anthropic", metadata={"mine": "2"}))
    litellm.completion(**named("anthropic/claude-test", provider), messages=MESSAGES, client=handler)
    assert [each.header("x-service-metadata") for each in door.asked] == ['{"mine":"1"}', '{"mine":"2"}']
    assert all(CANARY.encode() not in seen.body for seen in provider.requests)


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_client_that_bypasses_weir_causes_a_warning(
    is_async: bool, door: WeirLike, provider: ProviderLike, warned: Any
) -> None:
    """LiteLLM does not change the HTTP client of a client that the caller created."""
    base = f"{provider.url}/v1"
    options: dict[str, Any] = {"model": "openai/gpt-4o", "messages": [{"role": "user", "content": "hello"}]}
    if is_async:
        await litellm.acompletion(**options, client=openai.AsyncOpenAI(api_key="k", base_url=base))
    else:
        litellm.completion(**options, client=openai.OpenAI(api_key="k", base_url=base))
    said = await asyncio.to_thread(warned.get, True, 60)
    assert said == "LiteLLM called openai in a way that bypasses Weir: the call was neither judged nor recorded"


async def test_websockets_and_aiohttp_clients_are_refused(door: WeirLike) -> None:
    with pytest.raises(WeirConfigError, match="does not guard WebSockets"):
        await litellm._arealtime(model="openai/gpt-realtime", websocket=object(), api_key="k")
    with pytest.raises(Exception, match="does not guard LiteLLM's aiohttp clients"):
        litellm.completion(model="aiohttp_openai/gpt-4o", messages=MESSAGES, api_key="k", api_base="http://127.0.0.1:1/v1")


@pytest.mark.parametrize("is_async", [False, True])
async def test_unknown_hosts_are_refused_unless_declared_unguarded(
    is_async: bool, door: WeirLike, provider: ProviderLike, warned: Any
) -> None:
    options = {**named("anthropic/claude-test", provider), "messages": MESSAGES}
    [guard] = [each for each in litellm.callbacks if getattr(each, "_weir_litellm", False)]

    async def call() -> None:
        await litellm.acompletion(**options) if is_async else litellm.completion(**options)

    weir_litellm(on_warning=warned.put)
    with pytest.raises(Exception, match="provider is missing"):
        await call()
    assert not provider.requests and guard not in litellm.callbacks
    logs = weir_litellm(unguarded_hosts=["127.0.0.1"], on_warning=lambda _: None)
    await call()
    assert len(provider.requests) == 1 and not door.asked
    logs.close()


def test_closing_the_guard_undoes_all_changes(door: WeirLike, provider: ProviderLike) -> None:
    [guard] = [each for each in litellm.callbacks if getattr(each, "_weir_litellm", False)]
    assert "sk_test" not in repr(guard)
    guard.close()
    guard.close()
    litellm.completion(**named("anthropic/claude-test", provider), messages=MESSAGES)
    assert not door.asked and CANARY.encode() in provider.requests[0].body
    assert guard not in litellm.callbacks + litellm.success_callback + litellm.input_callback


def test_an_unknown_version_is_refused_before_anything_changes(door: WeirLike, monkeypatch: pytest.MonkeyPatch) -> None:
    [guard] = [each for each in litellm.callbacks if getattr(each, "_weir_litellm", False)]
    guard.close()
    before = dict(HTTPHandler.__dict__)
    monkeypatch.delattr("litellm.llms.openai.common_utils.BaseOpenAILLM._get_sync_http_client")
    with pytest.raises(WeirConfigError, match="not supported"):
        weir_litellm()
    assert dict(HTTPHandler.__dict__) == before


async def test_concurrent_calls_are_distinguished(door: WeirLike, provider: ProviderLike, warned: Any) -> None:
    """A warning is issued for the one concurrent call that bypasses Weir."""
    past = openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1")
    options = {**named("openai/gpt-4o", provider), "messages": [{"role": "user", "content": "hello"}]}
    await asyncio.gather(*(litellm.acompletion(**options) for _ in range(5)), litellm.acompletion(**options, client=past))
    assert "bypasses Weir" in await asyncio.to_thread(warned.get, True, 60)
    assert len(door.asked) == 5 and len(provider.requests) == 6
