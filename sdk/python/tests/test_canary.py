"""A planted address never reaches the provider unmasked, however a request is made."""

from __future__ import annotations

import gzip
import json
from typing import Any, AsyncIterator, Callable, Iterator

import anthropic
import httpx
import httpx2
import openai
import pytest

from support.both import each, go, within
from support.faults import says
from support.patient import weir, weir_http_client, weir_transport
from support.servers import CANARY, MASK, ProviderLike, WeirLike
from weir_sdk import Weir, WeirConfigError, is_blocked, weir_of

MESSAGES: Any = [{"role": "user", "content": f"Write to {CANARY}"}]


def reached(provider: ProviderLike) -> None:
    """Asserts that the provider received the mask and not the address."""
    assert provider.requests
    for seen in provider.requests:
        body = gzip.decompress(seen.body) if seen.header("content-encoding") == "gzip" else seen.body
        assert CANARY.encode() not in body and CANARY not in repr(seen.headers) and CANARY not in seen.path
        assert MASK.encode() in body
        assert seen.header("content-length") in (None, str(len(seen.body)))


OPENAI: dict[str, Callable[[Any], Any]] = {
    "chat": lambda c: c.chat.completions.create(model="m", messages=MESSAGES),
    "chat of an iterator": lambda c: c.chat.completions.create(model="m", messages=iter(MESSAGES)),
    "streamed chat": lambda c: c.chat.completions.create(model="m", messages=MESSAGES, stream=True),
    "raw chat": lambda c: c.chat.completions.with_raw_response.create(model="m", messages=MESSAGES),
    "system prompt": lambda c: c.chat.completions.create(model="m", messages=[{"role": "system", "content": CANARY}]),
    "extra body": lambda c: c.chat.completions.create(model="m", messages=[], extra_body={"note": CANARY}),
    "responses": lambda c: c.responses.create(model="m", input=CANARY, stream=True),
    "embeddings": lambda c: c.embeddings.create(model="m", input=["a", CANARY]),
    "completions": lambda c: c.completions.create(model="m", prompt=[CANARY], stream=True),
    "with_options": lambda c: c.with_options(timeout=9).chat.completions.create(model="m", messages=MESSAGES),
    "copy of a copy": lambda c: c.copy().with_options(max_retries=1).chat.completions.create(model="m", messages=MESSAGES),
    "raw post": lambda c: c.post("/chat/completions", body={"messages": MESSAGES}, cast_to=object),
    "other address": lambda c: c.with_options(base_url=str(c.base_url) + "deployments/x/").chat.completions.create(
        model="m", messages=MESSAGES
    ),
}
ANTHROPIC: dict[str, Callable[[Any], Any]] = {
    "messages": lambda c: c.messages.create(model="m", max_tokens=5, messages=MESSAGES),
    "streamed messages": lambda c: c.messages.create(model="m", max_tokens=5, messages=MESSAGES, stream=True),
    "system": lambda c: c.messages.create(model="m", max_tokens=5, messages=[], system=CANARY),
    "count_tokens": lambda c: c.messages.count_tokens(model="m", messages=MESSAGES),
    "beta": lambda c: c.beta.messages.create(model="m", max_tokens=5, messages=MESSAGES),
    "with_options": lambda c: c.with_options(timeout=9).messages.create(model="m", max_tokens=5, messages=MESSAGES),
}
CLIENTS: dict[str, tuple[Callable[..., Any], str, dict[str, Callable[[Any], Any]]]] = {
    "OpenAI": (openai.OpenAI, "/v1", OPENAI),
    "AsyncOpenAI": (openai.AsyncOpenAI, "/v1", OPENAI),
    "OpenAI over httpx": (lambda **o: openai.OpenAI(**o, http_client=httpx.Client()), "/v1", OPENAI),
    "AsyncOpenAI over httpx": (lambda **o: openai.AsyncOpenAI(**o, http_client=httpx.AsyncClient()), "/v1", OPENAI),
    "Anthropic": (anthropic.Anthropic, "", ANTHROPIC),
    "AsyncAnthropic": (anthropic.AsyncAnthropic, "", ANTHROPIC),
}
WAYS = [pytest.param(client, way, id=f"{client}: {way}") for client, (_, _, ways) in CLIENTS.items() for way in ways]


@pytest.mark.parametrize("client, way", WAYS)
async def test_the_address_is_masked(client: str, way: str, door: WeirLike, provider: ProviderLike) -> None:
    make, path, ways = CLIENTS[client]
    guarded = weir(make(api_key="k", base_url=provider.url + path, max_retries=0))
    answer = await go(ways[way](guarded))
    if hasattr(answer, "__stream__"):
        await each(answer)
    reached(provider)


@pytest.mark.parametrize("client", [openai.AzureOpenAI, openai.AsyncAzureOpenAI])
async def test_the_address_is_masked_for_azure(client: Any, door: WeirLike, provider: ProviderLike) -> None:
    azure = client(api_key="k", azure_endpoint=provider.url, api_version="2024-10-21", azure_deployment="gpt", max_retries=0)
    await go(weir(azure).chat.completions.create(model="m", messages=MESSAGES))
    reached(provider)
    assert provider.requests[0].path == "/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
    assert door.asked[0].path == f"/v1/calls/openai{provider.requests[0].path}"


async def test_helpers_are_guarded(door: WeirLike, provider: ProviderLike) -> None:
    one = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    async with within(one.chat.completions.stream(model="m", messages=MESSAGES)) as stream:
        await each(stream)
    other = weir(anthropic.AsyncAnthropic(api_key="k", base_url=provider.url))
    async with within(other.messages.stream(model="m", max_tokens=5, messages=MESSAGES)) as stream:
        await stream.get_final_text()
    reached(provider)


def bodies(library: Any) -> dict[str, dict[str, Any]]:
    raw = json.dumps({"messages": MESSAGES}).encode()
    return {
        "bytes": {"content": raw},
        "text": {"content": raw.decode()},
        "json": {"json": {"messages": MESSAGES}},
        "a generator": {"content": (raw[at : at + 3] for at in range(0, len(raw), 3))},
        "a form": {"data": {"messages": CANARY}},
        "a file": {"files": {"file": ("a.txt", f"ask {CANARY}".encode())}},
        "no type": {"content": raw, "headers": {"content-type": "application/octet-stream"}},
    }


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize("form", list(bodies(httpx)))
@pytest.mark.parametrize("way", ["client", "transport"])
def test_a_plain_http_client_is_guarded(library: Any, form: str, way: str, door: WeirLike, provider: ProviderLike) -> None:
    if way == "client":
        http = weir_http_client(library.Client(), provider="openai")
    else:
        http = library.Client(transport=weir_transport(library.HTTPTransport(), provider="openai"))
    with http:
        if form == "a form":
            # The form encodes @ as %40: Weir decodes that, the server of this test does not.
            http.post(f"{provider.url}/v1/chat/completions", content=f"messages={CANARY}".encode())
        else:
            http.post(f"{provider.url}/v1/chat/completions", **bodies(library)[form])
    reached(provider)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
async def test_an_async_http_client_is_guarded(library: Any, door: WeirLike, provider: ProviderLike) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for part in ('{"messages":', json.dumps(MESSAGES), "}"):
            yield part.encode()

    async with weir_http_client(library.AsyncClient(), provider="openai") as http:
        await http.post(f"{provider.url}/v1/chat/completions", content=chunks())
        await http.post(f"{provider.url}/v1/chat/completions", json={"messages": MESSAGES})
    reached(provider)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_transports_hooks_and_options_of_an_http_client_are_kept(library: Any, door: WeirLike, provider: ProviderLike) -> None:
    heard: list[str] = []
    used: list[str] = []

    class Own(library.HTTPTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            used.append(request.url.host)
            return super().handle_request(request)

    def asked(request: Any) -> None:
        # A hook that changes a request after the client built it still runs before Weir is asked.
        request.headers["x-hook"] = "1"
        heard.append("request")

    http = library.Client(
        mounts={"http://127.0.0.1": Own()},
        event_hooks={"request": [asked], "response": [lambda response: heard.append("response")]},
        headers={"x-own": "2"},
        cookies={"c": "3"},
        auth=("user", "pass"),
    )
    weir_http_client(http, provider="openai").post(f"{provider.url}/v1/chat/completions", json={"messages": MESSAGES})
    reached(provider)
    seen = provider.requests[0]
    assert heard == ["request", "response"] and used == ["127.0.0.1"]
    assert [seen.header(name) for name in ("x-hook", "x-own", "cookie")] == ["1", "2", "c=3"]
    assert str(seen.header("authorization")).startswith("Basic ")
    assert all(each.header("authorization") == "Bearer sk_test" for each in door.requests)
    # The original client is unchanged.
    http.post(f"{provider.url}/v1/chat/completions", json={"messages": MESSAGES})
    assert CANARY.encode() in provider.requests[-1].body


def test_a_transport_without_a_network_is_guarded(door: WeirLike) -> None:
    seen: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.content)
        return httpx.Response(200, json={"id": "own-1"})

    http = weir_http_client(httpx.Client(transport=httpx.MockTransport(answer)), provider="openai")
    response = http.post("https://api.openai.com/v1/chat/completions", json={"messages": MESSAGES})
    assert MASK.encode() in seen[0] and CANARY.encode() not in seen[0]
    assert response.json() == {"id": "own-1"}
    assert door.wait_for_answers(1)[0]["body"] == b'{"id":"own-1"}'


def test_a_copy_with_another_http_client_is_guarded(door: WeirLike, provider: ProviderLike) -> None:
    guarded = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    other = guarded.with_options(http_client=httpx2.Client()).with_options(timeout=3)
    other.chat.completions.create(model="m", messages=MESSAGES)
    reached(provider)


def test_a_client_that_is_guarded_twice_asks_weir_once(door: WeirLike, provider: ProviderLike) -> None:
    guarded = weir(weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1")))
    guarded.chat.completions.create(model="m", messages=MESSAGES)
    assert len(door.asked) == 1
    reached(provider)


GUARDED_AGAIN: dict[str, Callable[[Any], Any]] = {
    "once": lambda client: client,
    "with another HTTP client": lambda client: client.with_options(http_client=httpx2.Client()),
    "a copy of a copy": lambda client: client.with_options(timeout=9).with_options(http_client=httpx2.Client()),
    "twice": lambda client: weir(client, via="proxy"),
    "by the address of the proxy": lambda client: weir(openai.OpenAI(api_key="k", base_url=str(client.base_url)), via="proxy"),
}


@pytest.mark.parametrize("way", list(GUARDED_AGAIN))
def test_calls_through_the_proxy_keep_their_path(
    way: str, door: WeirLike, provider: ProviderLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Weir's proxy is the test's provider here.
    monkeypatch.setenv("WEIR_BASE_URL", provider.url)
    guarded = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"), via="proxy")
    GUARDED_AGAIN[way](guarded).chat.completions.create(model="m", messages=MESSAGES)
    [seen] = provider.requests
    assert (seen.path, seen.header("x-service-key")) == ("/proxy/openai/v1/chat/completions", "sk_test")


def test_a_client_of_the_proxy_can_be_guarded_by_calls_instead(door: WeirLike, provider: ProviderLike) -> None:
    proxied = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"), via="proxy")
    weir(proxied).chat.completions.create(model="m", messages=MESSAGES)
    reached(provider)
    assert [seen.path for seen in provider.requests] == ["/v1/chat/completions"] and len(door.asked) == 1


def test_a_signed_request_is_refused_if_it_would_have_to_be_changed(door: WeirLike, provider: ProviderLike) -> None:
    http = weir_http_client(httpx.Client(), provider="openai")
    signed = {"authorization": "AWS4-HMAC-SHA256 Credential=a/b"}
    answer = http.post(f"{provider.url}/v1/chat/completions", json={"messages": MESSAGES}, headers=signed)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unreadable_body")
    assert provider.requests == []
    assert door.wait_for_answers(1)[0]["ended"] == "unsent"
    assert http.post(f"{provider.url}/v1/chat/completions", json={"messages": []}, headers=signed).status_code == 200


def test_a_route_that_weir_does_not_know_is_judged_or_refused(door: WeirLike, provider: ProviderLike) -> None:
    client = openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1")
    with pytest.raises(openai.BadRequestError) as refused:
        weir(client, unknown_routes="refuse").moderations.create(input=CANARY)
    assert refused.value.code == "unknown_route" and not is_blocked(refused.value)
    assert provider.requests == [] and door.wait_for_answers(1)[0]["ended"] == "unsent"
    weir(client).moderations.with_raw_response.create(input=CANARY)
    reached(provider)


def test_a_route_is_recognized_behind_an_unknown_prefix(door: WeirLike, provider: ProviderLike) -> None:
    http = weir_http_client(httpx2.Client(), provider="openai")
    client = openai.OpenAI(api_key="k", base_url=f"{provider.url}/of/our/gateway", http_client=http)
    client.chat.completions.create(model="m", messages=MESSAGES)
    reached(provider)
    assert provider.requests[0].path == "/of/our/gateway/chat/completions"
    assert door.asked[0].path == "/v1/calls/openai/v1/chat/completions"


#: URLs that contain only ids, dates and options, or a credential.
WORDLESS = ("/models", "/models/gpt-4o-2024-08-06", "/responses/resp_0123456789abcdef/input_items?limit=20&after=msg_1", "/models?key=a%20b")


@pytest.mark.parametrize("client", [openai.OpenAI, openai.AsyncOpenAI])
async def test_weir_is_asked_about_urls_that_contain_words(client: Any, door: WeirLike, provider: ProviderLike) -> None:
    guarded = weir(client(api_key="k", base_url=f"{provider.url}/v1"))
    for path in WORDLESS:
        await go(guarded.get(path, cast_to=object))
    assert door.asked == [] and len(provider.requests) == len(WORDLESS)
    await go(guarded.chat.completions.with_raw_response.list(metadata={"note": f"write to {CANARY}"}))
    [asked] = door.asked
    assert asked.header("x-weir-method") == "GET" and asked.body == b"" and "write" in asked.path


@pytest.mark.parametrize("path", ["/oauth/token", "/v1/oauth/token"])
def test_weir_is_not_asked_about_requests_for_oauth_tokens(path: str, door: WeirLike, provider: ProviderLike) -> None:
    http = weir_http_client(httpx2.Client(), provider="openai")
    http.post(f"{provider.url}{path}", json={"grant_type": "x", "subject_token": "t"})
    assert door.requests == [] and len(provider.requests) == 1


def test_a_request_is_refused_if_a_rule_blocks_its_url(door: WeirLike, provider: ProviderLike) -> None:
    error = b'{"error":{"message":"no","code":"content_policy_violation","weir":{"code":"content_policy_violation"}}}'
    door.fault = says(400, error, {"x-weir-decision": "block", "content-type": "application/json"})
    with pytest.raises(openai.BadRequestError) as refused:
        weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1")).models.retrieve("a model for my secret")
    assert is_blocked(refused.value) and provider.requests == []


def test_websockets_and_unknown_clients_are_refused(door: WeirLike, provider: ProviderLike) -> None:
    guarded = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    for client in (guarded, guarded.with_options(timeout=3)):
        for connection in (client.realtime.connect(model="m"), client.responses.connect()):
            with pytest.raises(TypeError, match="does not guard WebSockets"):
                connection.enter()
    for thing in (object(), httpx.Client(), "client"):
        with pytest.raises(WeirConfigError, match="cannot be guarded"):
            weir(thing)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_an_unknown_host_requires_the_name_of_its_provider(library: Any, door: WeirLike, provider: ProviderLike) -> None:
    with pytest.raises(WeirConfigError, match="provider is missing"):
        weir_http_client(library.Client()).post(f"{provider.url}/v1/chat/completions", json={"a": 1})
    assert provider.requests == []


def test_credentials_in_the_query_are_not_sent_to_weir(door: WeirLike, provider: ProviderLike) -> None:
    query = "&".join(f"{name}={index}" for index, name in enumerate(("key", "api-key", "api-version", "Key")))
    http = weir_http_client(httpx.Client(), provider="openai")
    http.post(f"{provider.url}/v1/chat/completions?{query}", json={"a": 1})
    assert door.asked[0].path == "/v1/calls/openai/v1/chat/completions?api-version=2"
    assert provider.requests[0].path == f"/v1/chat/completions?{query}"


def test_the_outcome_is_found_for_results_streams_and_errors(door: WeirLike, provider: ProviderLike) -> None:
    guarded = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"))
    raw = guarded.chat.completions.with_raw_response.create(model="m", messages=MESSAGES)
    result = raw.parse()
    of_raw, of_result = weir_of(raw), weir_of(result)
    assert of_raw is not None and of_raw is of_result and of_raw.decision == "redact" and of_raw.redactions == {"EMAIL": 1}
    stream = guarded.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    assert weir_of(stream) is not None
    items: Iterator[Any] = iter(list(stream))
    assert weir_of(next(items)) is weir_of(stream)
    with pytest.raises(openai.BadRequestError) as refused:
        guarded.chat.completions.create(model="m", messages=[{"role": "user", "content": "BLOCK"}])
    of_error = weir_of(refused.value)
    assert is_blocked(refused.value) and of_error is not None and of_error.violations == [{"rule": "test.block"}]
    assert weir_of(object()) is None and not is_blocked(ValueError())


def test_findings_in_an_answer_are_available_after_its_report(door: WeirLike, provider: ProviderLike) -> None:
    door.violations = [{"rule_id": "test.answer", "enforced": False}]
    client = openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1")
    for report in ("background", "await"):
        result = weir(client, report=report).chat.completions.create(model="m", messages=[])
        found = weir_of(result)
        assert found is not None and found.wait(0 if report == "await" else 60_000)
        assert found.violations == door.violations and found.answer_event_id is not None
    assert Weir().flush(60_000)
