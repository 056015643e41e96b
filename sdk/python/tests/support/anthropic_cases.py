"""Calls of the Anthropic client, written once for sync and async. Each is (name, answers of the provider, call)."""

from __future__ import annotations

from typing import Any

from .both import each, go, within
from .openai_cases import IMAGE, SOON, cuts, is_late, says
from .servers import message, message_events

ASK: dict[str, Any] = {"model": "claude-test", "max_tokens": 20, "messages": [{"role": "user", "content": "Say héllo 🙂"}]}
TOOL = {"name": "look", "description": "Looks", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
assert IMAGE


def fails(status: int, kind: str = "some_error", headers: dict[str, str] | None = None) -> Any:
    return says(status, {"type": "error", "error": {"type": kind, "message": f"failed with {status}"}}, headers)


def create(**extra: Any) -> Any:
    async def call(client: Any) -> Any:
        return await go(client.messages.create(**{**ASK, **extra}))

    return call


async def raw(client: Any) -> Any:
    answer = await go(client.messages.with_raw_response.create(**ASK))
    parsed = await go(answer.parse())
    return [answer.status_code, sorted(answer.headers.items()), parsed.model_dump(), answer.http_request.content]


async def streaming_response(client: Any) -> Any:
    async with within(client.messages.with_streaming_response.create(**ASK)) as answer:
        return b"".join(await each(answer.iter_bytes()))


async def lines_of_response(client: Any) -> Any:
    async with within(client.messages.with_streaming_response.create(**ASK, stream=True)) as answer:
        return await each(answer.iter_lines())


async def stream(client: Any) -> Any:
    return await each(await go(client.messages.create(**ASK, stream=True)))


def broken_off_after(count: int) -> Any:
    async def call(client: Any) -> Any:
        opened = await go(client.messages.create(**ASK, stream=True))
        found = await each(opened, count) if count else []
        await go(opened.close())
        return found

    return call


async def helper_texts(client: Any) -> Any:
    async with within(client.messages.stream(**ASK)) as opened:
        return await each(opened.text_stream)


async def helper_final(client: Any) -> Any:
    async with within(client.messages.stream(**ASK)) as opened:
        return await go(opened.get_final_message())


async def helper_broken(client: Any) -> Any:
    async with within(client.messages.stream(**ASK)) as opened:
        return await each(opened.text_stream, 1)


async def counted(client: Any) -> Any:
    return await go(client.messages.count_tokens(model=ASK["model"], messages=ASK["messages"]))


async def models(client: Any) -> Any:
    return await each(client.models.list())


async def with_options(client: Any) -> Any:
    return await go(client.with_options(timeout=7, default_headers={"x-own": "1"}).messages.create(**ASK))


async def copied(client: Any) -> Any:
    return await go(client.copy(max_retries=1).with_options(default_query={"q": "2"}).messages.create(**ASK))


async def retried(client: Any) -> Any:
    return await go(client.with_options(max_retries=2).messages.create(**ASK))


async def timed_out(client: Any) -> Any:
    return await go(client.with_options(timeout=0.2).messages.create(**ASK))


async def posted(client: Any) -> Any:
    return await go(client.post("/v1/messages", body=ASK, cast_to=object))


async def beta(client: Any) -> Any:
    return await go(client.beta.messages.create(**ASK, betas=["some-beta-2025-01-01"]))


def breaks_off(handler: Any, seen: Any) -> None:
    def events() -> Any:
        yield from list(message_events(3))[:3]
        raise OSError

    handler.stream(events())


def text(*parts: Any) -> list[Any]:
    return [{"role": "user", "content": list(parts)}]


MANY = [{"role": role, "content": f"turn {n}"} for n in range(10) for role in ("user", "assistant")] + text({"type": "text", "text": "?"})
USED = {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": 1}}
MODELS = {"data": [{"id": "m", "type": "model", "display_name": "M", "created_at": "2025-01-01T00:00:00Z"}], "has_more": False,
          "first_id": "m", "last_id": "m"}  # fmt: skip
CASES: list[tuple[str, list[Any], Any]] = [
    ("a message", [], create()),
    ("a system prompt", [], create(system="Be brief")),
    ("a system prompt of parts", [], create(system=[{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}])),
    ("parts", [], create(messages=text({"type": "text", "text": "a"}, PICTURE))),
    ("a document", [], create(messages=text({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}))),
    ("temperature", [], create(temperature=1.0)),
    ("top", [], create(top_p=0.10, top_k=5)),
    ("stop words", [], create(stop_sequences=["\n\n", "END"])),
    ("a user", [], create(metadata={"user_id": "u-1"})),
    ("tools", [], create(tools=[TOOL], tool_choice={"type": "auto"})),
    ("one tool", [], create(tools=[TOOL], tool_choice={"type": "tool", "name": "look"})),
    ("a call of a tool", [], create(messages=[*text({"type": "text", "text": "a"}), {"role": "assistant", "content": [USED]},
                                              *text({"type": "tool_result", "tool_use_id": "t1", "content": "1.50"})])),
    ("many turns", [], create(messages=MANY)),
    ("the beginning of an answer", [], create(messages=[*ASK["messages"], {"role": "assistant", "content": "Well,"}])),
    ("thinking", [], create(thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=2048)),
    ("a service tier", [], create(service_tier="auto")),
    ("extra headers", [], create(extra_headers={"x-trace": "abc"})),
    ("extra query", [], create(extra_query={"a": "b c", "d": "é"})),
    ("an extra body", [], create(extra_body={"vendor": {"x": [1, 2.0, None, True]}})),
    ("a time-out of its own", [], create(timeout=9)),
    ("a request id", [], create(extra_headers={"x-request-id": "mine-1"})),
    ("a long text", [], create(messages=text({"type": "text", "text": "word " * 20000}))),
    ("letters of all sorts", [], create(messages=text({"type": "text", "text": "\u2028\u0000\\\" 🙂 \ud7ff"}))),
    ("a beta", [], beta),
    ("raw response", [says(200, message(), {"request-id": "r1"})], raw),
    ("streaming response", [], streaming_response),
    ("lines of a streaming response", [], lines_of_response),
    ("a stream", [], stream),
    ("a short stream", [lambda h, s: h.stream(message_events(1))], stream),
    ("a long stream", [lambda h, s: h.stream(message_events(200))], stream),
    *((f"a stream that the caller breaks off after {count}", [], broken_off_after(count)) for count in range(10)),
    ("a stream that the provider breaks off", [breaks_off], stream),
    ("a stream with an error inside", [lambda h, s: h.stream(iter([
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n']))], stream),
    ("the stream helper's texts", [], helper_texts),
    ("the stream helper's message", [], helper_final),
    ("the stream helper, broken off", [], helper_broken),
    ("counted tokens", [says(200, {"input_tokens": 5})], counted),
    ("a list", [says(200, MODELS)], models),
    ("options", [], with_options),
    ("a copy of a copy", [], copied),
    ("a raw post", [], posted),
    ("an answer that is not JSON", [says(200, b"<html>", {"content-type": "text/html"})], create()),
    ("an empty answer", [says(200, b"")], create()),
    ("broken JSON", [says(200, b'{"id":')], create()),
    *((str(status), [fails(status)], create()) for status in (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503, 529)),
    ("an error that is text", [says(500, b"oops", {"content-type": "text/plain"})], create()),
    ("a second try after 429", [fails(429, headers=SOON)], retried),
    ("a second try after 500", [fails(500, headers=SOON)], retried),
    ("a third try", [fails(500, headers=SOON), fails(503, headers=SOON)], retried),
    ("no try left", [fails(500, headers=SOON)] * 3, retried),
    ("no second try", [fails(500, headers={"x-should-retry": "false"})], retried),
    ("a connection that is cut", [cuts], create()),
    ("a time-out", [is_late], timed_out),
    ("a redirect", [lambda h, s: h.say(307, b"", {"location": "/v1/messages?again=1"})], create()),
]  # fmt: skip
