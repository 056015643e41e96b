"""Anthropic's clients for Bedrock and Vertex.

Calls are judged before they are signed, sent like unguarded ones, and reported as streamed.
"""

from __future__ import annotations

import json
import random
from typing import Any

import anthropic
import openai
import pytest

from support.both import each, go, within
from support.clouds import MAKERS
from support.patient import weir
from support.servers import CANARY, MASK, ProviderLike, WeirLike, frame, framed, message_events
from weir_sdk import Weir, WeirConfigError, is_blocked
from weir_sdk._clouds import as_events, with_members, without_members

MODEL = "anthropic.claude-test-v1:0"
ASK: Any = {"model": MODEL, "max_tokens": 9, "extra_body": {"note": 1.0}}
every = pytest.mark.parametrize("name", list(MAKERS))
COPIES: dict[str, Any] = {
    "itself": lambda client: client,
    "a copy": lambda client: client.with_options(timeout=9),
    "a copy of a copy": lambda client: client.copy().with_options(timeout=9),
}
every_copy = pytest.mark.parametrize("copy", list(COPIES))


def ask(text: str) -> Any:
    return {**ASK, "messages": [{"role": "user", "content": text}]}


def made(name: str, provider: ProviderLike, **options: Any) -> Any:
    return weir(MAKERS[name](base_url=provider.url, max_retries=0), **options)


def signed(seen: Any) -> None:
    """Asserts that the signed hash is the hash of the bytes that arrived."""
    authorization = seen.header("authorization") or ""
    if authorization.startswith("AWS4-"):
        assert "content-length" in [name.lower() for name, _ in seen.headers]
        assert signature(seen) in authorization
    else:
        assert authorization == "Bearer not-a-secret"


def signature(seen: Any, service: str = "bedrock") -> str:
    """The signature of the request that arrived, computed again with the client's key."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    authorization = dict((name.lower(), value) for name, value in seen.headers)["authorization"]
    names = authorization.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    headers = {name: seen.header(name) for name in names}
    host = headers["host"]
    again = AWSRequest("POST", f"http://{host}{seen.path}", headers=headers, data=seen.body)
    signer = SigV4Auth(Credentials("AKIDEXAMPLE", "not-a-secret"), service, "eu-central-1")
    again.context["timestamp"] = seen.header("x-amz-date")
    canonical = signer.canonical_request(again)
    return str(signer.signature(signer.string_to_sign(again, canonical), again))


@every_copy
@every
async def test_the_address_is_masked_and_the_signature_is_valid(
    name: str, copy: str, door: WeirLike, provider: ProviderLike
) -> None:
    answer = await go(COPIES[copy](made(name, provider)).messages.create(**ask(f"Write to {CANARY}")))
    assert answer.content[0].text
    [seen] = provider.requests
    assert CANARY.encode() not in seen.body and MASK.encode() in seen.body and b'"model"' not in seen.body
    assert seen.header("content-length") == str(len(seen.body))
    signed(seen)
    [asked] = door.asked
    assert asked.path == "/v1/calls/anthropic/v1/messages" and asked.json["model"] == MODEL
    assert "not-a-secret" not in repr(asked.headers) and "AKIDEXAMPLE" not in repr(asked.headers)


@every
async def test_a_refusal_is_the_clients_own_error_and_nothing_is_sent(
    name: str, door: WeirLike, provider: ProviderLike
) -> None:
    guarded = made(name, provider).with_options(max_retries=2)
    with pytest.raises(anthropic.BadRequestError) as refused:
        await go(guarded.messages.create(**ask("BLOCK this")))
    assert is_blocked(refused.value) and not provider.requests and len(door.asked) == 1


@every
async def test_a_stream_is_reported_as_server_sent_events(name: str, door: WeirLike, provider: ProviderLike) -> None:
    async with within(made(name, provider).messages.stream(**ask("hello"))) as stream:
        text = await go(stream.get_final_text())
    assert text
    assert door.asked[0].json["stream"] is True
    assert Weir().flush(60_000)
    [answer] = door.answers()
    assert answer["content_type"] == "text/event-stream" and answer["status"] == 200
    events = [line for line in answer["body"].split(b"\n") if line.startswith(b"data: ")]
    assert [json.loads(each[6:])["type"] for each in events] == [
        json.loads(each.partition(b"data: ")[2])["type"] for each in message_events()
    ]
    signed(provider.requests[0])


@every
async def test_without_a_matching_rule_the_bytes_equal_those_of_a_bare_client(
    name: str, door: WeirLike, provider: ProviderLike
) -> None:
    bare = MAKERS[name](base_url=provider.url, max_retries=0)
    for stream in (False, True):
        for client in (bare, weir(bare)):
            answer = await go(client.messages.create(**ask("hello é 1.50"), stream=stream))
            if stream:
                await each(answer)
        first, second = provider.requests[-2:]
        assert (first.path, first.body) == (second.path, second.body)
        same = [[name for name, _ in seen.headers] for seen in (first, second)]
        assert same[0] == same[1]


@every
async def test_an_unreachable_weir_leads_to_the_fail_mode(name: str, door: WeirLike, provider: ProviderLike) -> None:
    with pytest.raises(anthropic.InternalServerError):
        await go(made(name, provider, base_url="http://127.0.0.1:1").messages.create(**ask("hello")))
    assert not provider.requests
    passed = made(name, provider, base_url="http://127.0.0.1:1", fail_mode="open", on_warning=lambda _: None)
    assert (await go(passed.messages.create(**ask("hello")))).content
    signed(provider.requests[0])


@every
async def test_each_attempt_is_judged_and_numbered(name: str, door: WeirLike, provider: ProviderLike) -> None:
    provider.script = [lambda handler, seen: handler.say(503, b"{}", {"retry-after-ms": "1"})]
    await go(made(name, provider).with_options(max_retries=1).messages.create(**ask("hello")))
    assert [one.header("x-service-metadata") for one in door.asked] == [None, '{"attempt":2}']
    assert len(provider.requests) == 2
    for seen in provider.requests:
        signed(seen)


def test_a_call_that_cannot_be_signed_is_reported_as_unsent(door: WeirLike, provider: ProviderLike) -> None:
    class UnsignedBedrock(anthropic.AnthropicBedrock):
        def _prepare_request(self, request: Any) -> None:
            raise RuntimeError("no credentials")

    unsigned = UnsignedBedrock(aws_access_key="a", aws_secret_key="b", aws_region="eu-central-1", base_url=provider.url, max_retries=0)
    with pytest.raises(RuntimeError, match="no credentials"):
        weir(unsigned).messages.create(**ask("hello"))
    assert Weir().flush(60_000)
    assert [one["ended"] for one in door.answers()] == ["unsent"] and not provider.requests


@every_copy
@pytest.mark.parametrize("kind", [openai.BedrockOpenAI, openai.AsyncBedrockOpenAI])
async def test_requests_of_openais_bedrock_client_are_masked_before_signing(
    kind: Any, copy: str, door: WeirLike, provider: ProviderLike
) -> None:
    keys: Any = {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": "not-a-secret", "aws_region": "eu-central-1"}
    guarded = COPIES[copy](weir(kind(**keys, base_url=f"{provider.url}/openai/v1", max_retries=0)))
    messages: Any = [{"role": "user", "content": f"Write to {CANARY}"}]
    await go(guarded.chat.completions.create(model="m", messages=messages))
    [seen] = provider.requests
    assert CANARY.encode() not in seen.body and MASK.encode() in seen.body and len(door.asked) == 1
    signed_as = seen.header("authorization") or ""
    assert signed_as.startswith("AWS4-") and signature(seen, signed_as.split("/")[3]) in signed_as
    with pytest.raises(openai.BadRequestError):
        await go(guarded.chat.completions.create(model="m", messages=[{"role": "user", "content": "BLOCK"}]))
    assert len(provider.requests) == 1


def test_clouds_cannot_go_through_the_proxy(provider: ProviderLike) -> None:
    for name in MAKERS:
        with pytest.raises(WeirConfigError, match="proxy"):
            weir(MAKERS[name](base_url=provider.url), via="proxy", api_key="k")


def test_an_exception_in_a_bedrock_stream_becomes_an_error_event() -> None:
    named = {":exception-type": "throttlingException", ":message-type": "exception"}
    events = as_events(framed(b'data: {"type":"ping"}') + frame(named, b'{"message":"slow"}'))
    assert events.startswith(b'event: ping\ndata: {"type":"ping"}\n\nevent: error\n') and b"throttlingException" in events


def test_truncated_or_changed_frames_only_end_the_stream() -> None:
    whole = b"".join(map(framed, message_events()))
    events = as_events(whole)
    drawn = random.Random(7)
    for at in range(0, len(whole), 5):
        assert events.startswith(as_events(whole[:at]))
        changed = bytearray(whole)
        changed[at] = drawn.randrange(256)
        as_events(bytes(changed))


def test_members_are_inserted_and_removed_without_other_changes() -> None:
    for body in (b"{}", b'{"a":1}', b' { "a" : 1.50 }', b'{"a":{"model":"x"}}'):
        members = b'"model":"m"'
        asked = with_members(body, members)
        assert json.loads(asked)["model"] == "m"
        if body.strip() != b"{}":
            assert json.loads(without_members(asked, members) or b"") == json.loads(body)
    assert without_members(b'{"model":"[MASK]","a":1}', b'"model":"m"') is None
