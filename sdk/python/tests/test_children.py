"""Child processes that end without `atexit`: their reports are sent before."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable

import pytest

from support.servers import ProviderLike, WeirLike
from weir_sdk import _children

CLIENT = """
import os, sys, types
import openai
from weir_sdk import weir
client = weir(openai.OpenAI(api_key="k", base_url=sys.argv[1]), deadline_ms=60_000)
def call():
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
"""


def run(script: Path, *arguments: str) -> None:
    called = [sys.executable, str(script), *arguments]
    ended = subprocess.run(called, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_client_of_the_program_itself_reports_in_its_children(
    method: str, door: WeirLike, provider: ProviderLike, tmp_path: Path
) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        f"""{CLIENT}
if __name__ == "__main__":
    import multiprocessing
    child = multiprocessing.get_context(sys.argv[2]).Process(target=call)
    child.start()
    child.join()
    # The test sees a failed child by the status of this program.
    sys.exit(child.exitcode)
"""
    )
    run(script, f"{provider.url}/v1", method)
    assert len(door.answers()) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_worker_of_celery_reports_before_it_ends(door: WeirLike, provider: ProviderLike, tmp_path: Path) -> None:
    """Such a worker is forked, sends a signal at its end, and then ends by `os._exit`."""
    script = tmp_path / "program.py"
    script.write_text(
        f"""{CLIENT}
receivers = {{}}
signals = types.ModuleType("celery.signals")
def connect(receiver, weak, dispatch_uid):
    receivers.setdefault(dispatch_uid, receiver)
signals.worker_process_shutdown = types.SimpleNamespace(connect=connect)
sys.modules["celery.signals"] = signals
pid = os.fork()
if pid == 0:
    call()
    for receiver in receivers.values():
        receiver(signal=None, sender=None, pid=os.getpid(), exitcode=0)
    # As workers of a pool of Celery end: they run neither finalisers nor `atexit`.
    os._exit(0)
os.waitpid(pid, 0)
"""
    )
    run(script, f"{provider.url}/v1")
    assert len(door.answers()) == 1


def test_a_process_of_billiard_calls_the_function_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    parent_pid: list[int | None] = [None]
    process: Any = ModuleType("billiard.process")
    process.current_process = lambda: SimpleNamespace(_parent_pid=parent_pid[0])
    util: Any = ModuleType("billiard.util")
    at_end: list[Callable[[], None]] = []
    in_children: list[Callable[[], None]] = []
    util.Finalize = lambda _, function, exitpriority: at_end.append(function)
    util.register_after_fork = lambda function, again: in_children.append(lambda: again(function))
    monkeypatch.setitem(sys.modules, "billiard.process", process)
    monkeypatch.setitem(sys.modules, "billiard.util", util)
    monkeypatch.setattr(_children, "_watched", {"multiprocessing"})
    monkeypatch.setattr(_children, "_connected", set())

    def flush() -> None:
        """Sends the reports."""

    _children.call_at_end_of_child(flush)
    assert at_end == []
    # A child clears the finalisers that it inherited, and then calls what was registered.
    parent_pid[0] = 1
    for again in in_children:
        again()
    assert at_end == [flush]
