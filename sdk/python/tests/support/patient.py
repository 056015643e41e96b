"""The entry points with a deadline that is long enough for a busy machine; other tests cover deadlines."""

from __future__ import annotations

from typing import Any

import weir_sdk


def weir(client: Any, **options: Any) -> Any:
    return weir_sdk.weir(client, **{"deadline_ms": 60_000, **options})


def weir_http_client(client: Any, **options: Any) -> Any:
    return weir_sdk.weir_http_client(client, **{"deadline_ms": 60_000, **options})


def weir_transport(inner: Any, **options: Any) -> Any:
    return weir_sdk.weir_transport(inner, **{"deadline_ms": 60_000, **options})


def tool(function: Any) -> Any:
    return weir_sdk.tool(deadline_ms=60_000)(function)
