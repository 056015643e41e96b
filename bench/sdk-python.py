"""Measures the CPU time that the Python SDK adds to a call, and prints one line of JSON for `npm run bench -- sdk`.

`own_json_us`, `own_stream_us`: the difference to the same call without the SDK, with all HTTP answered in memory (1 kB of JSON; a
stream of 100 chunks). `guarded_cpu_us` and `bare_cpu_us`: a guarded call over HTTP, and the same HTTP requests without the SDK, sent by
the same clients: the call by httpx, the question and the report by the SDK's own client, which costs less than httpx. Each round
measures both kinds, one after the other, with a different text for each call; the median round counts. All threads of this process
count, including those that send reports; the servers run in another process.

Run it with the environment that `npm run test:sdk-python` makes: `python bench/sdk-python.py [rounds]`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import os
import statistics
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).parents[1] / "sdk/python/src"))

import httpx  # noqa: E402

from weir_sdk import Weir, weir_http_client  # noqa: E402
from weir_sdk._config import config_of  # noqa: E402
from weir_sdk._core import core_of  # noqa: E402
from weir_sdk._http import Http, Reply  # noqa: E402

CALLS = 100
NUMBERS = count()
ANSWER = json.dumps(
    {"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "message": {"content": "word " * 160}}]}
).encode()
CHUNKS = [b'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"word %d "}}]}\n\n' % n for n in range(99)]
CHUNKS.append(b"data: [DONE]\n\n")
ALLOWED = {"x-weir-call": "c-1", "x-weir-event-id": "e-1", "x-weir-decision": "allow", "x-weir-governed": "true"}
OPTIONS: dict[str, Any] = {"api_key": "sk_bench", "deadline_ms": 60_000, "queue_max_reports": 100_000, "provider": "openai"}


def body(stream: bool = False) -> bytes:
    """A body of 1 kB with a text that no other call has."""
    text = f"question {next(NUMBERS)} " + "word " * 180
    return json.dumps({"model": "m", "stream": stream, "messages": [{"role": "user", "content": text}]}).encode()


class InMemory(httpx.BaseTransport):
    """A provider without a network."""

    def __init__(self, stream: bool) -> None:
        self.stream = stream

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.stream:
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Chunks())
        return httpx.Response(200, headers={"content-type": "application/json"}, stream=Whole())


class Chunks(httpx.SyncByteStream):
    def __iter__(self) -> Any:
        return iter(CHUNKS)


class Whole(httpx.SyncByteStream):
    def __iter__(self) -> Any:
        return iter((ANSWER,))


def answered_in_memory(method: str, path: str, headers: Any, content: bytes | None, *_: Any, **__: Any) -> Reply:
    if path != "/v1/calls/answers":
        return Reply(204, dict(ALLOWED), b"")
    ends = [{"status": 200, "event_id": "e-2", "violations": []}] * (content or b"").count(b'"ended"')
    return Reply(200, {}, json.dumps({"answers": ends}).encode())


def cpu(work: Callable[[], None]) -> float:
    """Does the work, and returns its CPU time in microseconds per call."""
    gc.collect()
    before = time.process_time()
    work()
    return (time.process_time() - before) / CALLS * 1e6


def calls(client: httpx.Client, url: str, stream: bool) -> Callable[[], None]:
    def work() -> None:
        for _ in range(CALLS):
            with client.stream("POST", url, content=body(stream), headers={"content-type": "application/json"}) as answer:
                for _chunk in answer.iter_bytes():
                    pass
        assert Weir(**OPTIONS).flush(60_000)

    return work


def own(rounds: int, stream: bool) -> float:
    """Measures how much more a guarded call costs than an unguarded one, without any HTTP."""
    core = core_of(config_of(OPTIONS))
    core.http.send = answered_in_memory  # type: ignore[method-assign]
    bare = httpx.Client(transport=InMemory(stream))
    guarded = weir_http_client(httpx.Client(transport=InMemory(stream)), **OPTIONS)
    url = "http://provider/v1/chat/completions"
    kinds = calls(bare, url, stream), calls(guarded, url, stream)
    for each in kinds:
        each()
    return statistics.median(cpu(kinds[1]) - cpu(kinds[0]) for _ in range(rounds))


class Server(asyncio.Protocol):
    """Answers, by path, as a provider, or as Weir does to questions and reports."""

    reports: list[int] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data += data
        head, end, rest = self.data.partition(b"\r\n\r\n")
        if not end:
            return
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        size = int(fields.get(b"content-length", b"0"))
        if len(rest) < size:
            return
        path = head.split(b" ", 2)[1]
        self.data = rest[size:]
        if path == b"/reports":
            reports, Server.reports = Server.reports, []
            self.say(b"200 OK", json.dumps(reports).encode())
        elif path == b"/v1/calls/answers":
            Server.reports.append(size)
            ends = [{"status": 200, "event_id": "e-2", "violations": []}] * max(1, rest.count(b'"ended"'))
            self.say(b"200 OK", json.dumps({"answers": ends}).encode())
        elif path.startswith(b"/v1/calls/"):
            lines = b"".join(f"{name}: {value}\r\n".encode() for name, value in ALLOWED.items())
            self.transport.write(b"HTTP/1.1 204 No Content\r\n" + lines + b"\r\n")
        else:
            self.say(b"200 OK", ANSWER)

    def say(self, status: bytes, content: bytes) -> None:
        head = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(content))
        self.transport.write(head + content)


def serve(pipe: Any) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def over_http(rounds: int) -> tuple[float, float]:
    """Measures a guarded call, and the same requests sent without the SDK."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    OPTIONS["base_url"] = url
    bare, guarded = httpx.Client(), weir_http_client(httpx.Client(), **OPTIONS)
    sender = Http(url, None)
    headers = [("Authorization", "Bearer sk_bench"), ("Content-Type", "application/json")]
    provider = f"{url}/v1/chat/completions"
    run = calls(guarded, provider, False)

    def to_weir(path: str, content: bytes) -> None:
        assert sender.send("POST", path, headers, content, time.monotonic() + 60).status in (200, 204)

    def sent_bare(reports: list[int]) -> Callable[[], None]:
        def work() -> None:
            for _ in range(CALLS):
                content = body()
                to_weir("/v1/calls/openai/v1/chat/completions", content)
                bare.post(provider, content=content, headers={"content-type": "application/json"})
            for size in reports:
                to_weir("/v1/calls/answers", b"x" * size)

        return work

    rows = []
    for number in range(rounds + 1):
        cost = cpu(run)
        reports = bare.get(f"{url}/reports").json()
        plain = cpu(sent_bare(reports))
        bare.get(f"{url}/reports")
        if number > 0:
            rows.append((cost, plain))
    process.terminate()
    process.join()
    # The median round, by the ratio of both costs.
    return sorted(rows, key=lambda row: row[0] / row[1])[len(rows) // 2]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    guarded, bare = over_http(rounds)
    OPTIONS["base_url"] = "http://weir.invalid"
    figures = {
        "own_json_us": own(rounds, stream=False),
        "own_stream_us": own(rounds, stream=True),
        "guarded_cpu_us": guarded,
        "bare_cpu_us": bare,
    }
    shown = {name: round(value, 1) for name, value in figures.items()}
    print(json.dumps({**shown, "rounds": rounds, "load": round(os.getloadavg()[0], 1)}))


if __name__ == "__main__":
    main()
