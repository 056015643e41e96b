"""Google's client, guarded when it is created."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import httpx2
import pytest
from google import genai
from google.genai import errors, types

from support.faults import says
from support.servers import CANARY, MASK, ProviderLike, Seen, WeirLike, gemini_answers
from weir_sdk import Weir, WeirConfigError, weir, weir_genai_http_options, weir_of

def made(provider: ProviderLike, **own: Any) -> genai.Client:
    provider.script = [gemini_answers, gemini_answers]
    options = weir_genai_http_options({"base_url": provider.url, **own}, deadline_ms=60_000)
    return genai.Client(api_key="provider-key", http_options=options)


def guarded_well(door: WeirLike, provider: ProviderLike, count: int = 1) -> None:
    assert len(provider.requests) == len(door.asked) == count
    for seen, asked in zip(provider.requests, door.asked):
        assert CANARY.encode() not in seen.body and MASK.encode() in seen.body
        assert asked.path == f"/v1/calls/gemini{seen.path}" and "provider-key" not in repr(asked)
    assert Weir().flush(60_000) and len(door.answers()) == count


OWN: dict[str, Any] = {
    "nothing of its own": {},
    "clients of httpx": {"httpx_client": httpx.Client, "httpx_async_client": httpx.AsyncClient},
    "clients of httpx2": {"httpx_client": httpx2.Client, "httpx_async_client": httpx2.AsyncClient},
    "only a sync one": {"httpx_client": httpx.Client},
}


@pytest.mark.parametrize("own", list(OWN))
async def test_the_address_is_masked(own: str, door: WeirLike, provider: ProviderLike) -> None:
    client = made(provider, **{name: make() for name, make in OWN[own].items()})
    first = client.models.generate_content(model="gemini-2.5-flash", contents=f"hi {CANARY}")
    second = await client.aio.models.generate_content(model="gemini-2.5-flash", contents=f"hi {CANARY}")
    assert first.text == second.text == "Hello there"
    guarded_well(door, provider, 2)


async def test_streams_are_guarded(door: WeirLike, provider: ProviderLike) -> None:
    client = made(provider)
    system = types.GenerateContentConfig(system_instruction=f"never tell {CANARY}")
    said = [chunk.text for chunk in client.models.generate_content_stream(model="g", contents="hi", config=system)]
    stream = await client.aio.models.generate_content_stream(model="g", contents=f"hi {CANARY}")
    said += [chunk.text async for chunk in stream]
    assert said == ["Hello there"] * 2
    guarded_well(door, provider, 2)


def answering(identity: str, text: str, coding: str = "") -> Any:
    """Answers like Google: the id is after the content, which may also contain ids."""
    called = {"functionCall": {"id": "call-1", "name": "f", "args": {"responseId": "of arguments"}}}
    content = {"role": "model", "parts": [{"text": text}, called]}
    body = json.dumps({"candidates": [{"content": content}], "modelVersion": "g", "responseId": identity}).encode()
    headers = {"content-type": "application/json", **({"content-encoding": coding} if coding else {})}
    return lambda handler, seen: handler.say(200, gzip.compress(body) if coding else body, headers)


@pytest.mark.parametrize("coding", ["", "gzip"])
@pytest.mark.parametrize("length", [1, 200_000])
def test_the_outcome_is_found_for_a_result(length: int, coding: str, door: WeirLike, provider: ProviderLike) -> None:
    client = made(provider)
    for identity, contents in (("id-1", "hi"), ("id-2", f"hi {CANARY}")):
        provider.script = [answering(identity, "word " * length, coding)]
        result = client.models.generate_content(model="g", contents=contents)
        outcome = weir_of(result)
        assert outcome is not None and outcome.decision == ("allow" if contents == "hi" else "redact")
        assert outcome.wait(60_000) and weir_of({"id": "of arguments"}) is None


def test_the_outcome_is_found_for_each_chunk_on_arrival(door: WeirLike, provider: ProviderLike) -> None:
    client = made(provider)
    chunk = {"candidates": [{"content": {"role": "model", "parts": [{"text": "word " * 3000}]}}], "responseId": "id-3"}
    provider.script = [lambda handler, seen: handler.stream(b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n" for _ in range(3))]
    for one in client.models.generate_content_stream(model="g", contents="hi"):
        outcome = weir_of(one)
        assert outcome is not None and outcome.event_id is not None


async def test_a_refusal_raises_the_clients_own_error(door: WeirLike, provider: ProviderLike) -> None:
    client = made(provider)

    def refused(handler: Any, seen: Seen) -> bool:
        weir_said = {"@type": "weir", "code": "content_policy_violation", "violations": [{"rule": "r"}]}
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CONTENT_POLICY_VIOLATION", "domain": "weir"}
        error = {"code": 400, "message": "Weir refused this", "status": "INVALID_ARGUMENT", "details": [info, weir_said]}
        handler.say(400, json.dumps({"error": error}).encode(), {"x-weir-decision": "block", "content-type": "application/json"})
        return True

    door.fault = refused
    with pytest.raises(errors.ClientError, match="Weir refused this") as failed:
        client.models.generate_content(model="g", contents="hi")
    outcome = weir_of(failed.value)
    assert outcome is not None and outcome.code == "content_policy_violation" and provider.requests == []
    with pytest.raises(errors.ClientError):
        await client.aio.models.generate_content(model="g", contents="hi")
    assert provider.requests == []


def test_an_error_in_weirs_own_format_gets_the_names_of_google(door: WeirLike, provider: ProviderLike) -> None:
    body = b'{"error":{"type":"not_found","message":"Not found","trace_id":"trace-1"}}'
    door.fault = says(404, body, {"content-type": "application/json"})
    with pytest.raises(errors.ClientError, match="Weir: Not found") as failed:
        made(provider).models.generate_content(model="g", contents="hi")
    assert (failed.value.code, failed.value.status) == (404, "NOT_FOUND")
    outcome = weir_of(failed.value)
    assert outcome is not None and outcome.code == "not_found" and provider.requests == []


def test_options_that_would_bypass_weir_are_refused(door: WeirLike) -> None:
    with pytest.raises(WeirConfigError, match="aiohttp_client would bypass Weir"):
        weir_genai_http_options(types.HttpOptions.model_construct(aiohttp_client=object()))
    with pytest.raises(WeirConfigError, match="weir_genai_http_options"):
        weir(genai.Client(api_key="k"))
