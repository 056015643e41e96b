"""The conformance matrix with guarded clients.

Calls are decided, sent and recorded as by the proxy, and as `weir test` predicts. The cases and the
comparison are described in `test/matrix/client-cases.md`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.request
from collections import defaultdict
from pathlib import Path
from typing import Any, Callable, Iterator, cast

import anthropic
import httpx2
import openai
import pytest
from google import genai

from support.both import each, go
from support.servers import LocalServer, Seen
from support.service import NODE, REPOSITORY, Service, running
from weir_sdk import Weir, is_blocked, weir, weir_context, weir_genai_http_options, weir_http_client, weir_of

#: Fields that depend on the entry point of a call, or are different in every call.
OF_ITS_WAY = {
    *{"id", "event_id", "request_id", "trace_id", "parent_id", "session_id"},
    *{"source", "latency_ms", "received_at", "metadata", "clock"},
}
#: Fields about enforcement on an answer: the proxy enforces, a guarded client only reports.
OF_ENFORCING = {"decision", "reason", "outcome", "redactions", "enforced"}
#: 1 for all cases, n for every nth case.
STEP = int(os.environ.get("WEIR_TEST_CASES_STEP", "1"))
Case = dict[str, Any]


class Answering(LocalServer):
    """A provider that answers with the answer of the current case."""

    def __init__(self) -> None:
        super().__init__(self._say)
        self.case: Case = {}

    def _say(self, handler: Any, seen: Seen) -> None:
        answer = self.case["answer"]
        handler.say(200, answer["body"].encode(), {"content-type": answer["content_type"]})

    def sent(self) -> Any:
        assert len(self.requests) <= 1, "the provider was called more than once"
        return self.requests[0].json if self.requests else None


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    command = [NODE, "--import", "./test/support/register-typescript.mjs", "test/support/write-client-cases.ts", str(folder)]
    subprocess.run([*command, os.environ.get("WEIR_TEST_SEED", "1")], cwd=REPOSITORY, check=True)
    return folder


@pytest.fixture(scope="module")
def answering() -> Iterator[Answering]:
    server = Answering()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def matrix_service(written: Path, answering: Answering) -> Iterator[Service]:
    at = {f"WEIR_{name}_BASE_URL": answering.url for name in ("OPENAI", "ANTHROPIC", "GEMINI")}
    yield from running({**at, "WEIR_POLICIES_DIR": str(written / "policies")})


def is_of_official_clients(case: Case) -> bool:
    """Whether an official client can send the request of a case.

    Gemini's client writes settings in camel case, counts tokens of contents that it writes itself,
    and requests streams as events.
    """
    if case["provider"] != "gemini":
        return True
    known = re.search(r":(?:generateContent|batchEmbedContents|streamGenerateContent\?alt=sse)$", case["path"])
    return known is not None and "generation_config" not in case["request"]


class Callers:
    """Official clients, each created once and guarded with the key of an environment.

    The context sets the sessions.
    """

    def __init__(self, service: Service, provider: Answering) -> None:
        self._service, self._provider = service, provider
        self._made: dict[tuple[object, ...], Any] = {}

    async def call(self, case: Case, session: str, is_async: bool) -> str | None:
        try:
            with weir_context(session=session):
                if not is_of_official_clients(case):
                    return self._over_http(case)
                await self._by_client(case, is_async)
        except Exception as error:
            if not is_blocked(error):
                raise
            outcome = weir_of(error)
            return outcome.code if outcome is not None else "no outcome"
        return None

    def _once(self, case: Case, kind: object, make: Callable[[Any], Any]) -> Any:
        """Reuses clients, because creating one costs more than its calls."""
        named = (case["environment"], kind)
        if named not in self._made:
            own = {"api_key": self._service.keys[case["environment"]], "base_url": self._service.url}
            self._made[named] = make({**own, "deadline_ms": 60_000})
        return self._made[named]

    def _over_http(self, case: Case) -> str | None:
        provider = case["provider"]
        http = self._once(case, provider, lambda own: weir_http_client(httpx2.Client(), provider=provider, **own))
        answer = http.post(self._provider.url + case["path"], json=case["request"])
        return None if answer.is_success else code_in(answer.text)

    async def _by_client(self, case: Case, is_async: bool) -> None:
        path = case["path"].partition("?")[0]
        if case["provider"] == "gemini":
            return await self._by_google(case, is_async)
        # Members without a parameter of the method are passed as extra body, in another order.
        setup: Any = {"api_key": "provider-key", "max_retries": 0}
        kind: Any
        if path.startswith("/v1/messages"):
            kind = anthropic.AsyncAnthropic if is_async else anthropic.Anthropic
            setup["base_url"] = self._provider.url
        else:
            kind = openai.AsyncOpenAI if is_async else openai.OpenAI
            setup["base_url"] = f"{self._provider.url}/v1"
        guarded = self._once(case, kind, lambda own: weir(kind(**setup), **own))
        methods = {
            "/v1/chat/completions": lambda: guarded.chat.completions.create,
            "/v1/responses": lambda: guarded.responses.create,
            "/v1/completions": lambda: guarded.completions.create,
            "/v1/embeddings": lambda: guarded.embeddings.create,
            "/v1/messages": lambda: guarded.messages.create,
            "/v1/messages/count_tokens": lambda: guarded.messages.count_tokens,
        }
        if path in methods and not (path == "/v1/embeddings" and case["streamed"]):
            method = methods[path]()
            given = self._arguments(path, case["request"])
            answer = await go(method(**given))
        else:
            route = path if path.startswith("/v1/messages") else path.removeprefix("/v1")
            answer = await go(guarded.post(route, body=case["request"], cast_to=object))
        if hasattr(answer, "__aiter__") or (case["streamed"] and hasattr(answer, "__iter__")):
            await each(answer)

    @staticmethod
    def _arguments(path: str, request: dict[str, Any]) -> dict[str, Any]:
        needed = {
            "/v1/chat/completions": {"model", "messages"},
            "/v1/responses": {"model", "input"},
            "/v1/completions": {"model", "prompt"},
            "/v1/embeddings": {"model", "input", "encoding_format"},
            "/v1/messages": {"model", "messages", "max_tokens"},
            "/v1/messages/count_tokens": {"model", "messages"},
        }[path] | {"stream"}
        given = {name: value for name, value in request.items() if name in needed}
        if path == "/v1/embeddings":
            # By default the client would request base64.
            given.setdefault("encoding_format", openai.NOT_GIVEN)
        return {**given, "extra_body": {name: value for name, value in request.items() if name not in needed}}

    async def _by_google(self, case: Case, is_async: bool) -> None:
        at = {"base_url": self._provider.url, "api_version": case["path"].split("/")[1]}
        client = self._once(
            case,
            at["api_version"],
            lambda own: genai.Client(api_key="provider-key", http_options=weir_genai_http_options(at, **own)),
        )
        models: Any = client.aio.models if is_async else client.models
        found = re.search(r"models/([^:]+):(\w+)", case["path"])
        assert found is not None
        # The client's methods rewrite the body; the members of the case replace theirs.
        config = {"http_options": {"extra_body": case["request"]}}
        asked: Any = {"model": found.group(1), "contents": "x", "config": config}
        if found.group(2) == "generateContent":
            await go(models.generate_content(**asked))
        elif found.group(2) == "streamGenerateContent":
            await each(await go(models.generate_content_stream(**asked)))
        else:
            await go(models.embed_content(**asked))


def code_in(text: str) -> str:
    found = re.search(r'"code":"(\w+)"', text)
    return found.group(1) if found else "no code"


def through_proxy(service: Service, case: Case, session: str) -> str | None:
    headers = {"x-service-key": service.keys[case["environment"]], "x-service-session": session, "content-type": "application/json"}
    body = json.dumps(case["request"], ensure_ascii=False).encode()
    request = urllib.request.Request(f"{service.url}/proxy/{case['provider']}{case['path']}", body, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            answer.read()
            return None
    except urllib.error.HTTPError as refused:
        text = refused.read().decode()
        return code_in(text) if refused.headers["x-weir-decision"] == "block" else None


def stored(service: Service) -> dict[str, list[Any]]:
    by_session: dict[str, list[Any]] = defaultdict(list)
    cursor: str | None = ""
    while cursor is not None:
        page = service.get(f"/v1/events?limit=200&order=asc{'&cursor=' + cursor if cursor else ''}")
        for event in page["data"]:
            by_session[event["session_id"]].append(event)
        cursor = page["next_cursor"]
    return by_session


def comparable(value: Any, of_answer: bool) -> Any:
    left = OF_ITS_WAY | (OF_ENFORCING if of_answer else set())
    if isinstance(value, list):
        return [comparable(one, of_answer) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {name: comparable(one, of_answer) for name, one in value.items() if name not in left}
    if of_answer and kept.get("action") == "block":
        # Signed content cannot be masked, so the proxy blocks instead of masking.
        kept["action"] = "redact"
    return kept


def differences(cases: list[Case], log: dict[str, list[Any]]) -> Iterator[str]:
    for index, case in enumerate(cases):
        proxied, made = log[f"proxy-{index}"], log[f"client-{index}"]
        seen = [[comparable(event, event["type"] != "ai.request") for event in events] for events in (proxied, made)]
        if seen[0] != seen[1]:
            yield f"{case['id']}: the log differs from the log of the proxy"
        asked = next((event for event in made if event["type"] == "ai.request"), {})
        told = next((event for event in made if event["type"] == "ai.response"), {})
        violations = [{name: one[name] for name in ("rule", "action", "enforced")} for one in asked.get("violations", ())]
        rules = sorted({one["rule"] for one in told.get("violations", ())})
        expected = case["expected"]
        for what, got, wanted in (
            ("decision", asked.get("decision"), expected["decision"]),
            ("violations", violations, expected["violations"]),
            ("rules of the answer", rules, expected["answer_rules"]),
        ):
            if got != wanted:
                yield f"{case['id']}: recorded {what}: not as expected"


async def test_calls_are_decided_sent_and_recorded_as_by_the_proxy(
    written: Path, answering: Answering, matrix_service: Service
) -> None:
    every = cast("list[Case]", json.loads((written / "cases.json").read_text())["cases"])
    cases = every[::STEP]
    assert len(cases) >= 900 // STEP
    callers = Callers(matrix_service, answering)
    red: list[str] = []
    for index, case in enumerate(cases):
        ways = []
        for way in ("proxy", "client"):
            answering.reset()
            answering.case = case
            if way == "proxy":
                refused = through_proxy(matrix_service, case, f"proxy-{index}")
                # A refused answer is not a refusal of the request.
                refused = None if answering.requests else refused
            else:
                refused = await callers.call(case, f"client-{index}", is_async=index % 2 == 1)
            ways.append((way, refused, answering.sent()))
        for way, refused, sent in ways:
            if refused != case["expected"]["code"]:
                red.append(f"{case['id']}: the {way} refuses with {refused}")
            if sent != case["expected"]["sent"]:
                red.append(f"{case['id']}: the {way} does not send the expected body")
    for key in matrix_service.keys.values():
        assert Weir(api_key=key, base_url=matrix_service.url).flush(60_000)
    log = stored(matrix_service)
    red += differences(cases, log)
    assert not red, "\n".join(red[:40])
    # Proof that the comparison detects a difference.
    next(event for event in log["client-0"] if event["type"] == "ai.request")["decision"] = "another"
    assert len(list(differences(cases, log))) == 2
