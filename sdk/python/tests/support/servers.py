"""Small HTTP servers for tests: a provider that keeps each request, and a configurable Weir."""

from __future__ import annotations

import base64
import json
import re
import socket
import socketserver
import struct
import threading
import time
import uuid
import zlib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Iterator

CANARY = "alice.canary@example.com"
MASK = "[EMAIL]"
#: Weir's answer to a batch of reports of which one is invalid.
INVALID = b'{"error":{"type":"invalid_request","message":"The request is invalid","trace_id":"trace-1"}}'


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "LocalServer"

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ValueError):
            pass

    def _any(self) -> None:
        body = self._body()
        seen = Seen(self.command, self.path, list(self.headers.items()), body)
        with self.server.changed:
            self.server.requests.append(seen)
            self.server.changed.notify_all()
        self.server.answer(self, seen)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def say(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, chunks: Iterator[bytes], headers: dict[str, str] | None = None) -> None:
        self.send_response_only(200)
        kind = "text/event-stream"
        if self.path.endswith("/invoke-with-response-stream"):
            kind, chunks = "application/vnd.amazon.eventstream", map(framed, chunks)
        for name, value in {"content-type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for chunk in chunks:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.server.broken_off.set()
            self.close_connection = True

    def cut(self) -> None:
        """Closes the connection without a response."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def framed(event: bytes) -> bytes:
    """An event in a frame of Bedrock's streams."""
    data = event.partition(b"data: ")[2].strip()
    named = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    payload = json.dumps({"bytes": base64.b64encode(data).decode()}).encode()
    return frame(named, payload)


def frame(named: dict[str, str], payload: bytes) -> bytes:
    head = b"".join(
        struct.pack(">B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in named.items()
    )
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    frame = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return frame + struct.pack(">I", zlib.crc32(frame))


class LocalServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Listens on a free port; `answer` handles requests."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, answer: Callable[[Any, Seen], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[Seen] = []
        self.changed = threading.Condition()
        self.broken_off = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def wait_for(self, holds: Callable[[list[Seen]], bool], seconds: float = 60) -> list[Seen]:
        with self.changed:
            assert self.changed.wait_for(lambda: holds(self.requests), seconds), "what was waited for did not arrive"
            return list(self.requests)

    def reset(self) -> None:
        with self.changed:
            self.requests.clear()
        self.broken_off.clear()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        pass


class WeirLike(LocalServer):
    """Implements `/v1/calls`: masks the canary, refuses texts that contain BLOCK.

    `fault` replaces an answer once or always.
    """

    def __init__(self) -> None:
        super().__init__(self._judge)
        self.fault: Callable[[Any, Seen], bool] | None = None
        self.violations: list[dict[str, Any]] = []

    @property
    def asked(self) -> list[Seen]:
        return [each for each in self.requests if re.match(r"/v1/calls/[a-z]+/", each.path)]

    def answers(self) -> list[dict[str, Any]]:
        """The reports so far, each with its body."""
        found = []
        for each in list(self.requests):
            if each.path == "/v1/calls/answers":
                found += list(_items(each.body))
            elif each.path.endswith("/answer"):
                found.append({"call": each.path.split("/")[3], "ended": each.header("x-weir-ended"), "body": each.body})
        return found

    def wait_for_answers(self, count: int) -> list[dict[str, Any]]:
        self.wait_for(lambda _: len(self.answers()) >= count)
        return self.answers()

    def _judge(self, handler: Any, seen: Seen) -> None:
        if self.fault is not None and self.fault(handler, seen):
            return
        if seen.header("authorization") != "Bearer sk_test":
            error = {"type": "authentication_error", "message": "Weir does not know this service key"}
            return handler.say(401, json.dumps({"error": error}).encode(), {"x-should-retry": "false"})
        if seen.path == "/v1/calls/answers":
            if any("status" not in each and each["ended"] in ("complete", "aborted") for each in _items(seen.body)):
                # Like the service, which then takes none of the reports.
                return handler.say(422, INVALID)
            answers = [
                {"call": each["call"], "status": 200, "event_id": f"answer-{each['call']}", "violations": self.violations}
                for each in _items(seen.body)
            ]
            return handler.say(200, json.dumps({"answers": answers}).encode())
        if seen.path.endswith("/answer"):
            answer = {"call": "c", "event_id": "answer-1", "violations": self.violations}
            return handler.say(200, json.dumps(answer).encode())
        governed = re.search(r"/(chat/completions|completions|responses|embeddings|messages|messages/count_tokens|models/[^/:]+:[a-zA-Z]+)(\?|$)", seen.path)
        headers = {
            "x-weir-event-id": str(uuid.uuid4()),
            "x-weir-decision": "allow",
            "x-weir-call": str(uuid.uuid4()),
            "x-weir-governed": "true" if governed else "false",
        }
        if b"BLOCK" in seen.body:
            weir = {"code": "content_policy_violation", "event_id": headers["x-weir-event-id"], "decision": "block"}
            weir["violations"] = [{"rule": "test.block"}]  # type: ignore[assignment]
            error = {"message": "Weir refused this call", "type": "invalid_request_error", "weir": weir}
            if "/anthropic/" in seen.path:
                body = {"type": "error", "error": error, "request_id": "r"}
            else:
                body = {"error": {**error, "param": None, "code": "content_policy_violation"}}
            headers = {**headers, "x-weir-decision": "block", "content-type": "application/json", "x-should-retry": "false"}
            return handler.say(400, json.dumps(body).encode(), headers)
        if CANARY.encode() in seen.body:
            headers = {**headers, "x-weir-decision": "redact", "x-weir-redactions": "EMAIL=1"}
            return handler.say(200, seen.body.replace(CANARY.encode(), MASK.encode()), headers)
        handler.say(204, b"", headers)


def _items(body: bytes) -> Iterator[dict[str, Any]]:
    while body:
        line, _, rest = body.partition(b"\n")
        head = json.loads(line)
        yield {**head, "body": rest[: head["length"]]}
        body = rest[head["length"] + 1 :]


def completion(text: str = "Hello there", identity: str = "chatcmpl-1") -> bytes:
    message = {"role": "assistant", "content": text, "refusal": None}
    return json.dumps(
        {
            "id": identity,
            "object": "chat.completion",
            "created": 1700000000,
            "model": "gpt-4o",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        }
    ).encode()


def completion_chunks(count: int = 5, pause: float = 0.0) -> Iterator[bytes]:
    for index in range(count):
        chunk = {
            "id": "chatcmpl-s",
            "object": "chat.completion.chunk",
            "created": 1700000000,
            "model": "gpt-4o",
            "choices": [{"index": 0, "delta": {"content": f"w{index} "}, "finish_reason": None}],
        }
        yield b"data: " + json.dumps(chunk).encode() + b"\n\n"
        if pause:
            time.sleep(pause)
    yield b"data: [DONE]\n\n"


def message(text: str = "Hello there") -> bytes:
    return json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 3, "output_tokens": 2},
        }
    ).encode()


def message_events(count: int = 5) -> Iterator[bytes]:
    head = json.loads(message())
    head["content"] = []
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": head},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"w{index} "}}
            for index in range(count)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


class ProviderLike(LocalServer):
    """Answers in both formats, but first with a test's `script`, one entry for each request."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.script: list[Callable[[Any, Seen], None]] = []

    def _answer(self, handler: Any, seen: Seen) -> None:
        if self.script:
            return self.script.pop(0)(handler, seen)
        if "enerateContent" in seen.path:
            streams = "streamGenerateContent" in seen.path
            return handler.stream(gemini_chunks(5)) if streams else gemini_answers(handler, seen)
        streamed = b'"stream":true' in seen.body.replace(b": ", b":")
        at_cloud = seen.path.startswith("/model/") or "/publishers/anthropic/" in seen.path
        if seen.path.startswith("/v1/messages") or at_cloud:
            if streamed or seen.path.endswith("-stream"):
                return handler.stream(message_events())
            return handler.say(200, message(), {"content-type": "application/json", "request-id": "req_1"})
        if streamed:
            return handler.stream(completion_chunks())
        if seen.path.endswith("/embeddings"):
            data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
            body = {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            return handler.say(200, json.dumps(body).encode(), {"content-type": "application/json"})
        if seen.path.endswith("/files") and seen.method == "POST":
            file = {"id": "file-1", "object": "file", "bytes": 3, "created_at": 1, "filename": "a", "purpose": "batch", "status": "processed"}
            return handler.say(200, json.dumps(file).encode(), {"content-type": "application/json"})
        if seen.method == "GET":
            page = {"object": "list", "data": [{"id": "gpt-4o", "object": "model", "created": 1, "owned_by": "x"}], "has_more": False}
            return handler.say(200, json.dumps(page).encode(), {"content-type": "application/json"})
        handler.say(200, completion(), {"content-type": "application/json", "x-request-id": f"req-{uuid.uuid4()}"})


GEMINI_ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello there"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    "modelVersion": "gemini-2.5-flash",
    "responseId": "gemini-1",
}


def gemini_chunks(count: int) -> Iterator[bytes]:
    for index in range(count):
        part = {"content": {"role": "model", "parts": [{"text": f"w{index} "}]}}
        yield b"data: " + json.dumps({**GEMINI_ANSWER, "candidates": [part]}).encode() + b"\r\n\r\n"


def gemini_answers(handler: Any, seen: Seen) -> None:
    if "streamGenerateContent" in seen.path:
        handler.stream(iter([b"data: " + json.dumps(GEMINI_ANSWER).encode() + b"\r\n\r\n"]))
    else:
        handler.say(200, json.dumps(GEMINI_ANSWER).encode(), {"content-type": "application/json"})
