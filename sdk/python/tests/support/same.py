"""Whether two clients have sent the same: what each draws anew for a request is left out."""

from __future__ import annotations

import re
from typing import Any

from .both import outcome
from .servers import ProviderLike, Seen


def as_arrived(seen: list[Seen]) -> list[Any]:
    return [(each.method, each.path, each.headers, _without_boundary(each)) for each in map(_named, seen)]


def _named(seen: Seen) -> Seen:
    """Boundaries of forms and keys of retries are drawn anew by the client for each request."""
    hidden = [(name, re.sub(r"boundary=.*|stainless-python-retry-.*", "", value)) for name, value in seen.headers]
    # A signature is over the time.
    hidden = [(name, value) for name, value in hidden if not value.startswith("AWS4-") and name.lower() != "x-amz-date"]
    return Seen(seen.method, seen.path, hidden, seen.body)


def as_sent(asked: Seen, sent: Seen) -> Any:
    """What Weir was asked about; at clouds the model of Anthropic stands in the path."""
    if "/model/" not in sent.path and "/publishers/anthropic/models/" not in sent.path or asked.body == sent.body:
        return asked.body
    assert asked.body.endswith(sent.body[1:])
    return sent.body


def _without_boundary(seen: Seen) -> bytes:
    return re.sub(rb"--[0-9a-f]{32}", b"--", seen.body)


async def noticed(client: Any, call: Any, answers: list[Any], provider: ProviderLike) -> Any:
    """What a caller gets of a call, and what its provider got."""
    provider.reset()
    provider.script = list(answers)
    came = await outcome(call(client))
    return came, as_arrived(provider.requests)
