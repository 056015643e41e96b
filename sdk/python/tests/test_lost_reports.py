"""Reports that are lost: each cause is named by one warning, which contains nothing that was sent."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import openai
import pytest

from support.patient import weir
from support.servers import CANARY, INVALID, ProviderLike, Seen, WeirLike
from weir_sdk import Weir

ASK: Any = {"model": "m", "messages": [{"role": "user", "content": CANARY}]}
UNKNOWN_KEY = b'{"error":{"type":"authentication_error","message":"unknown key","trace_id":"trace-1"}}'
LOST = "some answers were not reported"
TOO_LARGE = "An answer is too large for a report to Weir: only its beginning is reported"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir_sdk._reports._PAUSES", (0.01,))


def batch(status: int, body: bytes) -> Any:
    """The same answer to each request with reports."""
    return lambda handler, seen: handler.say(status, body)


def items(**item: Any) -> Any:
    """The same answer to each report."""

    def answer(handler: Any, seen: Seen) -> None:
        handler.say(200, json.dumps({"answers": [item] * seen.body.count(b'{"call"')}).encode())

    return answer


CAUSES: dict[str, tuple[Any, list[str]]] = {
    "a key that was deleted": (batch(401, UNKNOWN_KEY), [f"Weir refused reports with status 401: {LOST}"]),
    "a report that Weir cannot read": (batch(422, INVALID), [f"Weir refused reports with status 422: {LOST}"]),
    "a report that Weir refuses": (items(status=404), [f"Weir refused reports with status 404: {LOST}"]),
    "a report at which Weir fails": (
        items(status=500),
        [f"Weir did not accept reports for an hour, or in several attempts: {LOST}"],
    ),
    "an answer without a status": (
        items(status=CANARY),
        [f"Weir did not accept reports for an hour, or in several attempts: {LOST}"],
    ),
    "a report that is always too large": (
        batch(413, b"too large"),
        [TOO_LARGE, f"Weir refused reports with status 413: {LOST}"],
    ),
}


@pytest.mark.parametrize("cause", list(CAUSES))
def test_a_lost_report_is_counted_and_named_by_one_warning(cause: str, door: WeirLike, provider: ProviderLike) -> None:
    answer, expected = CAUSES[cause]

    def fault(handler: Any, seen: Seen) -> bool:
        if seen.path == "/v1/calls/answers":
            answer(handler, seen)
        return seen.path == "/v1/calls/answers"

    door.fault = fault
    warned: list[str] = []
    # Each cause has a queue of its own, because a queue issues a warning only once.
    own: Any = {"queue_max_reports": 700 + list(CAUSES).index(cause)}
    client = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"), **own, on_warning=warned.append)
    for _ in range(2):
        client.chat.completions.create(**ASK)
        assert Weir(**own).flush(60_000)
    assert warned == expected
    assert (Weir(**own).stats()["dropped"], Weir(**own).stats()["queued_bytes"]) == (2, 0)


def test_reports_that_are_lost_at_the_end_of_a_process_cause_a_warning(door: WeirLike, provider: ProviderLike) -> None:
    go_on = threading.Event()
    door.fault = lambda handler, seen: bool(seen.path == "/v1/calls/answers" and not go_on.wait(60))
    script = """
import sys, openai
from weir_sdk import weir
client = weir(
    openai.OpenAI(api_key="k", base_url=sys.argv[1]), deadline_ms=60_000, flush_timeout_ms=0, on_warning=print
)
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
"""
    called = [sys.executable, "-c", script, f"{provider.url}/v1"]
    ended = subprocess.run(called, capture_output=True, text=True, timeout=120)
    go_on.set()
    said = "The process ends before all reports to Weir are sent: some answers are not reported\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, said, "")


def test_a_warning_that_is_an_error_does_not_end_the_call(door: WeirLike, provider: ProviderLike) -> None:
    door.fault = lambda handler, seen: bool(handler.say(503) or True)

    def strict(text: str) -> None:
        raise RuntimeWarning(text)

    own: Any = {"queue_max_reports": 750, "fail_mode": "open", "max_retries": 0, "on_warning": strict}
    client = weir(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"), **own)
    assert client.chat.completions.create(**ASK).choices[0].message.content == "Hello there"
    assert Weir(queue_max_reports=750).stats()["passed_open"] == 1
