"""The state shared by all guarded clients with the same key and address."""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
import weakref
from contextlib import suppress
from typing import Any, Protocol, TypeVar, cast

from ._asking import Pause, Question, Steps, Verdict, asking, retried
from ._async_http import AsyncHttp, pause
from ._children import call_at_end_of_child, reconnect_in_child
from ._config import Config
from ._http import Fault, Http, Reply
from ._outcome import RECENT
from ._report import Report
from ._reports import ACTIVE, Reports

T = TypeVar("T")
_COUNTS = ("asked", "allowed", "redacted", "refused", "unavailable", "passed_open")


class Forgetful(Protocol):
    """A state that a child process must not share with its parent."""

    def forget(self) -> None:
        """Begins anew."""


class Core:
    """Connections, queue and counts; created by `core_of`."""

    def __init__(self, config: Config) -> None:
        self.http = Http(config.base_url, config.ssl_context)
        self.async_http = AsyncHttp(config.base_url, self.http)
        self.reports = Reports(
            self.http,
            config.api_key,
            config.queue_max_reports,
            config.queue_max_bytes,
            config.flush_timeout_ms / 1000,
        )
        self.reports.owner = self
        self._warned: set[str] = set()
        #: The states of guards for frameworks, which a child process begins anew as well.
        self.fork_states: weakref.WeakSet[Forgetful] = weakref.WeakSet()
        self.forget()

    def forget(self) -> None:
        # Reentrant, because a finaliser may report an answer while this thread holds the lock.
        self._lock = threading.RLock()
        self._counts: dict[str, int] = dict.fromkeys(_COUNTS, 0)

    def after_fork(self) -> None:
        self.http.forget()
        self.async_http.forget()
        self.reports.forget()
        for state in list(self.fork_states):
            state.forget()
        self.forget()

    def stats(self) -> dict[str, int]:
        with self._lock:
            counts = dict(self._counts)
        reports = self.reports
        return {
            **counts,
            "reported": reports.reported,
            "dropped": reports.dropped,
            "queued": reports.queued,
            "queued_bytes": reports.queued_bytes,
        }

    def ask(self, config: Config, question: Question) -> Verdict:
        """Asks Weir before a call."""
        deadline = _deadline(config)
        steps = asking(config, question, deadline)
        return self._counted(config, *self._driven(steps, question.path, question.body, deadline))

    async def ask_async(self, config: Config, question: Question, library: Any) -> Verdict:
        """`ask` in an event loop."""
        deadline = _deadline(config)
        steps = asking(config, question, deadline)
        had = await self._driven_async(steps, question.path, question.body, deadline, library)
        return self._counted(config, *had)

    def submit(self, config: Config, event: bytes) -> Reply | Fault:
        """Submits an event that contains its own id."""
        deadline = _deadline(config)
        return self._driven(retried(config, _json_headers(config), deadline), "/v1/events", event, deadline)

    async def submit_async(self, config: Config, event: bytes) -> Reply | Fault:
        """`submit` in an event loop."""
        deadline = _deadline(config)
        steps = retried(config, _json_headers(config), deadline)
        return await self._driven_async(steps, "/v1/events", event, deadline, None)

    def _driven(self, steps: Steps[T], path: str, body: bytes, deadline: float) -> T:
        reply: Reply | Fault | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return cast(T, end.value)
            reply = None
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                continue
            try:
                reply = self.http.send("POST", path, step.headers, body, deadline)
            except Fault as fault:
                reply = fault

    async def _driven_async(self, steps: Steps[T], path: str, body: bytes, deadline: float, library: Any) -> T:
        reply: Reply | Fault | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return cast(T, end.value)
            reply = None
            if isinstance(step, Pause):
                await pause(step.seconds)
                continue
            try:
                reply = await self.async_http.send("POST", path, step.headers, body, deadline, library)
            except Fault as fault:
                reply = fault

    def _counted(self, config: Config, verdict: Verdict, had: bool) -> Verdict:
        # The package of a child process may be imported only when the process has begun.
        call_at_end_of_child(_flush_all)
        goes_open = not had and verdict.kind == "send"
        with self._lock:
            self._counts["asked"] += 1
            if not goes_open:
                self._counts[_count_of(verdict)] += 1
        if goes_open:
            self.passed_open(config, "Weir returned no verdict and fail_mode is 'open': calls are sent without being judged")
        return verdict

    def passed_open(self, config: Config, message: str) -> None:
        """Counts a call that is sent although Weir was unavailable, and warns."""
        with self._lock:
            self._counts["passed_open"] += 1
        self.warn_once(config, message)

    def warn_once(self, config: Config, message: str) -> None:
        """Issues each warning only once, because nobody would read a warning for every call."""
        with self._lock:
            if message in self._warned:
                return
            self._warned.add(message)
        # An error of this function, as of a warning under `python -W error`, must not end the call that it is about.
        with suppress(Exception):
            config.on_warning(message)

    def report(self, config: Config, report: Report) -> None:
        if not self.reports.put(report, lambda warning: self.warn_once(config, warning)):
            self.warn_once(config, "The queue of reports to Weir is full: some answers were not reported")

    def report_now(self, config: Config, report: Report) -> None:
        """Sends a report and waits for the response; queues the report if that fails."""
        reply = None
        try:
            reply = self.http.send(*_alone(config, report))
        except Fault:
            pass
        except BaseException:
            # The program was interrupted: the report is sent in the background.
            self.report(config, report)
            raise
        self._taken(config, report, reply)

    async def report_now_async(self, config: Config, report: Report, library: Any) -> None:
        """`report_now` in an event loop."""
        reply = None
        try:
            reply = await self.async_http.send(*_alone(config, report), library)
        except Fault:
            pass
        except BaseException:
            # The task was cancelled: the report is sent in the background.
            self.report(config, report)
            raise
        self._taken(config, report, reply)

    def _taken(self, config: Config, report: Report, reply: Reply | None) -> None:
        if reply is None or reply.status != 200:
            self.report(config, report)
            return
        try:
            answer = json.loads(reply.body)
            report.outcome._settle(answer.get("event_id"), answer.get("violations"))
        except (ValueError, AttributeError):
            report.outcome._settle(None, ())
        self.reports.reported += 1


def _count_of(verdict: Verdict) -> str:
    if verdict.outcome is not None and verdict.outcome.code == "guardrail_unavailable":
        return "unavailable"
    return {"send": "allowed", "replace": "redacted", "refuse": "refused"}[verdict.kind]


def _deadline(config: Config) -> float:
    return time.monotonic() + config.deadline_ms / 1000


def _json_headers(config: Config) -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {config.api_key}"), ("Content-Type", "application/json")]


def _alone(config: Config, report: Report) -> tuple[str, str, list[tuple[str, str]], bytes, float]:
    report = report.unframed()
    headers = [("Authorization", f"Bearer {config.api_key}"), *report.headers()]
    deadline = _deadline(config)
    return "POST", f"/v1/calls/{report.outcome.call_id}/answer", headers, b"".join(report.chunks), deadline


_cores: weakref.WeakValueDictionary[tuple[Any, ...], Core] = weakref.WeakValueDictionary()
_cores_lock = threading.Lock()


def core_of(config: Config) -> Core:
    """The `Core` for the key and address of these options."""
    with _cores_lock:
        core = _cores.get(config.shared_with())
        if core is None:
            core = _cores[config.shared_with()] = Core(config)
    call_at_end_of_child(_flush_all)
    return core


def _flush_all() -> None:
    start = time.monotonic()
    for reports in list(ACTIVE):
        reports.end_all()
        if not reports.flush(max(0.0, start + reports.flush_seconds - time.monotonic())):
            reports.warn_of_unsent()


def _after_fork() -> None:
    global _cores_lock
    _cores_lock = threading.Lock()
    RECENT.forget()
    ACTIVE.clear()
    for core in list(_cores.values()):
        core.after_fork()
    reconnect_in_child(_flush_all)


atexit.register(_flush_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
