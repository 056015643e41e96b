"""Guarded clients with the real service and its shipped policy, by `/v1/calls` and the proxy."""

from __future__ import annotations

import json
import uuid
from typing import Any

import anthropic
import openai
import pytest

from support.both import each, go, within
from support.patient import weir
from support.service import Service
from weir_sdk import Weir, is_blocked, weir_context, weir_of

#: A social security number, which the shipped policy refuses.
FORBIDDEN = "My social security number is 078-05-1120, please keep it"
CANARY = "alice.canary@example.com"


@pytest.fixture(autouse=True)
def _environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_BASE_URL", service.url)
    monkeypatch.setenv("WEIR_API_KEY", service.key)


CLIENTS = {
    "openai": (openai, openai.OpenAI, "/v1"),
    "openai async": (openai, openai.AsyncOpenAI, "/v1"),
    "anthropic": (anthropic, anthropic.Anthropic, ""),
    "anthropic async": (anthropic, anthropic.AsyncAnthropic, ""),
}
WAYS = [(via, name) for via in ("calls", "proxy") for name in CLIENTS]


def made(service: Service, via: str, name: str) -> Any:
    _, cls, path = CLIENTS[name]
    return weir(cls(api_key="provider-key", base_url=service.provider + path), via=via)


async def ask(client: Any, text: str, **options: Any) -> Any:
    messages = [{"role": "user", "content": text}]
    if hasattr(client, "chat"):
        return await go(client.chat.completions.create(model="gpt-4o", messages=messages, **options))
    return await go(client.messages.create(model="claude-test", max_tokens=64, messages=messages, **options))


def text_of(answer: Any) -> str:
    return str(answer.choices[0].message.content if hasattr(answer, "choices") else answer.content[0].text)


def stored(service: Service, event_id: str) -> Any:
    return service.get(f"/v1/events/{event_id}?app={service.app_id}")


@pytest.mark.parametrize("via, name", WAYS)
async def test_a_call_is_allowed_and_recorded_with_its_answer(via: str, name: str, service: Service) -> None:
    mark = uuid.uuid4().hex
    with weir_context(metadata={"mark": mark}, session=f"s-{mark}"):
        answer = await ask(made(service, via, name), "hello")
    assert text_of(answer) == "Hi there, how are you?"
    outcome = weir_of(answer)
    assert outcome is not None and outcome.decision == "allow" and outcome.event_id is not None
    assert Weir().flush(60_000)
    events = service.get(f"/v1/events?app={service.app_id}&metadata.mark={mark}")["data"]
    assert sorted(each["type"] for each in events) == ["ai.request", "ai.response"]
    assert {each["session_id"] for each in events} == {f"s-{mark}"}
    sent = service.arrived()[-1]
    assert service.key not in json.dumps(sent) and "x-service" not in json.dumps(sent["headers"]).lower()


@pytest.mark.parametrize("via, name", WAYS)
async def test_an_address_is_masked_before_it_is_sent(via: str, name: str, service: Service) -> None:
    answer = await ask(made(service, via, name), f"hello, write to {CANARY}")
    outcome = weir_of(answer)
    assert outcome is not None and outcome.decision == "redact" and outcome.redactions == {"contains_pii": 1}
    assert CANARY not in json.dumps(service.arrived()) and "[EMAIL_1]" in json.dumps(service.arrived()[-1])


@pytest.mark.parametrize("via, name", WAYS)
async def test_a_refusal_raises_the_clients_own_error(via: str, name: str, service: Service) -> None:
    before = len(service.arrived())
    with pytest.raises(CLIENTS[name][0].BadRequestError) as refused:
        await ask(made(service, via, name), FORBIDDEN)
    outcome = weir_of(refused.value)
    assert is_blocked(refused.value) and outcome is not None and outcome.code == "content_policy_violation"
    assert outcome.violations and outcome.event_id is not None
    assert len(service.arrived()) == before and "078-05-1120" not in repr(refused.value)
    assert stored(service, outcome.event_id)["decision"] == "block"


@pytest.mark.parametrize("via, name", WAYS)
async def test_streams_are_received_and_recorded_completely(via: str, name: str, service: Service) -> None:
    client = made(service, via, name)
    mark = uuid.uuid4().hex
    with weir_context(metadata={"mark": mark}):
        if hasattr(client, "chat"):
            chunks = await each(await ask(client, "hello", stream=True))
            text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        else:
            opened = client.messages.stream(model="c", max_tokens=9, messages=[{"role": "user", "content": "hello"}])
            async with within(opened) as stream:
                text = await go(stream.get_final_text())
    assert text == "Hi there, how are you?"
    assert Weir().flush(60_000)
    events = service.get(f"/v1/events?app={service.app_id}&metadata.mark={mark}")["data"]
    [response] = [each for each in events if each["type"] == "ai.response"]
    assert text in json.dumps(stored(service, response["id"]), ensure_ascii=False)


@pytest.mark.parametrize("via", ["calls", "proxy"])
async def test_responses_and_embeddings_are_guarded(via: str, service: Service) -> None:
    client = made(service, via, "openai")
    client.responses.create(model="gpt-4o", input=f"hello {CANARY}")
    client.embeddings.create(model="text-embedding-3-small", input=[f"hello {CANARY}"])
    assert CANARY not in json.dumps(service.arrived())


def test_a_wrong_service_key_is_an_authentication_error(service: Service) -> None:
    client = openai.OpenAI(api_key="k", base_url=f"{service.provider}/v1")
    before = len(service.arrived())
    for via in ("calls", "proxy"):
        guarded = weir(client, via=via, api_key="sk_wrong")
        with pytest.raises(openai.AuthenticationError):
            guarded.chat.completions.create(model="m", messages=[])
    assert len(service.arrived()) == before


def test_the_bytes_equal_those_of_the_bare_client(service: Service) -> None:
    bare = openai.OpenAI(api_key="k", base_url=f"{service.provider}/v1")
    ask_for: Any = {"model": "m", "temperature": 1.0, "seed": 9007199254740993, "messages": [{"role": "user", "content": "hello é"}]}
    bare.chat.completions.create(**ask_for)
    weir(bare).chat.completions.create(**ask_for)
    first, second = service.arrived()[-2:]
    assert first["body"] == second["body"]
