"""Anthropic's models at Amazon Bedrock and Google Vertex.

Bodies are the same as Anthropic's; paths and the frames around streams differ. The path contains
the model. For the request to Weir, the model is added in front of the body's own members. It is
removed again from the body that Weir returns, so that all other bytes are sent as the client wrote
them.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from typing import Iterator
from urllib.parse import unquote

_BEDROCK = re.compile(r"/model/([^/?]+)/invoke(-with-response-stream)?")
_VERTEX = re.compile(r"/publishers/anthropic/models/([^/?]+):(?:rawPredict|streamRawPredict)$")
_COUNT = "count-tokens"
FRAMES = "application/vnd.amazon.eventstream"


def asked_as(path: str, body: bytes) -> tuple[str, bytes] | None:
    """Path and additional first members for Weir; None when the request needs no change."""
    bedrock = _BEDROCK.search(path)
    found = bedrock or _VERTEX.search(path)
    if found is None or not body.lstrip().startswith(b"{"):
        return None
    model = unquote(found.group(1))
    if bedrock is None and model == _COUNT:
        return "/v1/messages/count_tokens", b""
    members = {"model": model, **({"stream": True} if bedrock and bedrock.group(2) else {})}
    return "/v1/messages", json.dumps(members, separators=(",", ":"))[1:-1].encode()


def with_members(body: bytes, members: bytes) -> bytes:
    rest = body.lstrip()[1:]
    return b"".join((b"{", members, b"" if rest.lstrip().startswith(b"}") else b",", rest))


def without_members(body: bytes, members: bytes) -> bytes | None:
    """The body to send; None when Weir changed the members that were derived from the path."""
    start = b"{" + members + b","
    return b"{" + body[len(start) :] if body.startswith(start) else None


def as_events(frames: bytes) -> bytes:
    """The events in the frames of a stream of Bedrock, up to the first unreadable frame."""
    return b"".join(_events(frames))


def _events(frames: bytes) -> Iterator[bytes]:
    at = 0
    while at + 16 <= len(frames):
        size, head = struct.unpack_from(">II", frames, at)
        if size < head + 16 or at + size > len(frames):
            return
        headers = _headers(frames[at + 12 : at + 12 + head])
        try:
            payload = json.loads(frames[at + 12 + head : at + size - 4])
            if headers.get(":message-type", "event") == "event":
                data = base64.b64decode(payload["bytes"])
                kind = json.loads(data)["type"]
            else:
                kind = "error"
                name = headers.get(":exception-type") or headers.get(":error-code") or "error"
                error = {"type": name, "message": payload.get("message", "")}
                data = json.dumps({"type": "error", "error": error}).encode()
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        yield b"event: %s\ndata: %s\n\n" % (str(kind).encode(), data)
        at += size


def _headers(raw: bytes) -> dict[str, str]:
    """The text headers of a frame, up to the first header of another type."""
    found: dict[str, str] = {}
    at = 0
    try:
        while at < len(raw):
            name = raw[at + 1 : at + 1 + raw[at]].decode()
            at += 1 + raw[at]
            if raw[at] != 7:
                return found
            (size,) = struct.unpack_from(">H", raw, at + 1)
            found[name] = raw[at + 3 : at + 3 + size].decode()
            at += 3 + size
    except (IndexError, struct.error, UnicodeDecodeError):
        pass
    return found
