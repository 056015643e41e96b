"""Calls of the OpenAI client, written once for sync and async. Each is (name, answers of the provider, call)."""

from __future__ import annotations

import json
from typing import Any

from .both import each, go, within
from .servers import completion, completion_chunks

ASK: dict[str, Any] = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Say héllo 🙂"}]}
JSON = {"content-type": "application/json"}


def says(status: int, body: Any, headers: dict[str, str] | None = None) -> Any:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler, seen: handler.say(status, raw, {**JSON, **(headers or {})})


def fails(status: int, headers: dict[str, str] | None = None) -> Any:
    error = {"message": f"failed with {status}", "type": "some_error", "param": None, "code": "some_code"}
    return says(status, {"error": error}, headers)


def streams(count: int = 5) -> Any:
    return lambda handler, seen: handler.stream(completion_chunks(count))


def breaks_off(handler: Any, seen: Any) -> None:
    def chunks() -> Any:
        yield from list(completion_chunks(3))[:2]
        handler.wfile.flush()
        raise OSError

    handler.stream(chunks())


def cuts(handler: Any, seen: Any) -> None:
    handler.cut()


RESPONSE = {
    "id": "resp_1", "object": "response", "created_at": 1.0, "model": "gpt-4o", "status": "completed", "error": None,
    "incomplete_details": None, "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0,
    "tool_choice": "auto", "tools": [], "top_p": 1.0,
    "output": [{"id": "m", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}],
}  # fmt: skip
CALLED = json.loads(completion())
CALLED["choices"][0]["message"] = {
    "role": "assistant", "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"a\":1}"}}],
}  # fmt: skip
CALLED["choices"][0]["finish_reason"] = "tool_calls"
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def chat(**extra: Any) -> Any:
    async def call(client: Any) -> Any:
        return await go(client.chat.completions.create(**{**ASK, **extra}))

    return call


async def raw(client: Any) -> Any:
    answer = await go(client.chat.completions.with_raw_response.create(**ASK))
    parsed = await go(answer.parse())
    return [answer.status_code, sorted(answer.headers.items()), str(answer.url), parsed.model_dump(), answer.http_request.content]


async def streaming_response(client: Any) -> Any:
    async with within(client.chat.completions.with_streaming_response.create(**ASK)) as answer:
        return b"".join(await each(answer.iter_bytes()))


async def lines_of_response(client: Any) -> Any:
    async with within(client.chat.completions.with_streaming_response.create(**ASK, stream=True)) as answer:
        return await each(answer.iter_lines())


async def stream(client: Any) -> Any:
    return await each(await go(client.chat.completions.create(**ASK, stream=True)))


def broken_off_after(count: int) -> Any:
    async def call(client: Any) -> Any:
        opened = await go(client.chat.completions.create(**ASK, stream=True))
        found = await each(opened, count) if count else []
        await go(opened.close())
        return found

    return call


async def stream_in_context(client: Any) -> Any:
    async with within(await go(client.chat.completions.create(**ASK, stream=True))) as opened:
        return await each(opened, 1)


async def stream_helper(client: Any) -> Any:
    async with within(client.chat.completions.stream(**ASK)) as opened:
        events = await each(opened)
        final = await go(opened.get_final_completion())
    return [[event.type for event in events], final.model_dump()]


async def parsed(client: Any) -> Any:
    from pydantic import BaseModel

    class Hello(BaseModel):
        word: str

    return await go(client.chat.completions.parse(**ASK, response_format=Hello))


async def responses(client: Any) -> Any:
    return await go(client.responses.create(model="gpt-4o", input="Say hello"))


async def responses_of_items(client: Any) -> Any:
    items = [{"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}]
    return await go(client.responses.create(model="gpt-4o", input=items, instructions="Be brief"))


async def embeddings(client: Any) -> Any:
    return await go(client.embeddings.create(model="e", input=["one", "two"], encoding_format="float"))


async def completions(client: Any) -> Any:
    return await go(client.completions.create(model="i", prompt="Once"))


async def models(client: Any) -> Any:
    return await each(client.models.list())


async def pages(client: Any) -> Any:
    first = await go(client.files.list(limit=1))
    return [first.model_dump(), first.has_next_page()]


async def upload(client: Any) -> Any:
    return await go(client.files.create(file=("a.jsonl", b'{"a": 1}\n'), purpose="batch"))


async def with_options(client: Any) -> Any:
    return await go(client.with_options(timeout=7, default_headers={"x-own": "1"}).chat.completions.create(**ASK))


async def copied(client: Any) -> Any:
    return await go(client.copy(max_retries=1).with_options(default_query={"q": "2"}).chat.completions.create(**ASK))


async def retried(client: Any) -> Any:
    return await go(client.with_options(max_retries=2).chat.completions.create(**ASK))


async def timed_out(client: Any) -> Any:
    return await go(client.with_options(timeout=0.2).chat.completions.create(**ASK))


async def posted(client: Any) -> Any:
    return await go(client.post("/chat/completions", body=ASK, cast_to=object))


def is_late(handler: Any, seen: Any) -> None:
    import time

    time.sleep(1)


SOON = {"retry-after-ms": "1"}
CASES: list[tuple[str, list[Any], Any]] = [
    ("a message", [], chat()),
    ("a system prompt", [], chat(messages=[{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Hi"}])),
    ("parts", [], chat(messages=[{"role": "user", "content": [{"type": "text", "text": "a"}, IMAGE]}])),
    ("temperature", [], chat(temperature=1.0, top_p=0.10, seed=9007199254740993)),
    ("stop words", [], chat(stop=["\n", "END"])),
    ("several choices", [], chat(n=3)),
    ("log probabilities", [], chat(logprobs=True, top_logprobs=2)),
    ("penalties", [], chat(frequency_penalty=0.5, presence_penalty=-0.5, logit_bias={"50256": -100})),
    ("JSON mode", [], chat(response_format={"type": "json_object"})),
    ("a user", [], chat(user="u-1", metadata={"a": "b"}, store=True)),
    ("tools", [says(200, CALLED)], chat(tools=[TOOL], tool_choice="auto", parallel_tool_calls=False)),
    ("results of tools", [], chat(messages=[
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": CALLED["choices"][0]["message"]["tool_calls"]},
        {"role": "tool", "tool_call_id": "c1", "content": "1.50"}])),
    ("extra headers", [], chat(extra_headers={"x-trace": "abc"})),
    ("extra query", [], chat(extra_query={"a": "b c", "d": "é"})),
    ("an extra body", [], chat(extra_body={"vendor": {"x": [1, 2.0, None, True]}})),
    ("a time-out of its own", [], chat(timeout=9)),
    ("an idempotency key", [], chat(extra_headers={"Idempotency-Key": "k1"})),
    ("a request id", [], chat(extra_headers={"x-request-id": "mine-1"})),
    ("a long text", [], chat(messages=[{"role": "user", "content": "word " * 20000}])),
    ("letters of all sorts", [], chat(messages=[{"role": "user", "content": "\u2028\u0000\\\" 🙂 \ud7ff"}])),
    ("a developer message", [], chat(messages=[{"role": "developer", "content": "x"}, {"role": "user", "content": "y"}])),
    ("a name", [], chat(messages=[{"role": "user", "name": "bob", "content": "x"}])),
    ("reasoning", [], chat(reasoning_effort="low", max_completion_tokens=10)),
    ("a service tier", [], chat(service_tier="flex", prompt_cache_key="p")),
    ("a prediction", [], chat(prediction={"type": "content", "content": "Hello"})),
    ("raw response", [says(200, completion(), {"x-request-id": "r1"})], raw),
    ("streaming response", [], streaming_response),
    ("lines of a streaming response", [], lines_of_response),
    ("a stream", [], stream),
    ("a stream of one event", [streams(1)], stream),
    ("a long stream", [streams(200)], stream),
    *((f"a stream that the caller breaks off after {count}", [], broken_off_after(count)) for count in range(6)),
    ("a stream in a context", [], stream_in_context),
    ("a stream that the provider breaks off", [breaks_off], stream),
    ("a stream with an error inside", [lambda h, s: h.stream(iter([b'data: {"error":{"message":"no","code":"x"}}\n\n']))], stream),
    ("the stream helper", [], stream_helper),
    ("a stream with usage", [], chat(stream=False, stream_options=None)),
    ("structured output", [says(200, completion('{"word":"hi"}'))], parsed),
    ("structured output that is none", [says(200, completion("no"))], parsed),
    ("responses", [says(200, RESPONSE)], responses),
    ("responses of items", [says(200, RESPONSE)], responses_of_items),
    ("embeddings", [], embeddings),
    ("completions", [says(200, {"id": "c", "object": "text_completion", "created": 1, "model": "i", "choices": []})], completions),
    ("a list", [], models),
    ("pages", [], pages),
    ("an upload", [], upload),
    ("options", [], with_options),
    ("a copy of a copy", [], copied),
    ("a raw post", [], posted),
    ("an answer that is not JSON", [says(200, b"<html>", {"content-type": "text/html"})], chat()),
    ("an empty answer", [says(200, b"")], chat()),
    ("broken JSON", [says(200, b'{"id":')], chat()),
    ("400", [fails(400)], chat()),
    ("401", [fails(401)], chat()),
    ("403", [fails(403)], chat()),
    ("404", [fails(404)], chat()),
    ("409", [fails(409)], chat()),
    ("422", [fails(422)], chat()),
    ("429", [fails(429)], chat()),
    ("500", [fails(500)], chat()),
    ("503", [fails(503)], chat()),
    ("529", [fails(529)], chat()),
    ("an error that is text", [says(500, b"oops", {"content-type": "text/plain"})], chat()),
    ("a second try after 429", [fails(429, SOON)], retried),
    ("a second try after 500", [fails(500, SOON)], retried),
    ("a third try", [fails(500, SOON), fails(503, SOON)], retried),
    ("no try left", [fails(500, SOON), fails(500, SOON), fails(500, SOON)], retried),
    ("no second try", [fails(500, {"x-should-retry": "false"})], retried),
    ("a second try that is asked for", [fails(400, {"x-should-retry": "true", **SOON})], retried),
    ("a connection that is cut", [cuts], chat()),
    ("a time-out", [is_late], timed_out),
    ("a redirect", [lambda h, s: h.say(307, b"", {"location": "/v1/chat/completions?again=1"})], chat()),
]  # fmt: skip
