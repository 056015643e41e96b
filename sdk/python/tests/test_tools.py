"""Tools first ask Weir by `agent.tool_call`, and run only when no rule refuses."""

from __future__ import annotations

import inspect
import json
import pickle
from typing import Any

import pytest

from support.both import go
from support.servers import Seen, WeirLike
from weir_sdk import (
    ToolBlocked,
    Weir,
    WeirApiError,
    WeirConfigError,
    WeirConnectionError,
    WeirError,
    is_blocked,
    tool,
    weir_context,
)

RAN: list[Any] = []


@tool(deadline_ms=60_000)
def look(city: str, /, days: int = 1, *more: str, unit: str = "C", **rest: Any) -> str:
    """Looks the weather up."""
    RAN.append(city)
    return f"{city} {days} {more} {unit} {rest}"


@tool(name="files.delete", metadata={"team": "a"}, deadline_ms=60_000)
async def delete(path: str) -> str:
    RAN.append(path)
    return path


class Kit:
    @tool(deadline_ms=60_000)
    def look(self, city: str) -> str:
        RAN.append(city)
        return city


def says(status: int, body: Any) -> Any:
    def answer(handler: Any, seen: Seen) -> bool:
        handler.say(status, json.dumps(body).encode())
        return True

    return answer


@pytest.fixture(autouse=True)
def _nothing_ran(door: WeirLike) -> None:
    RAN.clear()
    door.fault = says(200, {"event_id": "e1"})


async def test_a_tool_asks_weir_with_its_arguments_by_name(door: WeirLike) -> None:
    with weir_context(metadata={"user": "u"}, session="s-1", request_id="r-1"):
        assert look("Oslo", 2, "x", z=1) == "Oslo 2 ('x',) C {'z': 1}"
        assert await delete("/tmp/a") == "/tmp/a"
    Kit().look("Bergen")
    first, second, third = (each.json for each in door.requests)
    assert (first["type"], first["request_id"], first["metadata"]) == ("agent.tool_call", "r-1", {"user": "u"})
    arguments = {"city": "Oslo", "days": 2, "more": ["x"], "unit": "C", "z": 1}
    assert first["payload"] == {"tool": "look", "arguments": arguments, "session_id": "s-1"}
    assert second["payload"]["tool"] == "files.delete" and second["metadata"] == {"team": "a", "user": "u"}
    assert third["payload"] == {"tool": "look", "arguments": {"city": "Bergen"}}
    assert [each.header("authorization") for each in door.requests] == ["Bearer sk_test"] * 3


def judged(door: WeirLike) -> Any:
    """The arguments of the only call that Weir was asked about."""
    [seen] = door.requests
    return seen.json["payload"]["arguments"]


@pytest.mark.parametrize("name", ["self", "cls"])
def test_a_first_argument_named_self_or_cls_of_a_plain_function_is_judged(name: str, door: WeirLike) -> None:
    def by_self(self: str) -> str:
        return self

    def by_cls(cls: str) -> str:
        return cls

    plain = tool(by_self if name == "self" else by_cls, deadline_ms=60_000)
    assert plain("rm -rf /") == "rm -rf /"
    assert judged(door) == {name: "rm -rf /"}


def test_a_first_argument_named_self_of_a_static_method_is_judged(door: WeirLike) -> None:
    class Shell:
        @staticmethod
        @tool(deadline_ms=60_000)
        def run(self: str) -> str:
            return self

    assert Shell.run("rm -rf /") == "rm -rf /"
    assert judged(door) == {"self": "rm -rf /"}


def test_the_class_of_a_class_method_is_not_an_argument_of_the_tool(door: WeirLike) -> None:
    class Shell:
        @classmethod
        @tool(deadline_ms=60_000)
        def run(cls, command: str) -> str:
            return command

    assert Shell.run("ls") == "ls"
    assert judged(door) == {"command": "ls"}


def test_a_named_argument_hides_no_positional_one_with_the_same_name(door: WeirLike) -> None:
    @tool(deadline_ms=60_000)
    def run(command: str, /, *more: str, **options: str) -> str:
        return f"{command} {more} {options}"

    assert run("rm -rf /", "a", command="ls", more="b") == "rm -rf / ('a',) {'command': 'ls', 'more': 'b'}"
    assert judged(door) == {"command": "rm -rf /", "more": ["a"], "command'": "ls", "more'": "b"}


def test_name_docstring_and_signature_of_a_function_are_kept() -> None:
    assert (look.__name__, look.__doc__) == ("look", "Looks the weather up.")
    assert list(inspect.signature(look).parameters) == ["city", "days", "more", "unit", "rest"]
    assert inspect.iscoroutinefunction(delete) and not inspect.iscoroutinefunction(look)


@pytest.mark.parametrize("call", [lambda: look("Oslo"), lambda: delete("/")], ids=["sync", "async"])
async def test_a_refused_tool_does_not_run(call: Any, door: WeirLike) -> None:
    violations = [{"rule": "tools.no-delete"}]
    error = {"type": "tool_use_blocked", "message": "no", "violations": violations, "event_id": "e9"}
    door.fault = says(400, {"error": error})
    with pytest.raises(ToolBlocked, match="tools.no-delete") as refused:
        await go(call())
    assert RAN == [] and is_blocked(refused.value)
    assert (refused.value.violations, refused.value.event_id) == (violations, "e9")


@pytest.mark.parametrize("call", [lambda: look("Oslo"), lambda: delete("/")], ids=["sync", "async"])
async def test_an_error_of_the_service_is_raised_unchanged(call: Any, door: WeirLike) -> None:
    door.fault = says(401, {"error": {"type": "authentication_error", "message": "unknown key", "trace_id": "t"}})
    with pytest.raises(WeirApiError, match="401 authentication_error: unknown key") as failed:
        await go(call())
    assert RAN == [] and failed.value.trace_id == "t"


@pytest.mark.parametrize("fault", [says(500, {}), says(200, {}), says(200, []), lambda handler, seen: handler.cut() or True])
async def test_a_tool_follows_its_fail_mode_if_weir_does_not_answer(fault: Any, door: WeirLike) -> None:
    door.fault = fault

    @tool(deadline_ms=300)
    def closed() -> None:
        RAN.append("closed")

    @tool(deadline_ms=300, fail_mode="open")
    def opened() -> None:
        RAN.append("open")

    with pytest.raises(WeirConnectionError, match="Weir .*; the tool closed was not run"):
        closed()
    opened()
    assert RAN == ["open"]


def test_a_tool_that_runs_unjudged_is_counted_with_a_warning(door: WeirLike) -> None:
    door.fault = says(500, {})
    told: list[str] = []
    before = Weir().stats()["passed_open"]

    @tool(deadline_ms=300, fail_mode="open", on_warning=told.append)
    def opened() -> None:
        RAN.append("open")

    opened()
    assert RAN == ["open"] and Weir().stats()["passed_open"] == before + 1
    assert all("tools run without being judged" in each for each in told)


def test_fail_mode_open_does_not_override_a_decision(door: WeirLike) -> None:
    door.fault = says(503, {"error": {"type": "guardrail_unavailable", "message": "no", "decision": "block", "event_id": "e"}})

    @tool(deadline_ms=300, fail_mode="open")
    def opened() -> None:
        RAN.append("open")

    with pytest.raises(WeirApiError, match="503 guardrail_unavailable"):
        opened()
    assert RAN == []


@pytest.mark.parametrize("status", [413, 414, 431])
def test_a_tool_call_that_is_too_large_is_refused_in_both_fail_modes(status: int, door: WeirLike) -> None:
    door.fault = lambda handler, seen: handler.say(status, b"<html>too large</html>") or True

    @tool(deadline_ms=60_000, fail_mode="open")
    def opened() -> None:
        RAN.append("open")

    with pytest.raises(WeirApiError, match="too large"):
        opened()
    assert RAN == [] and len(door.requests) == 1


async def test_a_tool_that_is_an_object_with_an_async_call_does_not_block_its_event_loop(door: WeirLike) -> None:
    class Finder:
        async def __call__(self, name: str) -> str:
            RAN.append(name)
            return name

    find = tool(name="find", deadline_ms=60_000)(Finder())
    assert inspect.iscoroutinefunction(find) and await find("a") == "a"
    [seen] = door.requests
    assert json.loads(seen.body)["payload"] == {"tool": "find", "arguments": {"name": "a"}}


def test_arguments_that_json_cannot_represent_are_judged_as_text(door: WeirLike) -> None:
    @tool(deadline_ms=60_000)
    def find(limits: Any, most: float = float("inf")) -> str:
        return "found"

    around: list[Any] = []
    around.append(around)
    deep: Any = "innermost"
    for _ in range(300):
        deep = [deep]
    given = {
        (1, 2): float("nan"), "(1, 2)": "beside", None: 1.5, "around": around, "set": {1}, "deep": deep, "long": 10**5000,
    }  # fmt: skip
    assert find(given) == "found"
    [seen] = door.requests
    arguments = json.loads(seen.body, parse_constant=pytest.fail)["payload"]["arguments"]
    assert arguments["most"] == "inf" and "innermost" in seen.body.decode()
    assert arguments["limits"] | {"deep": 0, "long": 0} == {
        "(1, 2)": "nan", "(1, 2)'": "beside", "null": 1.5, "around": ["[[...]]"], "set": "{1}", "deep": 0, "long": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "error",
    [
        ToolBlocked("delete", [{"rule": "tools.no-delete"}], "e1"),
        WeirApiError(404, {"type": "not_found", "message": "no"}, 5.0),
        WeirConfigError("wrong"),
        WeirConnectionError("gone"),
        WeirError("any"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_reach_the_parent_of_a_worker_process(error: WeirError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_retries_of_a_tool_call_have_one_event_id(door: WeirLike) -> None:
    answers = [says(503, {}), says(200, {"event_id": "e"})]
    door.fault = lambda handler, seen: bool(answers.pop(0)(handler, seen))

    @tool(deadline_ms=60_000)
    def patient() -> str:
        return "ran"

    assert patient() == "ran"
    assert len({each.json["event_id"] for each in door.requests}) == 1 and len(door.requests) == 2
