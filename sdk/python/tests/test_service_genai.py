"""Google's client with the real service and its shipped policy.

Calls are sync and async, by `/v1/calls` and through the proxy.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

import anthropic
import pytest
from google import genai
from google.genai import errors, types
from google.oauth2.credentials import Credentials

from support.both import each, go
from support.clouds import MAKERS
from support.patient import weir
from support.servers import ProviderLike, gemini_answers
from support.service import Service
from weir_sdk import Weir, WeirConfigError, is_blocked, weir_context, weir_genai_http_options, weir_of

#: A social security number, which the shipped policy refuses.
FORBIDDEN = "My social security number is 078-05-1120, please keep it"
CANARY = "alice.canary@example.com"
WAYS = [(via, is_async) for via in ("calls", "proxy") for is_async in (False, True)]
AS_JSON = {"content-type": "application/json"}
every_way = pytest.mark.parametrize("via, is_async", WAYS, ids=[f"{via}{' async' * other}" for via, other in WAYS])


@pytest.fixture(autouse=True)
def _environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_BASE_URL", service.url)
    monkeypatch.setenv("WEIR_API_KEY", service.key)


def made(service: Service, via: Any, is_async: bool) -> Any:
    options = weir_genai_http_options({"base_url": service.provider, "api_version": "v1beta"}, via=via, deadline_ms=60_000)
    client = genai.Client(api_key="provider-key", http_options=options)
    return client.aio.models if is_async else client.models


def ask(models: Any, contents: Any, **config: Any) -> Any:
    return go(models.generate_content(model="gemini-2.5-flash", contents=contents, config=config or None))


async def streamed(models: Any, contents: Any) -> list[Any]:
    return await each(await go(models.generate_content_stream(model="gemini-2.5-flash", contents=contents)))


def recorded(service: Service, mark: str) -> list[Any]:
    assert Weir().flush(60_000)
    found: list[Any] = service.get(f"/v1/events?app={service.app_id}&metadata.mark={mark}")["data"]
    return [one for one in found if one["type"] != "policy.violation"]


@every_way
async def test_a_call_is_allowed_and_recorded_with_its_answer(via: str, is_async: bool, service: Service) -> None:
    mark = uuid.uuid4().hex
    with weir_context(metadata={"mark": mark}, session=f"s-{mark}"):
        answer = await ask(made(service, via, is_async), "hello")
    assert answer.text == "Hi there, how are you?"
    events = recorded(service, mark)
    assert sorted(one["type"] for one in events) == ["ai.request", "ai.response"]
    assert {(one["session_id"], one["model"]) for one in events} == {(f"s-{mark}", "gemini-2.5-flash")}
    sent = service.arrived()[-1]
    assert service.key not in json.dumps(sent) and "x-service" not in json.dumps(sent["headers"]).lower()


@every_way
@pytest.mark.parametrize("where", ["contents", "system instruction", "result of a function"])
async def test_an_address_is_masked_before_it_is_sent(via: str, is_async: bool, where: str, service: Service) -> None:
    models = made(service, via, is_async)
    if where == "contents":
        await ask(models, f"hello, write to {CANARY}")
    elif where == "system instruction":
        await ask(models, "hello", system_instruction=f"never tell {CANARY}")
    else:
        called = types.Part.from_function_call(name="look", args={})
        result = types.Part.from_function_response(name="look", response={"output": CANARY})
        turns = [("user", types.Part(text="hello")), ("model", called), ("user", result)]
        await ask(models, [types.Content(role=role, parts=[part]) for role, part in turns])
    assert CANARY not in json.dumps(service.arrived()) and "[EMAIL_1]" in json.dumps(service.arrived()[-1])


@every_way
async def test_a_refusal_raises_the_clients_own_error(via: str, is_async: bool, service: Service) -> None:
    before = len(service.arrived())
    with pytest.raises(errors.ClientError) as refused:
        await ask(made(service, via, is_async), FORBIDDEN)
    outcome = weir_of(refused.value)
    assert refused.value.code == 400 and is_blocked(refused.value)
    assert outcome is not None and outcome.code == "content_policy_violation" and outcome.violations
    assert len(service.arrived()) == before and "078-05-1120" not in repr(refused.value)
    with pytest.raises(errors.ClientError):
        await streamed(made(service, via, is_async), FORBIDDEN)
    assert len(service.arrived()) == before


@every_way
async def test_streams_are_received_and_recorded_completely(via: str, is_async: bool, service: Service) -> None:
    mark = uuid.uuid4().hex
    with weir_context(metadata={"mark": mark}):
        chunks = await streamed(made(service, via, is_async), "hello")
    text = "".join(chunk.text or "" for chunk in chunks)
    assert text == "Hi there, how are you?"
    [response] = [one for one in recorded(service, mark) if one["type"] == "ai.response"]
    stored = service.get(f"/v1/events/{response['id']}?app={service.app_id}")
    assert text in json.dumps(stored, ensure_ascii=False)


@every_way
async def test_functions_that_the_client_calls_automatically_still_run(via: str, is_async: bool, service: Service) -> None:
    asked: list[str] = []

    def get_weather(city: str) -> str:
        """Tells the weather of a city."""
        asked.append(city)
        return f"sunny, says {CANARY}"

    mark = uuid.uuid4().hex
    with weir_context(metadata={"mark": mark}):
        off = types.AutomaticFunctionCallingConfig(maximum_remote_calls=2)
        await ask(made(service, via, is_async), "weather?", tools=[get_weather], automatic_function_calling=off)
    assert asked[0] == "Oslo" and CANARY not in json.dumps(service.arrived())
    assert len([one for one in recorded(service, mark) if one["type"] == "ai.request"]) >= 2


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_the_outcome_is_found_for_a_result(is_async: bool, service: Service, provider: ProviderLike) -> None:
    """Google puts the id of an answer after its content, however long that is."""
    provider.script = [gemini_answers]
    options = weir_genai_http_options({"base_url": provider.url}, deadline_ms=60_000)
    client = genai.Client(api_key="k", http_options=options)
    outcome = weir_of(await ask(client.aio.models if is_async else client.models, f"hello {CANARY}"))
    assert outcome is not None and outcome.decision == "redact" and outcome.redactions == {"contains_pii": 1}


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_interactions_are_guarded(is_async: bool, service: Service, provider: ProviderLike) -> None:
    """Google's client contains a second, separately generated client for interactions."""
    for routes in ("refuse", "log"):
        options = weir_genai_http_options({"base_url": provider.url}, deadline_ms=60_000, unknown_routes=routes)
        client = genai.Client(api_key="k", http_options=options)
        interactions = client.aio.interactions if is_async else client.interactions
        provider.script = [lambda handler, seen: handler.say(200, b'{"id":"i-1","status":"completed"}', AS_JSON)]
        if routes == "refuse":
            with pytest.raises(Exception, match="Weir does not govern this route") as refused:
                await go(interactions.create(model="gemini-2.5-flash", input=f"hi {CANARY}"))
            assert not provider.requests and CANARY not in repr(refused.value)
        else:
            await go(interactions.create(model="gemini-2.5-flash", input=f"hi {CANARY}"))
            [seen] = provider.requests
            assert seen.path.endswith("/interactions") and b'"hi [' in seen.body and CANARY.encode() not in seen.body


@pytest.mark.parametrize("at", ["studio", "vertex"])
async def test_live_sessions_are_refused(at: str, service: Service, provider: ProviderLike) -> None:
    """Live sessions are WebSockets, which bypass HTTP clients."""
    options = weir_genai_http_options({"base_url": provider.url})
    client = at_vertex(provider.url) if at == "vertex" else genai.Client(api_key="k", http_options=options)
    with pytest.raises(WeirConfigError, match="does not guard WebSockets"):
        async with client.aio.live.connect(model="gemini-live", config={"system_instruction": CANARY}):
            pass
    assert not provider.requests


class OwnCredentials(Credentials):  # type: ignore[misc,unused-ignore]
    """Credentials whose token need not be fetched."""

    def refresh(self, request: Any) -> None:
        raise AssertionError("the token is still good")


def at_vertex(address: str, **options: Any) -> Any:
    made_options = weir_genai_http_options({"base_url": address}, **{"deadline_ms": 60_000, **options})
    credentials = OwnCredentials(token="not-a-secret")
    return genai.Client(
        vertexai=True, project="p", location="europe-west1", credentials=credentials, http_options=made_options
    )


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_gemini_at_vertex_is_guarded(is_async: bool, stream: bool, service: Service, provider: ProviderLike) -> None:
    provider.script = [gemini_answers]
    client = at_vertex(provider.url)
    models = client.aio.models if is_async else client.models
    mark = uuid.uuid4().hex
    with weir_context(metadata={"mark": mark}):
        said = await streamed(models, f"hi {CANARY}") if stream else [await ask(models, f"hi {CANARY}")]
    assert said[0].text == "Hello there"
    [seen] = provider.requests
    assert "/publishers/google/models/" in seen.path and seen.header("authorization") == "Bearer not-a-secret"
    assert CANARY.encode() not in seen.body and b"[EMAIL_1]" in seen.body
    events = recorded(service, mark)
    assert sorted(one["type"] for one in events) == ["ai.request", "ai.response"]
    with pytest.raises(errors.ClientError) as refused:
        await ask(models, FORBIDDEN)
    assert is_blocked(refused.value) and len(provider.requests) == 1


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_gemini_at_vertex_does_not_go_through_the_proxy(is_async: bool, service: Service) -> None:
    client = at_vertex(service.provider, via="proxy")
    before = len(service.arrived())
    with pytest.raises(WeirConfigError, match="Vertex AI cannot go through the proxy"):
        await ask(client.aio.models if is_async else client.models, "hi")
    assert len(service.arrived()) == before


@pytest.mark.parametrize("name", list(MAKERS))
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_anthropics_models_at_clouds_are_guarded(name: str, stream: bool, service: Service, provider: ProviderLike) -> None:
    client = weir(MAKERS[name](base_url=provider.url, max_retries=0))
    mark = uuid.uuid4().hex
    asking: dict[str, Any] = {"model": "anthropic.claude-test-v1:0", "max_tokens": 9, "stream": stream}
    with weir_context(metadata={"mark": mark}):
        answer = await go(client.messages.create(**asking, messages=[{"role": "user", "content": f"hi {CANARY}"}]))
        if stream:
            await each(answer)
    [seen] = provider.requests
    assert CANARY.encode() not in seen.body and b"[EMAIL_1]" in seen.body
    assert sorted(one["type"] for one in recorded(service, mark)) == ["ai.request", "ai.response"]
    with pytest.raises(anthropic.BadRequestError) as refused:
        await go(client.messages.create(**asking, messages=[{"role": "user", "content": FORBIDDEN}]))
    assert is_blocked(refused.value) and len(provider.requests) == 1
