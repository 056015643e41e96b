"""Frameworks that create their own clients: requests are masked, and a refusal raises the client's own error."""

from __future__ import annotations

from typing import Any, Callable

import anthropic
import httpx2
import openai
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool as langchain_tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from support.faults import allows_tools, refuses_tools
from support.patient import tool, weir, weir_http_client
from support.servers import CANARY, MASK, ProviderLike, WeirLike
from weir_sdk import ToolBlocked, is_blocked, weir_of

SAY = f"Write to {CANARY}"


def masked(provider: ProviderLike, count: int = 1) -> None:
    assert len(provider.requests) == count
    for seen in provider.requests:
        assert CANARY.encode() not in seen.body and MASK.encode() in seen.body


def chat_openai(provider: ProviderLike, **options: Any) -> ChatOpenAI:
    return ChatOpenAI(
        model="gpt-4o",
        api_key="k",
        base_url=f"{provider.url}/v1",
        max_retries=0,
        http_client=weir_http_client(httpx2.Client(), provider="openai"),
        http_async_client=weir_http_client(httpx2.AsyncClient(), provider="openai"),
        **options,
    )


def chat_anthropic(provider: ProviderLike) -> ChatAnthropic:
    model = ChatAnthropic(model="claude-test", api_key="k", base_url=provider.url, max_retries=0)
    model.__dict__.update(_client=weir(model._client), _async_client=weir(model._async_client))
    return model


MODELS: dict[str, tuple[Callable[[ProviderLike], Any], Any]] = {
    "ChatOpenAI": (chat_openai, openai),
    "ChatOpenAI over Responses": (lambda provider: chat_openai(provider, use_responses_api=True), openai),
    "ChatAnthropic": (chat_anthropic, anthropic),
}
models = pytest.mark.parametrize("name", list(MODELS))


@langchain_tool
def look(place: str) -> str:
    """Looks at a place."""
    return place


@models
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream", "with tools"])
async def test_requests_of_langchain_models_are_masked(
    name: str, way: str, door: WeirLike, provider: ProviderLike
) -> None:
    model = MODELS[name][0](provider)
    try:
        if way == "invoke":
            model.invoke(SAY)
        elif way == "ainvoke":
            await model.ainvoke(SAY)
        elif way == "stream":
            list(model.stream(SAY))
        elif way == "astream":
            [chunk async for chunk in model.astream(SAY)]
        else:
            model.bind_tools([look]).invoke([("system", "Be brief"), ("user", SAY)])
    except (AttributeError, TypeError, KeyError, ValueError):
        # The simulated provider answers Responses like chats: only the request matters here.
        assert "Responses" in name
    masked(provider)
    assert len(door.asked) == 1


@models
async def test_a_refusal_raises_the_error_of_the_models_client(name: str, door: WeirLike, provider: ProviderLike) -> None:
    make, package = MODELS[name]
    for ask in (make(provider).invoke, make(provider).ainvoke):
        with pytest.raises(package.BadRequestError) as refused:
            answer = ask("BLOCK this")
            await answer
        assert is_blocked(refused.value)
    assert not provider.requests


async def test_embeddings_of_langchain_are_masked(door: WeirLike, provider: ProviderLike) -> None:
    embeddings = OpenAIEmbeddings(
        model="e",
        api_key="k",
        base_url=f"{provider.url}/v1",
        check_embedding_ctx_length=False,
        http_client=weir_http_client(httpx2.Client(), provider="openai"),
        http_async_client=weir_http_client(httpx2.AsyncClient(), provider="openai"),
    )
    embeddings.embed_query(CANARY)
    await embeddings.aembed_query(CANARY)
    masked(provider, 2)


async def test_tools_of_langchain_ask_weir_before_they_run(door: WeirLike) -> None:
    ran: list[str] = []

    @langchain_tool
    @tool
    def remove(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return f"{path} is gone"

    @langchain_tool
    @tool
    async def remove_later(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return f"{path} is gone"

    door.fault = allows_tools
    assert remove.name == "remove" and list(remove.args) == ["path"]
    assert remove.invoke({"path": "a"}) == "a is gone" and await remove_later.ainvoke({"path": "b"}) == "b is gone"

    door.fault = refuses_tools
    with pytest.raises(ToolBlocked):
        remove.invoke({"path": "c"})
    with pytest.raises(ToolBlocked):
        await remove_later.ainvoke({"path": "d"})
    assert ran == ["a", "b"]


class ModelError(Exception):
    """An error of a framework that keeps the body of the client's error, but not its response."""

    def __init__(self, body: object) -> None:
        self.body = body


def test_a_refusal_is_recognised_in_the_body_that_a_framework_keeps(door: WeirLike, openai_client: Any) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        weir(openai_client).chat.completions.create(model="m", messages=[{"role": "user", "content": "BLOCK this"}])
    error = ModelError(refused.value.body)
    outcome, known = weir_of(error), weir_of(refused.value)
    assert is_blocked(error) and outcome is not None and known is not None
    assert (outcome.event_id, outcome.decision, outcome.code) == (known.event_id, "block", known.code)
    assert not any(map(is_blocked, (ModelError({"code": "invalid_prompt"}), ModelError("text"), ModelError(None))))
