"""Tools: functions that ask Weir by an `agent.tool_call` event, and run only if no rule refuses."""

from __future__ import annotations

import functools
import inspect
import json
import math
from typing import TYPE_CHECKING, Any, Awaitable, Callable, TypeVar, cast, overload
from uuid import uuid4

from ._asking import TOO_LARGE
from ._config import Config, WeirOptions, config_of
from ._context import current_context
from ._core import Core, core_of
from ._errors import ToolBlocked, WeirApiError, WeirConfigError, WeirConnectionError
from ._http import Fault, Reply
from ._outcome import BLOCKED_CODES

if TYPE_CHECKING:
    from typing_extensions import Unpack

F = TypeVar("F", bound=Callable[..., Any])
_MOST_BITS = 4096
_DEEPEST = 100
_JSON_TYPES = (str, int, float, bool, list, tuple, dict, type(None))


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(function: None = None, /, *, name: str | None = None, **options: Unpack[WeirOptions]) -> Callable[[F], F]: ...
def tool(function: Any = None, /, *, name: str | None = None, **options: Any) -> Any:
    """Asks Weir with the tool's name and arguments before each run; a refusal raises `ToolBlocked`.

    `@tool` or `@tool(name="…", fail_mode="open", …)`, for functions and coroutine functions. Name,
    signature and docstring are kept, so that decorators of frameworks that read them can be placed
    above `@tool`. If Weir is unavailable, `fail_mode` decides.
    """
    if function is None:
        return lambda given: tool(given, name=name, **options)
    called = name or getattr(function, "__name__", None)
    if not callable(function) or not called:
        raise WeirConfigError("tool() takes a function, and needs a name if the function has none")
    signature = inspect.signature(function)
    has_instance = _has_instance(function, signature)

    def asked(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Core, Config, bytes]:
        config = config_of(options)
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        return core_of(config), config, _event(config, called, _given(bound, has_instance))

    if _is_async(function):
        awaited = cast("Callable[..., Awaitable[Any]]", function)

        @functools.wraps(function)
        async def guarded_async(*arguments: Any, **named: Any) -> Any:
            core, config, event = asked(arguments, named)
            _check(core, config, called, await core.submit_async(config, event))
            return await awaited(*arguments, **named)

        return guarded_async

    @functools.wraps(function)
    def guarded(*arguments: Any, **named: Any) -> Any:
        core, config, event = asked(arguments, named)
        _check(core, config, called, core.submit(config, event))
        return function(*arguments, **named)

    return guarded


def _is_async(function: Any) -> bool:
    """Whether a call of a function, or of an object that can be called, has to be awaited."""
    called = None if inspect.isclass(function) else getattr(function, "__call__", None)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def _has_instance(function: Any, signature: inspect.Signature) -> bool:
    """Whether a function was defined in a class, with `self` or `cls` as its first parameter."""
    scope = str(getattr(function, "__qualname__", "")).rpartition(".")[0]
    return scope != "" and not scope.endswith("<locals>") and next(iter(signature.parameters), "") in ("self", "cls")


def _given(bound: inspect.BoundArguments, has_instance: bool) -> dict[str, Any]:
    """The arguments by name, as a model passes them; the instance of a method is not an argument of a tool."""
    found: dict[str, Any] = {}
    for index, (name, value) in enumerate(bound.arguments.items()):
        if bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            for key, each in value.items():
                # A named argument may have the name of a positional-only parameter, whose value it must not hide.
                found[_free_name(key, found)] = each
        # A static method may also call its first parameter `self`; a value that JSON can represent is not an instance.
        elif not (index == 0 and has_instance and type(value) not in _JSON_TYPES):
            found[name] = value
    return found


def _free_name(name: str, taken: dict[str, Any]) -> str:
    """The name, with as many `'` after it as it needs to differ from the names that are taken."""
    while name in taken:
        name += "'"
    return name


def _event(config: Config, name: str, arguments: dict[str, Any]) -> bytes:
    context = current_context()
    payload: dict[str, Any] = {"tool": name, "arguments": _as_json(arguments)}
    session = context.session or config.session
    if session is not None:
        payload["session_id"] = session
    event: dict[str, Any] = {
        "type": "agent.tool_call",
        # The SDK's own retries have the same id, so that they are recorded as one event.
        "event_id": uuid4().hex,
        "metadata": {**config.metadata, **context.metadata},
        "payload": payload,
    }
    if context.request_id is not None:
        event["request_id"] = context.request_id
    return json.dumps(event, allow_nan=False).encode()


def _as_json(value: Any, around: tuple[int, ...] = ()) -> Any:
    """A value as JSON can represent it; what JSON cannot represent is judged as its `str()`.

    :param around: the ids of the lists and dictionaries that contain the value
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        # Python refuses to write longer numbers in decimal.
        return value if value.bit_length() <= _MOST_BITS else hex(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    if not isinstance(value, (dict, list, tuple)) or id(value) in around or len(around) >= _DEEPEST:
        return str(value)
    inside = (*around, id(value))
    if not isinstance(value, dict):
        return [_as_json(each, inside) for each in value]
    made: dict[str, Any] = {}
    for key, each in value.items():
        # Two keys may have the same text; a value that replaced another one would hide it.
        made[_free_name(_key_in_json(key), made)] = _as_json(each, inside)
    return made


def _key_in_json(key: Any) -> str:
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return str(_as_json(key)) if isinstance(key, int) else str(key)


def _check(core: Core, config: Config, name: str, reply: Reply | Fault) -> None:
    answer = _json(reply) if isinstance(reply, Reply) else {}
    if isinstance(reply, Reply) and reply.status == 200 and "event_id" in answer:
        return
    error = answer.get("error")
    # A decision is not an outage, whatever its status.
    is_decision = isinstance(error, dict) and error.get("decision") == "block"
    if isinstance(reply, Reply) and isinstance(error, dict) and (400 <= reply.status < 500 or is_decision):
        if error.get("type") in BLOCKED_CODES:
            raise ToolBlocked(name, error.get("violations") or [], error.get("event_id"))
        raise WeirApiError(reply.status, error)
    if isinstance(reply, Reply) and reply.status in TOO_LARGE:
        # The call's own fault, not an outage, even if a server in front of Weir says so.
        raise WeirApiError(reply.status, {"type": "payload_too_large", "message": f"the call of the tool {name} is too large"})
    if config.fail_mode == "open":
        core.passed_open(config, "Weir returned no verdict and fail_mode is 'open': tools run without being judged")
        return
    reason = str(reply) if isinstance(reply, Fault) else f"Weir answered {reply.status}"
    raise WeirConnectionError(f"{reason}; the tool {name} was not run")


def _json(reply: Reply) -> dict[str, Any]:
    try:
        found = json.loads(reply.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
