"""Clients that run tools themselves: a refused tool does not run, and the model is informed."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import pytest
from google import genai
from google.genai import types

from support.both import go
from support.faults import allows_tools, refuses_tools
from support.patient import weir
from support.servers import GEMINI_ANSWER, ProviderLike, WeirLike, gemini_answers, message
from weir_sdk import tool, weir_genai_http_options

RAN: list[str] = []
REFUSED = "Weir refused the tool call delete_file"
allowed_or_not = pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "refused"])
sync_or_not = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@tool(deadline_ms=60_000)
def delete_file(path: str) -> str:
    """Deletes a file."""
    RAN.append(path)
    return f"{path} is gone"


@tool(name="delete_file", deadline_ms=60_000)
async def delete_later(path: str) -> str:
    """Deletes a file."""
    RAN.append(path)
    return f"{path} is gone"


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


def wants_the_tool(handler: Any, _: Any) -> None:
    answer = json.loads(message())
    used = {"type": "tool_use", "id": "t-1", "name": "delete_file", "input": {"path": "/tmp/a"}}
    answer.update(content=[used], stop_reason="tool_use")
    handler.say(200, json.dumps(answer).encode(), {"content-type": "application/json"})


def wants_the_tool_of_gemini(handler: Any, _: Any) -> None:
    part = {"functionCall": {"name": "delete_file", "args": {"path": "/tmp/a"}}}
    answer = {**GEMINI_ANSWER, "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
    handler.say(200, json.dumps(answer).encode(), {"content-type": "application/json"})


def ran_or_told(allowed: bool, door: WeirLike, provider: ProviderLike) -> None:
    [asked] = [each.json for each in door.requests if each.path == "/v1/events"]
    assert asked["payload"]["tool"] == "delete_file" and asked["payload"]["arguments"] == {"path": "/tmp/a"}
    assert RAN == (["/tmp/a"] if allowed else [])
    _, second = provider.requests
    assert (b"/tmp/a is gone" in second.body) == allowed and (REFUSED.encode() in second.body) != allowed


@allowed_or_not
@sync_or_not
async def test_anthropics_tool_runner_runs_only_allowed_tools(is_async: bool, allowed: bool, door: WeirLike, provider: ProviderLike) -> None:
    door.fault = allows_tools if allowed else refuses_tools
    provider.script = [wants_the_tool]
    kind: Any = anthropic.AsyncAnthropic if is_async else anthropic.Anthropic
    client = weir(kind(api_key="k", base_url=provider.url, max_retries=0))
    offered: Any = anthropic.beta_async_tool(name="delete_file")(delete_later) if is_async else anthropic.beta_tool(delete_file)
    given: Any = {"model": "claude-test", "max_tokens": 9, "messages": [{"role": "user", "content": "Clean up"}]}
    last = await go(client.beta.messages.tool_runner(**given, tools=[offered]).until_done())
    assert last.content[0].text == "Hello there"
    ran_or_told(allowed, door, provider)


@allowed_or_not
@sync_or_not
async def test_googles_client_calls_only_allowed_functions(
    is_async: bool, allowed: bool, door: WeirLike, provider: ProviderLike
) -> None:
    door.fault = allows_tools if allowed else refuses_tools
    provider.script = [wants_the_tool_of_gemini, gemini_answers]
    options = weir_genai_http_options({"base_url": provider.url}, deadline_ms=60_000)
    client = genai.Client(api_key="k", http_options=options)
    models: Any = client.aio.models if is_async else client.models
    config = types.GenerateContentConfig(tools=[delete_file])
    answer = await go(models.generate_content(model="gemini-2.5-flash", contents="Clean up", config=config))
    assert answer.text == "Hello there"
    ran_or_told(allowed, door, provider)
