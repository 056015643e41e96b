"""The client of Weir's whole API, sync and async, with the real service."""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
import threading
import uuid
from pathlib import Path
from typing import Any

import pytest

from support.both import each, go, within
from support.service import Service
from weir_sdk import CallAnswer, WeirApi, WeirApiError, WeirConfigError

FORBIDDEN = "My social security number is 078-05-1120, please keep it"
SPEC = Path(__file__).parents[3] / "docs/reference/openapi.json"


@pytest.fixture
def api(api_kind: Any, service: Service) -> Any:
    return api_kind(base_url=service.url, token=service.token, api_key=service.key)


def event(text: str, request_id: str | None = None) -> Any:
    return {
        "type": "ai.request",
        "request_id": request_id or uuid.uuid4().hex,
        "payload": {"messages": [{"role": "user", "content": text}]},
    }


async def test_submits_events_and_reads_them_back(api: Any) -> None:
    body = event("Write to ada@example.com, who is Zoë")
    answer = await go(api.events.submit(body))
    assert answer["decision"] == "redact" and answer["redactions"] == [{"type": "contains_pii", "count": 1}]
    found = await go(api.events.get(answer["event_id"]))
    assert found["type"] == "ai.request" and "Zoë" in json.dumps(found, ensure_ascii=False)
    assert (await go(api.events.count(request_id=body["request_id"], type=["ai.request"])))["count"] == 1


async def test_text_that_was_read_in_a_wrong_encoding_is_submitted(api: Any) -> None:
    misread = b"caf\xe9 ada@example.com".decode("utf-8", "surrogateescape")
    answer = await go(api.events.submit(event(misread)))
    assert answer["decision"] == "redact"
    verdict = await go(api.calls.ask("openai", "v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": misread}]}))
    assert verdict.outcome.decision == "redact" and b"ada@" not in verdict.body


async def test_a_refusal_raises_an_error_with_its_details(api: Any) -> None:
    with pytest.raises(WeirApiError) as refused:
        await go(api.events.submit(event(FORBIDDEN)))
    error = refused.value
    assert (error.status, error.type, error.decision) == (400, "content_policy_violation", "block")
    assert error.violations[0]["rule"] and error.event_id and error.trace_id
    assert "078-05-1120" not in repr(error) + str(error)


async def test_errors_can_be_pickled(api: Any) -> None:
    with pytest.raises(WeirApiError) as refused:
        await go(api.apps.get("nobody"))
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.status, again.type, str(again)) == (404, "not_found", str(refused.value))


async def test_names_the_invalid_fields(api: Any) -> None:
    with pytest.raises(WeirApiError) as refused:
        await go(api.events.submit({"type": "ai.request"}))
    assert refused.value.status == 422 and "request_id" in [each["path"] for each in refused.value.details]
    assert "request_id" in str(refused.value)


async def test_iterates_over_all_pages_of_a_list(api: Any) -> None:
    request_id = uuid.uuid4().hex
    for _ in range(5):
        await go(api.events.submit(event("hello", request_id)))
    assert len((await go(api.events.list(request_id=request_id, limit=2)))["data"]) == 2
    found = await each(api.events.iterate(request_id=request_id, limit=2))
    assert len({one["id"] for one in found}) == 5
    assert await each(api.events.iterate(request_id=request_id, limit=2, decision=["block", "redact"])) == []


async def test_filters_by_metadata_with_an_extra_query_parameter(api: Any) -> None:
    mark = uuid.uuid4().hex
    await go(api.events.submit({**event("hello"), "metadata": {"mark": mark}}))
    assert len(await each(api.events.iterate(extra_query={"metadata.mark": mark}))) == 1
    assert await each(api.events.iterate(extra_query={"metadata.mark": f"not-{mark}"})) == []


async def test_creates_apps_and_keys_and_reads_the_audit_log(api: Any) -> None:
    name = f"Made in Python {uuid.uuid4().hex[:8]}"
    made = await go(api.apps.create({"name": name}))
    created = await go(api.keys.create(made["id"], {"name": "first", "environment": "development"}))
    assert created["secret"].startswith("sk_test_")
    assert len((await go(api.keys.list(made["id"])))["data"]) == 1
    assert await go(api.keys.delete(made["id"], created["key"]["id"])) is None
    assert name in [app["name"] for app in (await go(api.apps.list()))["data"]]
    actions = await each(api.audit.iterate(limit=1, action=["app.created", "key.created", "key.deleted"]))
    assert len(actions) >= 3
    assert (await go(api.policies.get("production")))["environment"] == "production"
    assert (await go(api.budgets.list()))["data"] == []


async def test_returns_files_as_bytes_or_as_lines(api: Any) -> None:
    answer = await go(api.events.submit(event("a line of its own")))
    async with within_download(api.events.export(format="csv")) as file:
        assert file.content_type.startswith("text/csv") and b"event_id" in await go(file.read())
    async with within_download(api.events.export(format="jsonl")) as file:
        lines = await each(file.lines())
    assert answer["event_id"] in {json.loads(line)["event_id"] for line in lines}
    with pytest.raises(WeirApiError) as refused:
        await go(api.exports.file("00000000-0000-4000-8000-000000000000"))
    assert refused.value.status == 404


async def test_follows_the_stream_of_events_until_it_is_closed(api: Any, service: Service) -> None:
    other = WeirApi(base_url=service.url, api_key=service.key)
    async with within_download(api.events.tail()) as stream:
        assert stream.content_type.startswith("text/event-stream")
        told = threading.Thread(target=lambda: other.events.submit(event("for the stream")))
        told.start()
        found = ""
        async for line in lines_of(stream):
            found += line
            if "ai.request" in line:
                break
        told.join()
    assert "ai.request" in found


async def test_asks_for_verdicts_on_calls_and_reports_how_the_calls_ended(api: Any) -> None:
    body = b'{"model": "gpt-4o", "temperature": 1.0, "messages": [{"role": "user", "content": "hello"}]}'
    verdict = await go(api.calls.ask("openai", "/v1/chat/completions", body, metadata={"a": "é"}, session="s-1"))
    assert not verdict.refused and verdict.body == body and verdict.outcome.decision == "allow" and verdict.governed
    answer = {"id": "c", "object": "chat.completion", "model": "gpt-4o", "choices": []}
    end = await go(api.calls.answer(CallAnswer(verdict.call, json.dumps(answer).encode(), latency_ms=12.5)))
    assert end["call"] == verdict.call and end["violations"] == []
    masked = {"model": "gpt-4o", "messages": [{"role": "user", "content": "mail ada@example.com"}]}
    verdict = await go(api.calls.ask("openai", "v1/chat/completions", masked))
    assert b"ada@example.com" not in verdict.body and b"[EMAIL_1]" in verdict.body
    ends = await go(api.calls.answer_many([CallAnswer(verdict.call, status=None, ended="unsent")]))
    assert [one["status"] for one in ends["answers"]] == [200]
    verdict = await go(api.calls.ask("openai", "v1/chat/completions", {**masked, "messages": [{"role": "user", "content": FORBIDDEN}]}))
    assert verdict.refused and verdict.status == 400 and verdict.outcome.violations
    assert json.loads(verdict.body)["error"]["code"] == "content_policy_violation"
    assert "openai" in json.dumps(await go(api.calls.routes()))


async def test_a_wrong_key_raises_an_error_instead_of_giving_a_verdict(api_kind: Any, service: Service) -> None:
    with pytest.raises(WeirApiError) as refused:
        await go(api_kind(base_url=service.url, api_key="sk_wrong").calls.ask("openai", "v1/embeddings", b"{}"))
    assert refused.value.status == 401


async def test_path_parameters_are_escaped_and_invalid_ones_rejected(api: Any) -> None:
    with pytest.raises(WeirApiError) as refused:
        await go(api.apps.get("../account"))
    assert refused.value.status == 404
    for wrong in ("", ".", ".."):
        with pytest.raises(WeirConfigError):
            await go(api.apps.get(wrong))
    for wrong in ("../account", "v1/../../account"):
        with pytest.raises(WeirConfigError):
            await go(api.calls.ask("openai", wrong, b"{}"))


async def test_missing_and_invalid_options_are_reported_before_a_request(
    api_kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEIR_TOKEN", raising=False)
    monkeypatch.delenv("WEIR_API_KEY", raising=False)
    without = api_kind(base_url="http://127.0.0.1:1")
    with pytest.raises(WeirConfigError, match="WEIR_TOKEN"):
        await go(without.apps.list())
    with pytest.raises(WeirConfigError, match="WEIR_API_KEY"):
        await go(without.events.submit(event("x")))
    for wrong in ({"token": "a b"}, {"api_key": "é"}, {"timeout_ms": 0}, {"base_url": "ftp://x"}, {"max_retries": True}):
        with pytest.raises(WeirConfigError) as told:
            api_kind(**wrong)
        assert "a b" not in str(told.value)


def test_a_client_has_a_method_for_every_operation_of_the_api(api_kind: Any) -> None:
    """Excludes pages for people, sessions of the dashboard, health, metrics and the proxy."""
    written = json.loads(SPEC.read_text())["paths"]
    left_out = ("/auth/", "/proxy/", "/webhooks/", "/healthz", "/readyz", "/metrics")
    wanted = {
        (method.upper(), path)
        for path, methods in written.items()
        for method in methods
        if not path.startswith(left_out)
    }
    seen = Recorder()
    api = api_kind(base_url="http://127.0.0.1:1", token="t", api_key="k")
    for group in vars(api).values():
        if not hasattr(group, "_sender"):
            continue
        group._sender = seen
        for name, method in inspect.getmembers(group, inspect.ismethod):
            if name.startswith(("_", "iterate")):
                continue
            needed = [
                CallAnswer("c") if one.name == "answer" else [] if one.name == "answers" else "x"
                for one in inspect.signature(method).parameters.values()
                if one.default is inspect.Parameter.empty
            ]
            try:
                called = method(*needed)
                if inspect.iscoroutine(called):
                    asyncio.run(called)
            except Recorded:
                pass
    assert {(method, matching(path, wanted)) for method, path in seen.asked} == wanted


class Recorded(Exception):
    pass


class Recorder:
    """Replaces the sender of operations, and records them."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.settings = WeirApi(base_url="http://127.0.0.1:1", token="t", api_key="k")._sender.settings

    def json(self, method: str, template: str, *_: Any, **__: Any) -> Any:
        self.asked.append((method, template))
        raise Recorded

    none = download = json

    def reply(self, sent: Any, **_: Any) -> Any:
        self.asked.append((sent.method, sent.target))
        raise Recorded


def matching(path: str, wanted: set[tuple[str, str]]) -> str:
    """The path in the OpenAPI document that corresponds to a method's path."""
    parts = path.split("/")

    def fits(template: str) -> bool:
        names = template.split("/")
        return len(names) == len(parts) and all(
            part == name or (name.startswith("{") and part in ("{}", "x", "c")) for part, name in zip(parts, names)
        )

    found = sorted({template for _, template in wanted if fits(template)}, key=lambda one: one.count("{"))
    return found[0] if found else path


def lines_of(download: Any) -> Any:
    lines = download.lines()
    if hasattr(lines, "__aiter__"):
        return lines

    async def iterated() -> Any:
        for line in lines:
            yield line

    return iterated()


class within_download:
    """Enters a sync or async download."""

    def __init__(self, made: Any) -> None:
        self.made = made

    async def __aenter__(self) -> Any:
        self.entered = within(await go(self.made))
        return await self.entered.__aenter__()

    async def __aexit__(self, *error: Any) -> None:
        await self.entered.__aexit__(*error)
