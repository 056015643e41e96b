"""Two strict type checkers accept the package and the examples."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.checkers import checked, checked_examples
from support.guides import GUIDE, LANGCHAIN, README

EXAMPLE = '''
from openai import AsyncOpenAI, OpenAI
from anthropic import Anthropic
from weir_sdk import AsyncWeirApi, Weir, WeirApi, is_blocked, types, weir, weir_context, weir_of

client: OpenAI = weir(OpenAI(), fail_mode="open", metadata={"team": "a"})
other: AsyncOpenAI = weir(AsyncOpenAI())
third: Anthropic = Weir(report="await").guard(Anthropic())
with weir_context(metadata={"user": "u"}, session="s"):
    answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
outcome = weir_of(answer)
text: str | None = outcome.event_id if outcome else answer.choices[0].message.content
refused: bool = is_blocked(ValueError())

api = WeirApi(token="t")
page: types.EventPage = api.events.list(decision=["block", "redact"], limit=5)
cursor: str | None = page["next_cursor"]
for event in api.events.iterate(app=["a"]):
    event_id: str = event["event_id"]
app: types.App = api.apps.create({"name": "x"})


async def read() -> str:
    async with AsyncWeirApi(token="t") as loops:
        async for entry in loops.audit.iterate(action=["app.created"]):
            return entry["action"]
        return (await (await loops.events.export(format="csv")).read()).decode()
'''
WRONG = EXAMPLE + '\nweir(OpenAI(), fail_mode="ajar")\napi.events.list(decision=["perhaps"])\n'


def test_the_package_is_strictly_typed() -> None:
    done = checked("mypy", "--strict", "src")
    assert done.returncode == 0, done.stdout
    done = checked("pyright", "--pythonpath", sys.executable, "src")
    assert done.returncode == 0, done.stdout


def test_a_guarded_client_keeps_its_type(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(EXAMPLE)
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    for checker in (["mypy", "--strict"], ["pyright", "--pythonpath", sys.executable, "--project", str(tmp_path)]):
        # pyright checks the project's folder when a project is given.
        files = [str(tmp_path / "right.py")] if checker[0] == "mypy" else []
        if not files:
            (tmp_path / "wrong.py").unlink()
        done = checked(*checker, *files)
        assert done.returncode == 0, done.stdout
        (tmp_path / "wrong.py").write_text(WRONG)
        done = checked(*checker, *([str(tmp_path / "wrong.py")] if files else []))
        assert done.returncode != 0 and "ajar" in done.stdout and "perhaps" in done.stdout


@pytest.mark.parametrize("kind", ["guide and README", "LangChain"])
def test_examples_in_the_documentation_are_strictly_typed(kind: str, tmp_path: Path) -> None:
    examples = LANGCHAIN if kind == "LangChain" else [*GUIDE, *README]
    assert len(examples) >= 3 and checked_examples(tmp_path, examples) == ""


def test_a_wrong_type_in_an_example_is_detected(tmp_path: Path) -> None:
    found = checked_examples(tmp_path, [GUIDE[0].replace("if outcome is not None:", "if True:")])
    assert "union-attr" in found and "reportOptionalMemberAccess" in found
