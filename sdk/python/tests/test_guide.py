"""Runs the examples of the guide."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

from support.faults import refuses_tools
from support.guides import GUIDE as EXAMPLES
from support.guides import LANGCHAIN, run
from support.servers import CANARY, MASK, ProviderLike, WeirLike
from support.service import Service
from weir_sdk import WeirApi, WeirApiError


@pytest.fixture(autouse=True)
def _environment(provider: ProviderLike, door: WeirLike, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", provider.url)


def test_a_client_is_guarded(door: WeirLike, capsys: pytest.CaptureFixture[str]) -> None:
    run(EXAMPLES[0])
    assert capsys.readouterr().out == "redact {'EMAIL': 1} Hello there\n"
    run(EXAMPLES[0].replace("Write to", "BLOCK"))
    assert capsys.readouterr().out == "refused by ['test.block']\n"


def test_calls_have_metadata_and_a_session(door: WeirLike, capsys: pytest.CaptureFixture[str]) -> None:
    # In a thread without a loop, as in a separate program.
    thread = threading.Thread(target=run, args=(EXAMPLES[1],))
    thread.start()
    thread.join()
    assert capsys.readouterr().out == "['w0 w1 w2 w3 w4 ', 'w0 w1 w2 w3 w4 ']\n"
    said = {(each.header("x-service-metadata"), each.header("x-service-session")) for each in door.asked}
    assert said == {(f'{{"service":"support","user":"u-{n}"}}', f"chat-u-{n}") for n in (1, 2)}


def test_a_tool_asks_weir_before_it_runs(door: WeirLike, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(handler: Any, seen: Any) -> bool:
        handler.say(400, b'{"error":{"type":"tool_use_blocked","message":"no","violations":[{"rule":"tools.no-delete"}]}}')
        return True

    door.fault = refused
    run(EXAMPLES[2])
    assert capsys.readouterr().out == "not run: Weir refused the tool call delete_file (tools.no-delete)\n"


def test_googles_client_is_guarded(door: WeirLike, capsys: pytest.CaptureFixture[str]) -> None:
    run(EXAMPLES[3])
    assert capsys.readouterr().out == "redact Hello there\n"
    run(EXAMPLES[3].replace("Write to", "BLOCK"))
    assert capsys.readouterr().out == "refused by a rule: True\n"


@pytest.mark.parametrize("index, said", [(0, "Hello there\n"), (1, "w0 w1 w2 w3 w4 \n"), (2, "Hello there\n")])
def test_langchain_is_guarded(index: int, said: str, door: WeirLike, provider: ProviderLike, capsys: pytest.CaptureFixture[str]) -> None:
    door.fault = refuses_tools
    run(LANGCHAIN[index])
    not_run = "not run: Weir refused the tool call delete_file\n" if index == 2 else ""
    assert capsys.readouterr().out == said + not_run
    [seen] = provider.requests
    assert CANARY.encode() not in seen.body and MASK.encode() in seen.body and len(door.asked) == 1


def test_a_chain_of_langchain_is_refused(door: WeirLike, capsys: pytest.CaptureFixture[str]) -> None:
    run(LANGCHAIN[1].replace("Write to", "BLOCK"))
    assert capsys.readouterr().out == "refused by a rule: True\n"


def test_the_example_of_the_api_runs(service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WEIR_BASE_URL", service.url)
    monkeypatch.setenv("WEIR_TOKEN", service.token)
    monkeypatch.setenv("WEIR_API_KEY", service.key)
    payload = {"messages": [{"role": "user", "content": "My social security number is 078-05-1120"}]}
    event = {"type": "ai.request", "request_id": "r", "metadata": {"team": "support"}, "payload": payload}
    with pytest.raises(WeirApiError):
        WeirApi().events.submit(event)  # type: ignore[arg-type]
    run(EXAMPLES[4])
    printed = capsys.readouterr().out
    assert re.match(r"\d{4}-\d\d-\d\d ai\.request\n", printed) or "ai.request\n" in printed
    assert "apps: [" in printed and printed.endswith("404 not_found\n")
    assert len(EXAMPLES) == 5
