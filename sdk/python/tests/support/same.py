"""Whether two clients have sent the same: what each draws anew for a request is left out."""

from __future__ import annotations

import re
from typing import Any

from .servers import Seen


def as_arrived(seen: list[Seen]) -> list[Any]:
    return [(each.method, each.path, each.headers, _without_boundary(each)) for each in map(_named, seen)]


def _named(seen: Seen) -> Seen:
    """Boundaries of forms and keys of retries are drawn anew by the client for each request."""
    hidden = [(name, re.sub(r"boundary=.*|stainless-python-retry-.*", "", value)) for name, value in seen.headers]
    # A signature is over the time.
    hidden = [(name, value) for name, value in hidden if not value.startswith("AWS4-") and name.lower() != "x-amz-date"]
    return Seen(seen.method, seen.path, hidden, seen.body)


def as_sent(asked: Seen, sent: Seen) -> Any:
    """What Weir was asked about; at Bedrock the model stands in the path."""
    if "/model/" not in sent.path:
        return asked.body
    assert asked.body.endswith(sent.body[1:])
    return sent.body


def _without_boundary(seen: Seen) -> bytes:
    return re.sub(rb"--[0-9a-f]{32}", b"--", seen.body)
