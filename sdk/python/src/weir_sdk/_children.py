"""Child processes that end without `atexit`: those of multiprocessing, billiard and Celery."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any, Callable

#: Packages whose child processes run the finalisers of the package, and then end at once.
_PACKAGES = ("multiprocessing", "billiard")
#: The packages that report when they have taken over a new process; child processes inherit this set.
_watched: set[str] = set()
#: The mechanisms that already call the function at the end of this process.
_connected: set[str] = set()


def call_at_end_of_child(function: Callable[[], None]) -> None:
    """Calls a function when this process ends, if it is a child that runs no functions of `atexit`.

    It can be called repeatedly, because the packages may be imported later.
    """
    for package in _PACKAGES:
        process, util = (sys.modules.get(f"{package}.{name}") for name in ("process", "util"))
        if util is None:
            continue
        # A module that another thread is importing lacks names; a later call finds them.
        with suppress(AttributeError):
            if package not in _watched:
                # A new process first imports the program, or inherits it; then the package clears its finalisers.
                util.register_after_fork(function, reconnect_in_child)
                _watched.add(package)
            if package not in _connected and _is_child(process):
                util.Finalize(None, function, exitpriority=100)
                _connected.add(package)
    signals = sys.modules.get("celery.signals")
    if "celery" not in _connected and signals is not None:
        with suppress(AttributeError):
            # The workers of a pool do not even run finalisers. Children inherit the receiver.
            signals.worker_process_shutdown.connect(lambda **_: function(), weak=False, dispatch_uid="weir_sdk")
            _connected.add("celery")


def reconnect_in_child(function: Callable[[], None]) -> None:
    """Does the same in a new process."""
    _connected.clear()
    call_at_end_of_child(function)


def _is_child(process: Any) -> bool:
    """Whether the package has started this process."""
    return getattr(process.current_process(), "_parent_pid", None) is not None
