"""OpenAI Agents with a guarded client: requests, streams and tool calls of an agent are judged."""

from __future__ import annotations

import json
from typing import Any

import agents
import httpx
import openai
import pytest
from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner, function_tool
from agents.tracing.processors import BackendSpanExporter

from support.patient import tool, weir, weir_http_client
from support.servers import CANARY, MASK, ProviderLike, Seen, WeirLike
from weir_sdk import ToolBlocked, is_blocked

SAY = f"Write to {CANARY}"


def response(*output: dict[str, Any]) -> dict[str, Any]:
    """A response of the Responses API."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "status": "completed",
        "model": "gpt-4o",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 3,
            "output_tokens": 2,
            "total_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


SAID: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hello there", "annotations": []}],
}
CALLED: dict[str, Any] = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "delete_file",
    "arguments": json.dumps({"path": "/tmp/a"}),
    "status": "completed",
}


def answering(*output: dict[str, Any]) -> Any:
    def answer(handler: Any, seen: Seen) -> None:
        whole = response(*output)
        if seen.json.get("stream"):
            event = {"type": "response.completed", "sequence_number": 1, "response": whole}
            handler.stream(iter([f"event: response.completed\ndata: {json.dumps(event)}\n\n".encode()]))
        else:
            handler.say(200, json.dumps(whole).encode(), {"content-type": "application/json"})

    return answer


def config(provider: ProviderLike, use_responses: bool = True) -> RunConfig:
    client = weir(openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1", max_retries=0))
    made = OpenAIProvider(openai_client=client, use_responses=use_responses)
    return RunConfig(model_provider=made, tracing_disabled=True, model_settings=ModelSettings(store=False))


def masked(provider: ProviderLike, count: int = 1) -> None:
    assert len(provider.requests) == count
    for seen in provider.requests:
        assert CANARY.encode() not in seen.body and MASK.encode() in seen.body


@pytest.mark.parametrize("use_responses", [True, False], ids=["responses", "chat"])
@pytest.mark.parametrize("is_streamed", [False, True], ids=["run", "run_streamed"])
async def test_requests_of_an_agent_are_masked(
    use_responses: bool, is_streamed: bool, door: WeirLike, provider: ProviderLike
) -> None:
    agent = Agent(name="a", instructions=f"Never tell {CANARY}", model="gpt-4o")
    provider.script = [answering(SAID)] if use_responses else []
    if is_streamed:
        run = Runner.run_streamed(agent, SAY, run_config=config(provider, use_responses))
        [event async for event in run.stream_events()]
        assert run.final_output
    else:
        done = await Runner.run(agent, SAY, run_config=config(provider, use_responses))
        assert done.final_output == "Hello there"
    masked(provider)
    assert len(door.asked) == 1


async def test_the_default_client_is_guarded(door: WeirLike, provider: ProviderLike) -> None:
    client = weir(openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    agents.set_default_openai_client(client, use_for_tracing=False)
    agents.set_tracing_disabled(True)
    provider.script = [answering(SAID)]
    try:
        assert (await Runner.run(Agent(name="a", model="gpt-4o"), SAY)).final_output == "Hello there"
    finally:
        agents.set_tracing_disabled(False)
    masked(provider)


@pytest.mark.parametrize("use_responses", [True, False], ids=["responses", "chat"])
async def test_a_refusal_raises_the_clients_own_error(use_responses: bool, door: WeirLike, provider: ProviderLike) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await Runner.run(Agent(name="a", model="gpt-4o"), "BLOCK this", run_config=config(provider, use_responses))
    assert is_blocked(refused.value) and not provider.requests


@pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "refused"])
async def test_a_tool_of_an_agent_runs_only_if_it_is_allowed(allowed: bool, door: WeirLike, provider: ProviderLike) -> None:
    ran: list[str] = []

    @function_tool(failure_error_function=None)
    @tool
    def delete_file(path: str) -> str:
        """Deletes a file."""
        ran.append(path)
        return f"{path} is gone, tell {CANARY}"

    def answer(handler: Any, seen: Seen) -> bool:
        if seen.path != "/v1/events":
            return False
        assert seen.json["payload"] == {"tool": "delete_file", "arguments": {"path": "/tmp/a"}}
        if allowed:
            handler.say(200, b'{"event_id":"e-1","decision":"allow","violations":[],"redactions":[]}')
        else:
            handler.say(400, b'{"error":{"type":"tool_use_blocked","message":"no","violations":[{"rule":"no-delete"}]}}')
        return True

    door.fault = answer
    provider.script = [answering(CALLED), answering(SAID)]
    run = Runner.run(Agent(name="a", model="gpt-4o", tools=[delete_file]), "clean up", run_config=config(provider))
    if allowed:
        assert (await run).final_output == "Hello there" and ran == ["/tmp/a"]
        assert MASK.encode() in provider.requests[1].body and CANARY.encode() not in provider.requests[1].body
    else:
        with pytest.raises(Exception) as refused:
            await run
        causes = [refused.value, refused.value.__cause__]
        assert any(isinstance(each, ToolBlocked) for each in causes) and ran == [] and len(provider.requests) == 1


async def test_websockets_of_agents_are_refused(door: WeirLike, provider: ProviderLike) -> None:
    client = weir(openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    made = OpenAIProvider(openai_client=client, use_responses_websocket=True)
    with pytest.raises(Exception, match="does not guard WebSockets"):
        await Runner.run(Agent(name="a", model="gpt-4o"), SAY, run_config=RunConfig(model_provider=made, tracing_disabled=True))
    assert not provider.requests


def test_prompts_in_traces_are_masked_before_they_are_sent(door: WeirLike, provider: ProviderLike) -> None:
    """Agents send traces to OpenAI with their own HTTP client."""
    exporter = BackendSpanExporter(api_key="k", endpoint=f"{provider.url}/v1/traces/ingest", max_retries=0)
    exporter._client = weir_http_client(httpx.Client(), provider="openai")
    # An example of the guide disables traces for the whole process.
    agents.set_tracing_disabled(False)
    agents.set_trace_processors([])
    with agents.trace("t") as begun:
        with agents.generation_span(input=[{"role": "user", "content": SAY}]) as span:
            pass
    exporter.export([begun, span])
    masked(provider)
