"""Two strict type checkers accept the examples of the guide to frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.checkers import checked_examples
from support.guides import AGENTS, LITELLM


@pytest.mark.parametrize("examples", [AGENTS, LITELLM], ids=["OpenAI Agents", "LiteLLM"])
def test_examples_in_the_documentation_are_strictly_typed(examples: list[str], tmp_path: Path) -> None:
    assert len(examples) == 3 and checked_examples(tmp_path, examples) == ""


def test_a_wrong_type_in_an_example_is_detected(tmp_path: Path) -> None:
    found = checked_examples(tmp_path, [LITELLM[0].replace("weir_litellm()", 'weir_litellm(fail_mode="ajar")')])
    assert "arg-type" in found and "reportArgumentType" in found
