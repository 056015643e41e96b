"""The two HTTP libraries that clients bring: httpx and httpx2. They have the same names, and their objects do not mix."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

NAMES = ("httpx2", "httpx")


def library_of(thing: object) -> Any:
    """The library that an object's class comes from; None for neither."""
    for parent in type(thing).__mro__:
        name = parent.__module__.partition(".")[0]
        if name in NAMES:
            return sys.modules[name]
    return None


def any_library() -> Any:
    """One that is there; loaded ones first."""
    for name in NAMES:
        if name in sys.modules:
            return sys.modules[name]
    for name in NAMES:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None
