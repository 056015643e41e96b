"""Canned answers: if a refusal of `/v1/calls` contains an answer, the caller gets it instead of an error."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
import pytest

from support.both import go
from support.faults import says
from support.patient import weir
from support.servers import ProviderLike, WeirLike
from weir_sdk import is_blocked, weir_of

WORDS = "I may not speak of this."
HEADERS = {"x-weir-decision": "block", "x-weir-event-id": "evt-1", "content-type": "application/json", "x-should-retry": "false"}
CHUNKS = [{"role": "assistant", "content": ""}, {"content": WORDS}]


def chat(object_name: str, **choice: Any) -> dict[str, Any]:
    return {"id": "chatcmpl-canned", "object": object_name, "created": 1, "model": "m", "choices": [{"index": 0, **choice}]}


COMPLETION = json.dumps(chat("chat.completion", finish_reason="stop", message={"role": "assistant", "content": WORDS}))
STREAM = "".join(
    f"data: {json.dumps(chat('chat.completion.chunk', delta=delta, finish_reason=None))}\n\n" for delta in CHUNKS
)
MESSAGE = json.dumps(
    {
        **{"id": "msg_canned", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"},
        "content": [{"type": "text", "text": WORDS}],
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
)


def refusal(content_type: str, body: str) -> Any:
    answer = {"content_type": content_type, "body": body}
    told = {"code": "content_policy_violation", "decision": "block", "violations": [], "answer": answer}
    return says(400, json.dumps({"error": {"message": "no", "weir": told}}).encode(), HEADERS)


@pytest.mark.parametrize("cls", [openai.OpenAI, openai.AsyncOpenAI])
async def test_a_refused_chat_returns_the_canned_answer(cls: Any, door: WeirLike, provider: ProviderLike) -> None:
    client = weir(cls(api_key="k", base_url=f"{provider.url}/v1"))
    asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    door.fault = refusal("application/json", COMPLETION)
    answer = await go(client.chat.completions.create(**asked))
    outcome = weir_of(answer)
    assert answer.choices[0].message.content == WORDS
    assert outcome is not None and outcome.decision == "block" and outcome.event_id == "evt-1" and is_blocked(answer)
    door.fault = refusal("text/event-stream", f"{STREAM}data: [DONE]\n\n")
    stream = await go(client.chat.completions.create(**asked, stream=True))
    chunks = [each async for each in stream] if cls is openai.AsyncOpenAI else list(stream)
    assert "".join(each.choices[0].delta.content or "" for each in chunks) == WORDS
    assert provider.requests == [] and len(door.asked) == 2


def test_a_refused_message_returns_the_canned_answer(door: WeirLike, provider: ProviderLike) -> None:
    client = weir(anthropic.Anthropic(api_key="k", base_url=provider.url))
    door.fault = refusal("application/json", MESSAGE)
    answer = client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert answer.content[0].text == WORDS and provider.requests == []


def test_a_client_that_signs_requests_raises_an_error_instead(door: WeirLike, provider: ProviderLike) -> None:
    client = weir(
        anthropic.AnthropicBedrock(
            aws_access_key="a", aws_secret_key="b", aws_region="eu-west-1", base_url=provider.url, max_retries=0
        )
    )
    door.fault = refusal("application/json", MESSAGE)
    with pytest.raises(anthropic.BadRequestError) as refused:
        client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert is_blocked(refused.value) and provider.requests == []
