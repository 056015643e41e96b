"""Calls of Google's client, written once for its sync and its async half.

Each is (name, answers of the provider, call).
"""

from __future__ import annotations

import io
from typing import Any

from google.genai import types
from pydantic import BaseModel

from .both import each, go
from .openai_cases import cuts, is_late, says
from .servers import GEMINI_ANSWER, gemini_chunks

MODEL = "gemini-2.5-flash"
DECLARED = types.FunctionDeclaration(name="look", parameters_json_schema={"type": "object", "properties": {"a": {"type": "integer"}}})
TOOL = types.Tool(function_declarations=[DECLARED])
PICTURE = types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")
CALLED = {
    **GEMINI_ANSWER,
    "candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"a": 1}}}]}, "finishReason": "STOP"}],
}
TURNS = [
    types.Content(role="user", parts=[types.Part(text="look")]),
    types.Content(role="model", parts=[types.Part.from_function_call(name="look", args={"a": 1.5})]),
    types.Content(role="user", parts=[types.Part.from_function_response(name="look", response={"output": "sunny"})]),
]


def told(text: str) -> Any:
    part = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    return says(200, {**GEMINI_ANSWER, "candidates": [part]})


def fails(status: int, headers: dict[str, str] | None = None) -> Any:
    return says(status, {"error": {"code": status, "message": f"failed with {status}", "status": "SOME", "details": []}}, headers)


def generate(contents: Any = "Say héllo 🙂", **config: Any) -> Any:
    async def call(client: Any) -> Any:
        return await go(client.models.generate_content(model=MODEL, contents=contents, config=config or None))

    return call


def http(**options: Any) -> Any:
    return generate(http_options=types.HttpOptions(**options))


def tries(attempts: int) -> Any:
    return http(retry_options=types.HttpRetryOptions(attempts=attempts, initial_delay=0.001, max_delay=0.002))


def opened(client: Any, **config: Any) -> Any:
    return go(client.models.generate_content_stream(model=MODEL, contents="Say hello", config=config or None))


async def stream(client: Any) -> Any:
    return await each(await opened(client))


def broken_off_after(count: int) -> Any:
    async def call(client: Any) -> Any:
        chunks = await opened(client)
        found = await each(chunks, count) if count else []
        await go(chunks.aclose() if hasattr(chunks, "aclose") else chunks.close())
        return found

    return call


async def texts(client: Any) -> Any:
    return [chunk.text for chunk in await each(await opened(client))]


async def text(client: Any) -> Any:
    return (await generate()(client)).text


async def chat(client: Any) -> Any:
    talk = client.chats.create(model=MODEL)
    return [await go(talk.send_message("one")), await go(talk.send_message("two")), talk.get_history()]


async def streamed_chat(client: Any) -> Any:
    talk = client.chats.create(model=MODEL)
    sent = talk.send_message_stream("one")
    return [await each(await go(sent)), talk.get_history()]


async def function_calls(client: Any) -> Any:
    off = types.AutomaticFunctionCallingConfig(disable=True)
    answer = await generate(tools=[TOOL], automatic_function_calling=off)(client)
    return [one.model_dump() for one in answer.function_calls]


async def function_that_runs(client: Any) -> Any:
    ran: list[int] = []

    def look(a: int) -> str:
        """Looks."""
        ran.append(a)
        return "sunny"

    return [await generate(tools=[look])(client), ran]


class Hello(BaseModel):
    word: str


async def structured(client: Any) -> Any:
    answer = await generate(response_mime_type="application/json", response_schema=Hello)(client)
    return [answer.parsed.model_dump() if answer.parsed else None, answer]


async def count(client: Any) -> Any:
    return await go(client.models.count_tokens(model=MODEL, contents=["a", "b"]))


async def embed(client: Any) -> Any:
    config = types.EmbedContentConfig(output_dimensionality=2)
    return await go(client.models.embed_content(model="e", contents=["a", "b"], config=config))


async def model(client: Any) -> Any:
    return await go(client.models.get(model=MODEL))


async def models(client: Any) -> Any:
    return await each(await go(client.models.list(config={"page_size": 2})))


async def files(client: Any) -> Any:
    return await each(await go(client.files.list()))


async def file(client: Any) -> Any:
    return await go(client.files.get(name="files/a"))


async def file_deleted(client: Any) -> Any:
    return await go(client.files.delete(name="files/a"))


async def upload(client: Any) -> Any:
    config = types.UploadFileConfig(mime_type="text/plain", display_name="a")
    return await go(client.files.upload(file=io.BytesIO(b"word " * 100), config=config))


def cache(method: str, **given: Any) -> Any:
    async def call(client: Any) -> Any:
        return await go(getattr(client.caches, method)(**given))

    return call


async def batch(client: Any) -> Any:
    requests: Any = [{"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}]
    return await go(client.batches.create(model=MODEL, src=requests))


async def tokens_by_chat_of_turns(client: Any) -> Any:
    return await go(client.chats.create(model=MODEL, history=TURNS[:2]).send_message([TURNS[2].parts[0]]))  # type: ignore[index]


def uploaded_to(handler: Any, seen: Any) -> None:
    """Answers with the upload URL, as Google does for a resumable upload."""
    address = f"http://{seen.header('host')}/upload/here"
    handler.say(200, b"{}", {"content-type": "application/json", "x-goog-upload-url": address, "x-goog-upload-status": "active"})


def breaks_off(handler: Any, seen: Any) -> None:
    def chunks() -> Any:
        yield from list(gemini_chunks(3))[:2]
        raise OSError

    handler.stream(chunks())


FILE = {"name": "files/a", "uri": "https://example.com/a", "mimeType": "text/plain", "state": "ACTIVE", "sizeBytes": "500"}
DONE = says(200, {"file": FILE}, {"x-goog-upload-status": "final"})
CACHE = {"name": "cachedContents/1", "model": f"models/{MODEL}", "displayName": "c"}
PAGES = [
    says(200, {"models": [{"name": "models/a"}, {"name": "models/b"}], "nextPageToken": "é 2"}),
    says(200, {"models": [{"name": "models/c"}]}),
]
CASES: list[tuple[str, list[Any], Any]] = [
    ("contents", [], generate()),
    ("contents of turns", [], generate(TURNS)),
    ("contents of texts", [], generate(["a", "b"])),
    ("a picture", [], generate([PICTURE, "what?"])),
    ("a file by its address", [], generate([types.Part.from_uri(file_uri="gs://a/b", mime_type="text/plain")])),
    ("letters of all sorts", [], generate("\u2028\u0000\\\" 🙂 \ud7ff")),
    ("a long text", [], generate("word " * 20_000)),
    ("a system instruction", [], generate(system_instruction="Be brief")),
    ("a system instruction of parts", [], generate(system_instruction=[types.Part(text="a"), types.Part(text="b")])),
    ("temperature", [], generate(temperature=1.0, top_p=0.1, top_k=5, seed=7)),
    ("a limit of output", [], generate(max_output_tokens=1_000_000, candidate_count=2)),
    ("stop words", [], generate(stop_sequences=["\n\n", "END"])),
    ("penalties", [], generate(presence_penalty=0.5, frequency_penalty=-0.5)),
    ("log probabilities", [], generate(response_logprobs=True, logprobs=2)),
    ("safety", [], generate(safety_settings=[types.SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="OFF")])),  # type: ignore[arg-type]
    ("thinking", [], generate(thinking_config=types.ThinkingConfig(thinking_budget=0, include_thoughts=True))),
    ("a cached content", [], generate(cached_content="cachedContents/1")),
    ("JSON", [told('{"a":1}')], generate(response_mime_type="application/json")),
    ("a schema of JSON", [told('{"a":1}')], generate(response_mime_type="application/json", response_json_schema={"type": "object"})),
    ("search", [], generate(tools=[types.Tool(google_search=types.GoogleSearch())])),
    ("tools", [says(200, CALLED)], generate(tools=[TOOL], automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True))),
    ("a choice of tools", [], generate(tools=[TOOL], tool_config=types.ToolConfig(
        function_calling_config=types.FunctionCallingConfig(mode="ANY", allowed_function_names=["look"])))),  # type: ignore[arg-type]
    ("structured output", [told('{"word":"hi"}')], structured),
    ("structured output that is none", [told("no")], structured),
    ("calls of functions", [says(200, CALLED)], function_calls),
    ("a function that the client runs", [says(200, CALLED), told("sunny")], function_that_runs),
    ("the text", [], text),
    ("an answer that is withheld", [says(200, {"promptFeedback": {"blockReason": "SAFETY"}, "responseId": "r"})], generate()),
    ("a chat", [told("a"), told("b")], chat),
    ("a streamed chat", [], streamed_chat),
    ("a chat that goes on", [], tokens_by_chat_of_turns),
    ("headers of its own", [], http(headers={"x-own": "1"})),
    ("an extra body", [], http(extra_body={"vendor": {"x": [1, 2.0, None, True]}})),
    ("another version", [], http(api_version="v1alpha")),
    ("a time-out of its own", [], http(timeout=9_000)),
    ("a request id", [], http(headers={"x-request-id": "mine-1"})),
    ("a stream", [], stream),
    ("a stream of one event", [lambda h, s: h.stream(gemini_chunks(1))], stream),
    ("a long stream", [lambda h, s: h.stream(gemini_chunks(200))], stream),
    ("the texts of a stream", [], texts),
    ("a stream that the provider breaks off", [breaks_off], stream),
    ("a stream with an error inside", [lambda h, s: h.stream(iter([
        b'data: {"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}\r\n\r\n']))], stream),
    ("a stream with a broken event", [lambda h, s: h.stream(iter([b"data: {\r\n\r\n"]))], stream),
    ("a stream that is refused", [fails(429)], stream),
    *((f"a stream that the caller breaks off after {count}", [], broken_off_after(count)) for count in range(6)),
    ("counted tokens", [says(200, {"totalTokens": 3})], count),
    ("embeddings", [says(200, {"embeddings": [{"values": [0.5, -1]}, {"values": [1, 2]}]})], embed),
    ("a model", [says(200, {"name": f"models/{MODEL}"})], model),
    ("pages", PAGES, models),
    ("a list of files", [says(200, {"files": [FILE]})], files),
    ("a file", [says(200, FILE)], file),
    ("a file deleted", [says(200, {})], file_deleted),
    ("an upload", [uploaded_to, DONE], upload),
    ("an upload that is refused", [fails(403)], upload),
    ("a cache made", [says(200, CACHE)], cache("create", model=MODEL, config={"contents": "hi", "ttl": "60s"})),
    ("a cache", [says(200, CACHE)], cache("get", name="cachedContents/1")),
    ("a cache changed", [says(200, CACHE)], cache("update", name="cachedContents/1", config={"ttl": "9s"})),
    ("a cache deleted", [says(200, {})], cache("delete", name="cachedContents/1")),
    ("a batch", [says(200, {"name": "batches/1", "metadata": {"state": "BATCH_STATE_PENDING"}})], batch),
    ("an answer that is not JSON", [says(200, b"<html>", {"content-type": "text/html"})], generate()),
    ("an empty answer", [says(200, b"")], generate()),
    ("broken JSON", [says(200, b'{"candidates":')], generate()),
    *((str(status), [fails(status)], generate()) for status in (400, 401, 403, 404, 408, 409, 413, 429, 500, 503, 504)),
    ("an error that is text", [says(500, b"oops", {"content-type": "text/plain"})], generate()),
    ("a second try after 429", [fails(429)], tries(2)),
    ("a second try after 500", [fails(500)], tries(2)),
    ("a third try", [fails(500), fails(503)], tries(3)),
    ("no try left", [fails(500), fails(500), fails(500)], tries(3)),
    ("no second try", [fails(400)], tries(3)),
    ("a connection that is cut", [cuts], generate()),
    ("a time-out", [is_late], http(timeout=200)),
    ("a redirect", [lambda h, s: h.say(307, b"", {"location": f"/v1/models/{MODEL}:generateContent?again=1"})], generate()),
]  # fmt: skip
