"""Comparison of the requests of two clients, without values that are random in each request."""

from __future__ import annotations

import re
from typing import Any

from .both import outcome
from .servers import ProviderLike, Seen


def as_arrived(seen: list[Seen]) -> list[Any]:
    return [(each.method, each.path, each.headers, _without_boundary(each)) for each in map(_named, seen)]


def _named(seen: Seen) -> Seen:
    """A request without the random form boundary, idempotency key and signature."""
    hidden = [(name, re.sub(r"boundary=.*|stainless-python-retry-.*", "", value)) for name, value in seen.headers]
    # A signature depends on the time.
    hidden = [(name, value) for name, value in hidden if not value.startswith("AWS4-") and name.lower() != "x-amz-date"]
    return Seen(seen.method, seen.path, hidden, seen.body)


def as_sent(asked: Seen, sent: Seen) -> Any:
    """The body that Weir was asked about, without the model that clouds have in the path."""
    if "/model/" not in sent.path and "/publishers/anthropic/models/" not in sent.path or asked.body == sent.body:
        return asked.body
    assert asked.body.endswith(sent.body[1:])
    return sent.body


def _without_boundary(seen: Seen) -> bytes:
    return re.sub(rb"--[0-9a-f]{32}", b"--", seen.body)


async def noticed(client: Any, call: Any, answers: list[Any], provider: ProviderLike) -> Any:
    """The outcome of a call for its caller, and the requests that the provider received."""
    provider.reset()
    provider.script = list(answers)
    came = await outcome(call(client))
    return came, as_arrived(provider.requests)
