"""Clients of a year ago: the canary test, and the comparison with the bare client."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import anthropic
import httpx
import openai
import pytest
from google import genai

from support import anthropic_cases, openai_cases
from support.both import each, go, outcome, within
from support.patient import weir
from support.same import as_arrived
from support.servers import CANARY, MASK, ProviderLike, WeirLike, gemini_answers
from weir_sdk import Weir, is_blocked, weir_genai_http_options, weir_of

MESSAGES: Any = [{"role": "user", "content": f"Write to {CANARY}"}]


def test_the_installed_clients_are_a_year_old() -> None:
    assert [version(name) for name in ("openai", "anthropic", "google-genai")] == ["2.8.0", "0.74.0", "1.52.0"]


BEDROCK: dict[str, Any] = {"aws_access_key": "AKIDEXAMPLE", "aws_secret_key": "not-a-secret", "aws_region": "eu-central-1"}
VERTEX: dict[str, Any] = {"region": "europe-west1", "project_id": "project", "access_token": "not-a-secret"}
AZURE: dict[str, Any] = {"api_version": "2024-10-21", "azure_deployment": "gpt"}
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "openai": (openai.OpenAI, {}),
    "openai async": (openai.AsyncOpenAI, {}),
    "azure": (openai.AzureOpenAI, AZURE),
    "azure async": (openai.AsyncAzureOpenAI, AZURE),
    "anthropic": (anthropic.Anthropic, {}),
    "anthropic async": (anthropic.AsyncAnthropic, {}),
    "bedrock": (anthropic.AnthropicBedrock, BEDROCK),
    "bedrock async": (anthropic.AsyncAnthropicBedrock, BEDROCK),
    "vertex": (anthropic.AnthropicVertex, VERTEX),
    "vertex async": (anthropic.AsyncAnthropicVertex, VERTEX),
}
SIDE_BY_SIDE = ("openai", "openai async", "anthropic", "anthropic async")


def made(kind: str, provider: ProviderLike) -> Any:
    cls, options = KINDS[kind]
    if kind.startswith("azure"):
        return cls(api_key="k", azure_endpoint=provider.url, max_retries=0, **options)
    base = provider.url + ("/v1" if kind.startswith("openai") else "")
    return cls(base_url=base, max_retries=0, **(options or {"api_key": "k"}))


async def ask(client: Any, messages: Any, stream: bool) -> Any:
    if hasattr(client, "chat"):
        answer = await go(client.chat.completions.create(model="m", messages=messages, stream=stream))
    else:
        answer = await go(client.messages.create(model="m", max_tokens=5, messages=messages, stream=stream))
    return await each(answer) if stream else answer


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_the_address_is_masked(kind: str, stream: bool, door: WeirLike, provider: ProviderLike) -> None:
    answer = await ask(weir(made(kind, provider)), MESSAGES, stream)
    [seen] = provider.requests
    assert answer and len(door.asked) == 1
    assert CANARY.encode() not in seen.body and MASK.encode() in seen.body
    assert Weir().flush(60_000) and len(door.answers()) == 1


@pytest.mark.parametrize("kind", list(KINDS))
async def test_a_refusal_raises_the_clients_own_error(kind: str, door: WeirLike, provider: ProviderLike) -> None:
    package = openai if hasattr(made(kind, provider), "chat") else anthropic
    with pytest.raises(package.BadRequestError) as refused:
        await ask(weir(made(kind, provider)), [{"role": "user", "content": "BLOCK"}], False)
    outcome = weir_of(refused.value)
    assert is_blocked(refused.value) and outcome is not None and outcome.violations == [{"rule": "test.block"}]
    assert not provider.requests and len(door.asked) == 1


async def test_helpers_and_own_http_clients_are_guarded(door: WeirLike, provider: ProviderLike) -> None:
    async with within(weir(made("openai", provider)).chat.completions.stream(model="m", messages=MESSAGES)) as stream:
        await each(stream)
    async with within(weir(made("anthropic async", provider)).messages.stream(model="m", max_tokens=5, messages=MESSAGES)) as stream:
        await stream.get_final_text()
    await ask(weir(made("openai", provider)).with_options(http_client=httpx.Client(), timeout=9), MESSAGES, False)
    assert len(provider.requests) == 3
    assert all(CANARY.encode() not in seen.body and MASK.encode() in seen.body for seen in provider.requests)


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_the_client_of_google_is_guarded(is_async: bool, stream: bool, door: WeirLike, provider: ProviderLike) -> None:
    """aiohttp is installed, so async calls would use it without the guard."""
    import aiohttp

    assert aiohttp
    provider.script = [gemini_answers]
    client = genai.Client(api_key="k", http_options=weir_genai_http_options({"base_url": provider.url}, deadline_ms=60_000))
    models = client.aio.models if is_async else client.models
    contents: Any = f"hi {CANARY}"
    if stream:
        chunks = await each(await go(models.generate_content_stream(model="g", contents=contents)))
        assert chunks[0].text == "Hello there"
    else:
        assert (await go(models.generate_content(model="g", contents=contents))).text == "Hello there"
    [seen] = provider.requests
    assert CANARY.encode() not in seen.body and MASK.encode() in seen.body and len(door.asked) == 1


def cases() -> list[Any]:
    return [
        pytest.param(kind, answers, call, id=f"{kind}: {name}")
        for kind in SIDE_BY_SIDE
        for name, answers, call in (openai_cases if kind.startswith("openai") else anthropic_cases).CASES
    ]


@pytest.mark.parametrize("kind, answers, call", cases())
async def test_a_guarded_call_equals_the_bare_call(kind: str, answers: Any, call: Any, door: WeirLike, provider: ProviderLike) -> None:
    bare = made(kind, provider)
    provider.script = list(answers)
    expected = await outcome(call(bare))
    arrived = as_arrived(provider.requests)
    provider.reset()
    provider.script = list(answers)
    assert await outcome(call(weir(bare))) == expected
    assert as_arrived(provider.requests) == arrived
    assert len(door.asked) == len([seen for seen in provider.requests if seen.body])
