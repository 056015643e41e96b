"""The two HTTP libraries of clients: httpx and httpx2.

They have the same class names, and their objects cannot be mixed.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

NAMES = ("httpx2", "httpx")


def library_of(thing: object) -> Any:
    """The library of an object's class; None for neither."""
    for parent in type(thing).__mro__:
        name = parent.__module__.partition(".")[0]
        if name in NAMES:
            return sys.modules[name]
    return None


def any_library() -> Any:
    """An installed library, preferably one that is already loaded."""
    for name in NAMES:
        if name in sys.modules:
            return sys.modules[name]
    for name in NAMES:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None
