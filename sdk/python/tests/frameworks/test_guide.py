"""Runs the examples of the guide to frameworks."""

from __future__ import annotations

import os
import threading
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import pytest

from frameworks.test_openai_agents import CALLED, SAID, answering
from support.faults import refuses_tools
from support.guides import AGENTS, LITELLM, run
from support.servers import CANARY, MASK, ProviderLike, WeirLike


@pytest.fixture(autouse=True)
def _environment(provider: ProviderLike, door: WeirLike, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, path in (("OPENAI", "/v1"), ("ANTHROPIC", "")):
        monkeypatch.setenv(f"{name}_API_KEY", "k")
        monkeypatch.setenv(f"{name}_BASE_URL", provider.url + path)
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "k")
    yield
    for guard in [each for each in litellm.callbacks if getattr(each, "_weir_litellm", False)]:
        guard.close()


def apart(example: str) -> None:
    """Runs an example in a thread without a loop, as in a separate program."""
    failed: list[BaseException] = []

    def work() -> None:
        try:
            run(example)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def masked(provider: ProviderLike) -> None:
    assert provider.requests
    assert all(CANARY.encode() not in seen.body for seen in provider.requests)
    assert any(MASK.encode() in seen.body for seen in provider.requests)


def test_there_are_three_examples_for_each_framework() -> None:
    assert len(AGENTS) == len(LITELLM) == 3


@pytest.mark.parametrize("index, said", [(0, "Hello there\n"), (2, "w0 w1 w2 w3 w4 \n")])
def test_agents_are_guarded(index: int, said: str, door: WeirLike, provider: ProviderLike, capsys: pytest.CaptureFixture[str]) -> None:
    provider.script = [answering(SAID)] if index == 0 else []
    apart(AGENTS[index])
    assert capsys.readouterr().out == said
    masked(provider)


def test_a_run_of_an_agent_is_refused(door: WeirLike, provider: ProviderLike, capsys: pytest.CaptureFixture[str]) -> None:
    apart(AGENTS[2].replace("Write to", "BLOCK"))
    assert capsys.readouterr().out == "refused by a rule: True\n" and not provider.requests


def test_a_refused_tool_of_an_agent_does_not_run(door: WeirLike, provider: ProviderLike, capsys: pytest.CaptureFixture[str]) -> None:
    door.fault = refuses_tools
    provider.script = [answering(CALLED), answering(SAID)]
    apart(AGENTS[1])
    assert capsys.readouterr().out == "Hello there\n"
    assert b"Weir refused the tool call delete_file" in provider.requests[1].body and b"is gone" not in provider.requests[1].body


#: The host of the simulated provider does not identify the provider.
HERE = 'weir_litellm(providers={"127.0.0.1": "%s"}'


@pytest.mark.parametrize("index, provider_id", [(0, "openai"), (1, "anthropic"), (2, "openai")])
def test_litellm_is_guarded(index: int, provider_id: str, door: WeirLike, provider: ProviderLike, capsys: pytest.CaptureFixture[str]) -> None:
    example = LITELLM[index].replace("https://llm.example.com", provider.url).replace("llm.example.com", "127.0.0.1")
    if index < 2:
        example = example.replace("weir_litellm(metadata", "weir_litellm(, metadata").replace("weir_litellm(", HERE % provider_id)
    apart(example)
    assert capsys.readouterr().out == ("Hello there\n", "w0 w1 w2 w3 w4 \n", "")[index]
    masked(provider)
    if index == 2:
        apart(example.replace("Write to", "BLOCK"))
        # LiteLLM also prints where to get help.
        assert capsys.readouterr().out.endswith("refused: True [{'rule': 'test.block'}]\n")
