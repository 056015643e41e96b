"""The bare and the guarded client side by side: where no rule acts, nothing differs, neither for caller nor for provider."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import pytest

from support import anthropic_cases, openai_cases
from support.both import outcome
from support.clouds import MAKERS
from support.patient import weir
from support.same import as_arrived, as_sent
from support.servers import ProviderLike, WeirLike
from weir_sdk import Weir

KINDS: dict[str, Any] = {
    "openai": (openai.OpenAI, "/v1", {}),
    "openai async": (openai.AsyncOpenAI, "/v1", {}),
    "openai over httpx": (openai.OpenAI, "/v1", {"http_client": httpx.Client}),
    "openai async over httpx": (openai.AsyncOpenAI, "/v1", {"http_client": httpx.AsyncClient}),
    "anthropic": (anthropic.Anthropic, "", {}),
    "anthropic async": (anthropic.AsyncAnthropic, "", {}),
    "bedrock": (MAKERS["AnthropicBedrock"], "", {}),
    "bedrock async": (MAKERS["AsyncAnthropicBedrock"], "", {}),
    "anthropic async, own client": (anthropic.AsyncAnthropic, "", {"http_client": httpx2.AsyncClient}),
}


@lru_cache(maxsize=None)
def pair(kind: str, provider_url: str) -> tuple[Any, Any]:
    """The bare client and the guarded one. Making a client costs more than a call."""
    cls, path, options = KINDS[kind]
    built = [{name: make() for name, make in options.items()} for _ in range(2)]
    bare, other = (cls(api_key="provider-key", base_url=provider_url + path, max_retries=0, **each) for each in built)
    return bare, weir(other)


def cases() -> list[Any]:
    return [
        pytest.param(kind, answers, call, id=f"{kind}: {name}")
        for kind in KINDS
        for name, answers, call in (openai_cases if kind.startswith("openai") else anthropic_cases).CASES
    ]


@pytest.mark.parametrize("kind, answers, call", cases())
async def test_a_call_is_the_same_with_weir(kind: str, answers: Any, call: Any, door: WeirLike, provider: ProviderLike) -> None:
    bare, guarded = pair(kind, provider.url)
    assert type(guarded) is type(bare)
    provider.script = list(answers)
    expected = await outcome(call(bare))
    arrived_bare = list(provider.requests)
    provider.reset()
    provider.script = list(answers)
    assert await outcome(call(guarded)) == expected
    assert as_arrived(provider.requests) == as_arrived(arrived_bare)
    asked = [each for each in provider.requests if each.body]
    assert len(door.asked) == len(asked)
    assert [as_sent(*each) for each in zip(door.asked, asked)] == [each.body for each in asked]
    assert not any("provider-key" in value for each in door.asked for _, value in each.headers)
    assert Weir().flush(60_000)
    assert len(door.answers()) == len(asked)
