"""The operations of Weir's API, grouped by subject. Made by `npm run gen` from docs/reference/openapi.json; do not edit."""

from __future__ import annotations

from typing import Any, Iterator, Literal, Mapping, Sequence

from . import types as t
from ._api_calls import RawCalls
from ._api_client import Group, Sender
from ._api_download import Download


class Account(Group):
    def get(self) -> t.Account:
        """The account, and the token or person that sent the request. Any scope."""
        answer: t.Account = self._sender.json("GET", "/v1/account", "management_token", (), {})
        return answer

    def me(self) -> t.Me:
        """The caller, its permissions, the account and the service in one answer. Any scope."""
        answer: t.Me = self._sender.json("GET", "/v1/me", "management_token", (), {})
        return answer

    def attention(
        self,
        *,
        environment: Literal["development", "staging", "production"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Attention:
        """Entries concern rules that fire three times as often as usual, rules past their review date, and rules
        that have not been changed since their decisions were marked as wrong or missed. Other entries concern
        exceptions that end soon, replicas that do not run the deployed policy, budgets that reach their limit,
        detectors whose failure caused refusals, keys that expire or are not used, emergency changes, and the end of
        a trial."""
        answer: t.Attention = self._sender.json(
            "GET",
            "/v1/attention",
            "management_token",
            (),
            {"environment": environment, **(extra_query or {})},
        )
        return answer

    def snooze(self, id: str | int, body: t.Snooze) -> None:
        """Hide one entry for a while from the caller only. Scope `events:read`."""
        self._sender.none(
            "PUT",
            "/v1/attention/{}/snooze",
            "management_token",
            (id,),
            {},
            body=body,
        )


class Apps(Group):
    def list(self) -> t.Apps:
        """The account's apps, oldest first. Any scope."""
        answer: t.Apps = self._sender.json("GET", "/v1/apps", "management_token", (), {})
        return answer

    def create(self, body: t.NewApp) -> t.App:
        """Create an app. Scope `account:admin`, for all environments."""
        answer: t.App = self._sender.json("POST", "/v1/apps", "management_token", (), {}, body=body)
        return answer

    def get(self, app: str | int) -> t.AppDetail:
        """One app with its limits and their current use. Any scope."""
        answer: t.AppDetail = self._sender.json("GET", "/v1/apps/{}", "management_token", (app,), {})
        return answer

    def change(self, app: str | int, body: t.AppChange) -> t.AppDetail:
        """A changed limit applies on every replica within a second. Limits can only be stricter than the
        operator's."""
        answer: t.AppDetail = self._sender.json("PATCH", "/v1/apps/{}", "management_token", (app,), {}, body=body)
        return answer

    def archive(self, app: str | int) -> None:
        """The keys of the app stop working permanently: at once on this replica, within a second on all others. Its
        events stay readable."""
        self._sender.none("DELETE", "/v1/apps/{}", "management_token", (app,), {})

    def reception(self, app: str | int) -> t.AppReception:
        """The refusals are those of all replicas, with a delay of up to a second. A token for one environment gets
        those of calls with a key of that environment. Calls with an unknown key are not counted; calls with a
        deleted or expired key of the app, or with a wrong secret, are counted as status 401."""
        answer: t.AppReception = self._sender.json("GET", "/v1/apps/{}/reception", "management_token", (app,), {})
        return answer


class Audit(Group):
    def list(
        self,
        *,
        action: Sequence[Literal["account.created", "account.closed", "app.created", "app.limits_changed", "app.renamed", "app.archived", "attention.snoozed", "budget.adjusted", "email.verified", "email.changed", "email.change_requested", "erasure.completed", "erasure.requested", "erasure.tried", "event.marked", "event.unmarked", "export.bucket_tried", "export.created", "export.cancelled", "export.downloaded", "export.paused", "export.resumed", "export.removed", "export.schedule_changed", "export.schedule_created", "export.schedule_deleted", "key.created", "key.deleted", "key.rotated", "password.changed", "password.reset", "policy.changed_in_emergency", "policy.deployed", "policy.rolled_back", "session.ended", "session.reauthenticated", "session.started", "subscription.changed", "subscription.checkout_opened", "subscription.portal_opened", "token.created", "token.deleted", "view.changed", "view.created", "view.deleted"]] | None = None,
        subject: Sequence[str] | None = None,
        actor: Sequence[str] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.AuditPage:
        """A filter may have several values, separated by commas; entries must match one of them. With `format`, the
        answer is a stream of all matching entries. If the connection closes before the last chunk, the stream is
        incomplete; continue it with `cursor=<id of the last whole entry>`. CSV cells that a spreadsheet would
        interpret as a formula start with an apostrophe."""
        answer: t.AuditPage = self._sender.json(
            "GET",
            "/v1/audit",
            "management_token",
            (),
            {
                "action": action,
                "subject": subject,
                "actor": actor,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                **(extra_query or {}),
            },
        )
        return answer

    def iterate(
        self,
        *,
        action: Sequence[Literal["account.created", "account.closed", "app.created", "app.limits_changed", "app.renamed", "app.archived", "attention.snoozed", "budget.adjusted", "email.verified", "email.changed", "email.change_requested", "erasure.completed", "erasure.requested", "erasure.tried", "event.marked", "event.unmarked", "export.bucket_tried", "export.created", "export.cancelled", "export.downloaded", "export.paused", "export.resumed", "export.removed", "export.schedule_changed", "export.schedule_created", "export.schedule_deleted", "key.created", "key.deleted", "key.rotated", "password.changed", "password.reset", "policy.changed_in_emergency", "policy.deployed", "policy.rolled_back", "session.ended", "session.reauthenticated", "session.started", "subscription.changed", "subscription.checkout_opened", "subscription.portal_opened", "token.created", "token.deleted", "view.changed", "view.created", "view.deleted"]] | None = None,
        subject: Sequence[str] | None = None,
        actor: Sequence[str] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Iterator[t.AuditEntry]:
        """All results of `list`, read page by page."""
        return self._sender.pages(
            "GET",
            "/v1/audit",
            "management_token",
            (),
            {
                "action": action,
                "subject": subject,
                "actor": actor,
                "from": from_,
                "to": to,
                "limit": limit,
                **(extra_query or {}),
            },
            "cursor",
            "next_cursor",
            "data",
        )


class Budgets(Group):
    def list(
        self,
        *,
        environment: Literal["development", "staging", "production"] | None = None,
        past: bool | None = None,
        event: Sequence[str] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Budgets:
        """Spending of all budgets. Scope `events:read`."""
        answer: t.Budgets = self._sender.json(
            "GET",
            "/v1/budgets",
            "management_token",
            (),
            {"environment": environment, "past": past, "event": event, **(extra_query or {})},
        )
        return answer

    def get(
        self,
        id: str | int,
        *,
        environment: Literal["development", "staging", "production"] | None = None,
        past: bool | None = None,
        scope: str | None = None,
        period_id: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Budgets:
        """Spending of one budget across all scopes. Scope `events:read`."""
        answer: t.Budgets = self._sender.json(
            "GET",
            "/v1/budgets/{}",
            "management_token",
            (id,),
            {
                "environment": environment,
                "past": past,
                "scope": scope,
                "period_id": period_id,
                **(extra_query or {}),
            },
        )
        return answer

    def series(
        self,
        id: str | int,
        *,
        period_id: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.BudgetSeries:
        """Spending in one window of a budget over time, with a forecast. Scope `events:read`."""
        answer: t.BudgetSeries = self._sender.json(
            "GET",
            "/v1/budgets/{}/series",
            "management_token",
            (id,),
            {"period_id": period_id, **(extra_query or {})},
        )
        return answer

    def entries(
        self,
        id: str | int,
        *,
        period_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.BudgetEntries:
        """The ledger of one window of a budget, newest first. Scope `events:read`."""
        answer: t.BudgetEntries = self._sender.json(
            "GET",
            "/v1/budgets/{}/entries",
            "management_token",
            (id,),
            {"period_id": period_id, "limit": limit, "cursor": cursor, **(extra_query or {})},
        )
        return answer

    def iterate_entries(
        self,
        id: str | int,
        *,
        period_id: str | None = None,
        limit: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Iterator[t.BudgetEntriesDataItem]:
        """All results of `entries`, read page by page."""
        return self._sender.pages(
            "GET",
            "/v1/budgets/{}/entries",
            "management_token",
            (id,),
            {"period_id": period_id, "limit": limit, **(extra_query or {})},
            "cursor",
            "next_cursor",
            "data",
        )

    def adjust(self, id: str | int, body: t.BudgetAdjustment) -> t.BudgetState:
        """Correct the spending of a budget in one window. Scope `budgets:admin`."""
        answer: t.BudgetState = self._sender.json(
            "POST",
            "/v1/budgets/{}/adjustments",
            "management_token",
            (id,),
            {},
            body=body,
        )
        return answer

    def audit(self) -> t.BudgetAudit:
        """Compare the amounts recorded in events, ledger and budgets for each budget window. Scope
        `events:read`."""
        answer: t.BudgetAudit = self._sender.json("GET", "/v1/budget-audit", "management_token", (), {})
        return answer


class Events(Group):
    def submit(
        self,
        body: t.AiRequestEvent | t.AiResponseEvent | t.AiErrorEvent | t.ToolCallEvent,
    ) -> t.SubmitEventAnswer1 | t.SubmitEventAnswerRecorded | t.SubmitEventAnswer3:
        """Submit an event. It is judged and recorded; the answer is sent after the database has committed the
        record."""
        answer: t.SubmitEventAnswer1 | t.SubmitEventAnswerRecorded | t.SubmitEventAnswer3 = self._sender.json("POST", "/v1/events", "service_key", (), {}, body=body)
        return answer

    def submit_many(self, body: list[Any]) -> t.BatchAnswers:
        """At most 1000 events, as a JSON array or one per line (`application/x-ndjson`). Each event is answered as
        by `POST /v1/events`, even if other events are refused, and may be sent again with the same `event_id`.
        Events with the same `request_id` are processed in their order. Each event counts as one for the limit
        `batch` and for the trial; a batch that exceeds the limit is refused as a whole."""
        answer: t.BatchAnswers = self._sender.json("POST", "/v1/events:batch", "service_key", (), {}, body=body)
        return answer

    def list(
        self,
        *,
        type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: Sequence[str] | None = None,
        session: str | None = None,
        model: Sequence[str] | None = None,
        provider: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        rule: Sequence[str] | None = None,
        exception: Sequence[str] | None = None,
        not_type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        not_environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        not_app: Sequence[str] | None = None,
        not_session: str | None = None,
        not_model: Sequence[str] | None = None,
        not_provider: Sequence[str] | None = None,
        not_key: Sequence[str] | None = None,
        not_decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        not_outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        not_rule: Sequence[str] | None = None,
        not_exception: Sequence[str] | None = None,
        request_id: str | None = None,
        call: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed", "none"]] | None = None,
        min_cost_usd: float | None = None,
        min_weir_ms: float | None = None,
        from_: str | None = None,
        to: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        view: Literal["events", "calls"] | None = None,
        archive: Literal["true", "false"] | None = None,
        fields: Literal["all", "summary"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.EventPage:
        """Besides the filters below, `metadata.<key>=<value>` matches a metadata value, and
        `not.metadata.<key>=<value>` excludes it; dots separate the keys of nested values. Values of a list are
        separated by commas, and any of them matches. A page that would take too long to fill ends early:
        `searched_to` contains the time of receipt that the search had reached, and `next_cursor` continues from
        there. With `view=calls`, a call matches if any of its events matches, and the calls are ordered by their
        matching events."""
        answer: t.EventPage = self._sender.json(
            "GET",
            "/v1/events",
            "management_token",
            (),
            {
                "type": type,
                "environment": environment,
                "app": app,
                "session": session,
                "model": model,
                "provider": provider,
                "key": key,
                "decision": decision,
                "outcome": outcome,
                "rule": rule,
                "exception": exception,
                "not.type": not_type,
                "not.environment": not_environment,
                "not.app": not_app,
                "not.session": not_session,
                "not.model": not_model,
                "not.provider": not_provider,
                "not.key": not_key,
                "not.decision": not_decision,
                "not.outcome": not_outcome,
                "not.rule": not_rule,
                "not.exception": not_exception,
                "request_id": request_id,
                "call": call,
                "mark": mark,
                "min_cost_usd": min_cost_usd,
                "min_weir_ms": min_weir_ms,
                "from": from_,
                "to": to,
                "q": q,
                "limit": limit,
                "cursor": cursor,
                "order": order,
                "view": view,
                "archive": archive,
                "fields": fields,
                **(extra_query or {}),
            },
        )
        return answer

    def iterate(
        self,
        *,
        type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: Sequence[str] | None = None,
        session: str | None = None,
        model: Sequence[str] | None = None,
        provider: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        rule: Sequence[str] | None = None,
        exception: Sequence[str] | None = None,
        not_type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        not_environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        not_app: Sequence[str] | None = None,
        not_session: str | None = None,
        not_model: Sequence[str] | None = None,
        not_provider: Sequence[str] | None = None,
        not_key: Sequence[str] | None = None,
        not_decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        not_outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        not_rule: Sequence[str] | None = None,
        not_exception: Sequence[str] | None = None,
        request_id: str | None = None,
        call: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed", "none"]] | None = None,
        min_cost_usd: float | None = None,
        min_weir_ms: float | None = None,
        from_: str | None = None,
        to: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        order: Literal["desc", "asc"] | None = None,
        view: Literal["events", "calls"] | None = None,
        archive: Literal["true", "false"] | None = None,
        fields: Literal["all", "summary"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Iterator[t.Event | t.EventSummary]:
        """All results of `list`, read page by page."""
        return self._sender.pages(
            "GET",
            "/v1/events",
            "management_token",
            (),
            {
                "type": type,
                "environment": environment,
                "app": app,
                "session": session,
                "model": model,
                "provider": provider,
                "key": key,
                "decision": decision,
                "outcome": outcome,
                "rule": rule,
                "exception": exception,
                "not.type": not_type,
                "not.environment": not_environment,
                "not.app": not_app,
                "not.session": not_session,
                "not.model": not_model,
                "not.provider": not_provider,
                "not.key": not_key,
                "not.decision": not_decision,
                "not.outcome": not_outcome,
                "not.rule": not_rule,
                "not.exception": not_exception,
                "request_id": request_id,
                "call": call,
                "mark": mark,
                "min_cost_usd": min_cost_usd,
                "min_weir_ms": min_weir_ms,
                "from": from_,
                "to": to,
                "q": q,
                "limit": limit,
                "order": order,
                "view": view,
                "archive": archive,
                "fields": fields,
                **(extra_query or {}),
            },
            "cursor",
            "next_cursor",
            "data",
        )

    def get(
        self,
        id: str | int,
        *,
        app: str | None = None,
        environment: Literal["development", "staging", "production"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Event:
        """Read one event by its `id` or its `event_id`. Scope `events:read`."""
        answer: t.Event = self._sender.json(
            "GET",
            "/v1/events/{}",
            "management_token",
            (id,),
            {"app": app, "environment": environment, **(extra_query or {})},
        )
        return answer

    def count(
        self,
        *,
        type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: Sequence[str] | None = None,
        session: str | None = None,
        model: Sequence[str] | None = None,
        provider: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        rule: Sequence[str] | None = None,
        exception: Sequence[str] | None = None,
        not_type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        not_environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        not_app: Sequence[str] | None = None,
        not_session: str | None = None,
        not_model: Sequence[str] | None = None,
        not_provider: Sequence[str] | None = None,
        not_key: Sequence[str] | None = None,
        not_decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        not_outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        not_rule: Sequence[str] | None = None,
        not_exception: Sequence[str] | None = None,
        request_id: str | None = None,
        call: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed", "none"]] | None = None,
        min_cost_usd: float | None = None,
        min_weir_ms: float | None = None,
        from_: str | None = None,
        to: str | None = None,
        q: str | None = None,
        view: Literal["events", "calls"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.EventCount:
        """The filters are those of `GET /v1/events`. A count that would take too long ends early; `searched_to`
        then contains the time of receipt that it had reached."""
        answer: t.EventCount = self._sender.json(
            "GET",
            "/v1/events/count",
            "management_token",
            (),
            {
                "type": type,
                "environment": environment,
                "app": app,
                "session": session,
                "model": model,
                "provider": provider,
                "key": key,
                "decision": decision,
                "outcome": outcome,
                "rule": rule,
                "exception": exception,
                "not.type": not_type,
                "not.environment": not_environment,
                "not.app": not_app,
                "not.session": not_session,
                "not.model": not_model,
                "not.provider": not_provider,
                "not.key": not_key,
                "not.decision": not_decision,
                "not.outcome": not_outcome,
                "not.rule": not_rule,
                "not.exception": not_exception,
                "request_id": request_id,
                "call": call,
                "mark": mark,
                "min_cost_usd": min_cost_usd,
                "min_weir_ms": min_weir_ms,
                "from": from_,
                "to": to,
                "q": q,
                "view": view,
                **(extra_query or {}),
            },
        )
        return answer

    def facets(
        self,
        *,
        type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: Sequence[str] | None = None,
        session: str | None = None,
        model: Sequence[str] | None = None,
        provider: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        rule: Sequence[str] | None = None,
        exception: Sequence[str] | None = None,
        not_type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        not_environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        not_app: Sequence[str] | None = None,
        not_session: str | None = None,
        not_model: Sequence[str] | None = None,
        not_provider: Sequence[str] | None = None,
        not_key: Sequence[str] | None = None,
        not_decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        not_outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        not_rule: Sequence[str] | None = None,
        not_exception: Sequence[str] | None = None,
        request_id: str | None = None,
        call: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed", "none"]] | None = None,
        min_cost_usd: float | None = None,
        min_weir_ms: float | None = None,
        from_: str | None = None,
        to: str | None = None,
        q: str | None = None,
        view: Literal["events", "calls"] | None = None,
        field: Sequence[str] | None = None,
        limit: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.EventFacets:
        """The filters are those of `GET /v1/events`. Only the newest 10,000 matching events are counted, or 2,000
        with `q`. A count that would take too long ends early; `searched_to` then contains the time of receipt that
        it had reached."""
        answer: t.EventFacets = self._sender.json(
            "GET",
            "/v1/events/facets",
            "management_token",
            (),
            {
                "type": type,
                "environment": environment,
                "app": app,
                "session": session,
                "model": model,
                "provider": provider,
                "key": key,
                "decision": decision,
                "outcome": outcome,
                "rule": rule,
                "exception": exception,
                "not.type": not_type,
                "not.environment": not_environment,
                "not.app": not_app,
                "not.session": not_session,
                "not.model": not_model,
                "not.provider": not_provider,
                "not.key": not_key,
                "not.decision": not_decision,
                "not.outcome": not_outcome,
                "not.rule": not_rule,
                "not.exception": not_exception,
                "request_id": request_id,
                "call": call,
                "mark": mark,
                "min_cost_usd": min_cost_usd,
                "min_weir_ms": min_weir_ms,
                "from": from_,
                "to": to,
                "q": q,
                "view": view,
                "field": field,
                "limit": limit,
                **(extra_query or {}),
            },
        )
        return answer

    def explain(
        self,
        id: str | int,
        *,
        app: str | None = None,
        environment: Literal["development", "staging", "production"] | None = None,
        all: bool | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Explanation:
        """For texts, the answer contains only types and sizes."""
        answer: t.Explanation = self._sender.json(
            "GET",
            "/v1/events/{}/explain",
            "management_token",
            (id,),
            {"app": app, "environment": environment, "all": all, **(extra_query or {})},
        )
        return answer

    def capture(
        self,
        id: str | int,
        *,
        app: str | None = None,
        environment: Literal["development", "staging", "production"] | None = None,
        id_: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.CapturedTest:
        """Convert a decision to a policy test without user-written text. Scopes `events:read` and `policy:read`."""
        answer: t.CapturedTest = self._sender.json(
            "GET",
            "/v1/events/{}/test",
            "management_token",
            (id,),
            {"app": app, "environment": environment, "id": id_, **(extra_query or {})},
        )
        return answer

    def mark(
        self,
        id: str | int,
        rule: str | int,
        body: t.NewMark,
        *,
        app: str | None = None,
        environment: Literal["development", "staging", "production"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Mark:
        """A call has one mark for each rule, regardless of the author; the latest mark counts. `right` and `wrong`
        are for rules, including monitored rules, that fired in an event of the call; `missed` is for active rules
        that did not fire."""
        answer: t.Mark = self._sender.json(
            "PUT",
            "/v1/events/{}/marks/{}",
            "management_token",
            (id, rule,),
            {"app": app, "environment": environment, **(extra_query or {})},
            body=body,
        )
        return answer

    def unmark(
        self,
        id: str | int,
        rule: str | int,
        *,
        app: str | None = None,
        environment: Literal["development", "staging", "production"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> None:
        """Remove a mark, regardless of its author. Scope `events:mark`."""
        self._sender.none(
            "DELETE",
            "/v1/events/{}/marks/{}",
            "management_token",
            (id, rule,),
            {"app": app, "environment": environment, **(extra_query or {})},
        )

    def marks(
        self,
        *,
        environment: Literal["development", "staging", "production"] | None = None,
        rule: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed"]] | None = None,
        app: str | None = None,
        event: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.MarkPage:
        """List marks on decisions, newest first. Scope `events:read`."""
        answer: t.MarkPage = self._sender.json(
            "GET",
            "/v1/marks",
            "management_token",
            (),
            {
                "environment": environment,
                "rule": rule,
                "mark": mark,
                "app": app,
                "event": event,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                **(extra_query or {}),
            },
        )
        return answer

    def iterate_marks(
        self,
        *,
        environment: Literal["development", "staging", "production"] | None = None,
        rule: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed"]] | None = None,
        app: str | None = None,
        event: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Iterator[t.Mark]:
        """All results of `marks`, read page by page."""
        return self._sender.pages(
            "GET",
            "/v1/marks",
            "management_token",
            (),
            {
                "environment": environment,
                "rule": rule,
                "mark": mark,
                "app": app,
                "event": event,
                "from": from_,
                "to": to,
                "limit": limit,
                **(extra_query or {}),
            },
            "cursor",
            "next_cursor",
            "data",
        )

    def sessions(
        self,
        *,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: str | None = None,
        model: str | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        session: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.CallSessions:
        """A call names its session in the header `X-Service-Session`, or in `session_id` of its metadata. New
        events move a session to the first page, even between the requests for two pages. With `session`, the answer
        also contains the time that Weir added and the rules that fired, without archived events."""
        answer: t.CallSessions = self._sender.json(
            "GET",
            "/v1/sessions",
            "management_token",
            (),
            {
                "environment": environment,
                "app": app,
                "model": model,
                "outcome": outcome,
                "session": session,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                **(extra_query or {}),
            },
        )
        return answer

    def iterate_sessions(
        self,
        *,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: str | None = None,
        model: str | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        session: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Iterator[t.CallSession]:
        """All results of `sessions`, read page by page."""
        return self._sender.pages(
            "GET",
            "/v1/sessions",
            "management_token",
            (),
            {
                "environment": environment,
                "app": app,
                "model": model,
                "outcome": outcome,
                "session": session,
                "from": from_,
                "to": to,
                "limit": limit,
                **(extra_query or {}),
            },
            "cursor",
            "next_cursor",
            "data",
        )

    def stats(
        self,
        *,
        environment: Literal["development", "staging", "production"] | None = None,
        app: str | None = None,
        model: str | None = None,
        key: str | None = None,
        rule: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        step: str | None = None,
        group_by: Literal["outcome", "environment", "app", "model", "key", "rule"] | None = None,
        top: int | None = None,
        metrics: Sequence[Literal["calls", "cost", "tokens", "weir_ms"]] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Stats:
        """A call is counted once, at its beginning, with its strongest outcome. The range is widened to whole
        buckets."""
        answer: t.Stats = self._sender.json(
            "GET",
            "/v1/stats",
            "management_token",
            (),
            {
                "environment": environment,
                "app": app,
                "model": model,
                "key": key,
                "rule": rule,
                "from": from_,
                "to": to,
                "step": step,
                "group_by": group_by,
                "top": top,
                "metrics": metrics,
                **(extra_query or {}),
            },
        )
        return answer

    def export(
        self,
        *,
        type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: Sequence[str] | None = None,
        session: str | None = None,
        model: Sequence[str] | None = None,
        provider: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        rule: Sequence[str] | None = None,
        exception: Sequence[str] | None = None,
        not_type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        not_environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        not_app: Sequence[str] | None = None,
        not_session: str | None = None,
        not_model: Sequence[str] | None = None,
        not_provider: Sequence[str] | None = None,
        not_key: Sequence[str] | None = None,
        not_decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        not_outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        not_rule: Sequence[str] | None = None,
        not_exception: Sequence[str] | None = None,
        request_id: str | None = None,
        call: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed", "none"]] | None = None,
        min_cost_usd: float | None = None,
        min_weir_ms: float | None = None,
        from_: str | None = None,
        to: str | None = None,
        q: str | None = None,
        archive: Literal["true", "false"] | None = None,
        columns: Sequence[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]] | None = None,
        bom: bool | None = None,
        before: str | None = None,
        format: Literal["jsonl", "csv", "parquet"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Download:
        """The answer is streamed. If the connection ends without the end of the chunked body, the export is
        incomplete; continue it with `before=<id of the last whole line>`. The filters are those of `GET
        /v1/events`. A Parquet file cannot be continued. CSV cells that a spreadsheet would interpret as a formula
        start with an apostrophe."""
        answer: Download = self._sender.download(
            "GET",
            "/v1/events/export",
            "management_token",
            (),
            {
                "type": type,
                "environment": environment,
                "app": app,
                "session": session,
                "model": model,
                "provider": provider,
                "key": key,
                "decision": decision,
                "outcome": outcome,
                "rule": rule,
                "exception": exception,
                "not.type": not_type,
                "not.environment": not_environment,
                "not.app": not_app,
                "not.session": not_session,
                "not.model": not_model,
                "not.provider": not_provider,
                "not.key": not_key,
                "not.decision": not_decision,
                "not.outcome": not_outcome,
                "not.rule": not_rule,
                "not.exception": not_exception,
                "request_id": request_id,
                "call": call,
                "mark": mark,
                "min_cost_usd": min_cost_usd,
                "min_weir_ms": min_weir_ms,
                "from": from_,
                "to": to,
                "q": q,
                "archive": archive,
                "columns": columns,
                "bom": bom,
                "before": before,
                "format": format,
                **(extra_query or {}),
            },
        )
        return answer

    def tail(
        self,
        *,
        type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        app: Sequence[str] | None = None,
        session: str | None = None,
        model: Sequence[str] | None = None,
        provider: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        rule: Sequence[str] | None = None,
        exception: Sequence[str] | None = None,
        not_type: Sequence[Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]] | None = None,
        not_environment: Sequence[Literal["development", "staging", "production"]] | None = None,
        not_app: Sequence[str] | None = None,
        not_session: str | None = None,
        not_model: Sequence[str] | None = None,
        not_provider: Sequence[str] | None = None,
        not_key: Sequence[str] | None = None,
        not_decision: Sequence[Literal["allow", "redact", "block"]] | None = None,
        not_outcome: Sequence[Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"]] | None = None,
        not_rule: Sequence[str] | None = None,
        not_exception: Sequence[str] | None = None,
        request_id: str | None = None,
        call: Sequence[str] | None = None,
        mark: Sequence[Literal["right", "wrong", "missed", "none"]] | None = None,
        min_cost_usd: float | None = None,
        min_weir_ms: float | None = None,
        last_event_id: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Download:
        """Each event is one message: `id` (for continuing the stream), `event` (its type) and `data` (the record as
        JSON). Events are sent in the order in which they are stored. An event that is stored late is still sent
        within seconds, unless it is stored more than ten minutes after its call was received, or is older than the
        last 15,000 sent events."""
        answer: Download = self._sender.download(
            "GET",
            "/v1/events/tail",
            "management_token",
            (),
            {
                "type": type,
                "environment": environment,
                "app": app,
                "session": session,
                "model": model,
                "provider": provider,
                "key": key,
                "decision": decision,
                "outcome": outcome,
                "rule": rule,
                "exception": exception,
                "not.type": not_type,
                "not.environment": not_environment,
                "not.app": not_app,
                "not.session": not_session,
                "not.model": not_model,
                "not.provider": not_provider,
                "not.key": not_key,
                "not.decision": not_decision,
                "not.outcome": not_outcome,
                "not.rule": not_rule,
                "not.exception": not_exception,
                "request_id": request_id,
                "call": call,
                "mark": mark,
                "min_cost_usd": min_cost_usd,
                "min_weir_ms": min_weir_ms,
                **(extra_query or {}),
            },
            headers={"Last-Event-ID": last_event_id},
        )
        return answer


class Erasures(Group):
    def list(self) -> t.Erasures:
        """Erasures, newest first. Scope `events:erase`."""
        answer: t.Erasures = self._sender.json("GET", "/v1/erasures", "management_token", (), {})
        return answer

    def create(self, body: t.NewErasure) -> t.Erasure:
        """All given conditions must match. The events keep time, app, model, decision, tokens and cost, so that
        budgets and counts stay correct. The erasure runs in the background and continues after a restart; the
        answer and `GET /v1/erasures/{id}` are its certificate once `state` is `done`. Members must have entered
        their password within the last ten minutes."""
        answer: t.Erasure = self._sender.json("POST", "/v1/erasures", "management_token", (), {}, body=body)
        return answer

    def get(self, id: str | int) -> t.Erasure:
        """One erasure with its certificate. Scope `events:erase`."""
        answer: t.Erasure = self._sender.json("GET", "/v1/erasures/{}", "management_token", (id,), {})
        return answer


class Exports(Group):
    def list(self) -> t.Exports:
        """Exports, newest first. Scope `events:read`."""
        answer: t.Exports = self._sender.json("GET", "/v1/exports", "management_token", (), {})
        return answer

    def create(self, body: t.NewExport) -> t.Export:
        """The export runs in the background, continues after a restart, and contains the events received before the
        request. Two exports run at the same time, up to twenty are queued."""
        answer: t.Export = self._sender.json("POST", "/v1/exports", "management_token", (), {}, body=body)
        return answer

    def get(self, id: str | int) -> t.Export:
        """One export with its progress. Scope `events:read`."""
        answer: t.Export = self._sender.json("GET", "/v1/exports/{}", "management_token", (id,), {})
        return answer

    def change(self, id: str | int, body: t.ExportChange) -> t.Export:
        """A resumed export continues after the last row in its file. A paused export counts as a queued export. An
        export to a bucket cannot be paused, because the bucket would keep an incomplete file. A failed export can
        be resumed while `resumable` is true. A failed run of a schedule cannot be resumed, because the next run
        exports its events."""
        answer: t.Export = self._sender.json("PATCH", "/v1/exports/{}", "management_token", (id,), {}, body=body)
        return answer

    def delete(self, id: str | int) -> None:
        """The file of the export is deleted in both cases, as is the incomplete upload of an export to a bucket."""
        self._sender.none("DELETE", "/v1/exports/{}", "management_token", (id,), {})

    def file(self, id: str | int) -> Download:
        """Each download is recorded in the admin audit log. `Range: bytes=N-` continues an interrupted download;
        other ranges are ignored."""
        answer: Download = self._sender.download("GET", "/v1/exports/{}/file", "management_token", (id,), {})
        return answer

    def try_bucket(self, body: t.TriedBucket) -> t.BucketTrial:
        """The credentials are used for this test only and not stored."""
        answer: t.BucketTrial = self._sender.json(
            "POST",
            "/v1/exports/buckets/test",
            "management_token",
            (),
            {},
            body=body,
        )
        return answer


class ExportSchedules(Group):
    def list(self) -> t.ExportSchedules:
        """Scheduled exports, sorted by name. Scope `events:read`."""
        answer: t.ExportSchedules = self._sender.json("GET", "/v1/export-schedules", "management_token", (), {})
        return answer

    def create(self, body: t.NewExportSchedule) -> t.ExportSchedule:
        """The first file begins at the latest due time before the schedule was created. Each further file begins
        where the previous one ends, so that the periods, by time of receipt, have no gap and do not overlap; the
        run after a failed run also exports the events of the failed run. An export starts ten minutes after it is
        due. Events that are stored even later are counted and reported when the next file is written. Members must
        have entered their password within the last ten minutes."""
        answer: t.ExportSchedule = self._sender.json("POST", "/v1/export-schedules", "management_token", (), {}, body=body)
        return answer

    def get(self, id: str | int) -> t.ExportSchedule:
        """One schedule of exports. Scope `events:read`."""
        answer: t.ExportSchedule = self._sender.json("GET", "/v1/export-schedules/{}", "management_token", (id,), {})
        return answer

    def change(self, id: str | int, body: t.ExportScheduleChange) -> t.ExportSchedule:
        """The change applies from the next run on. The person or token that changes a schedule becomes responsible
        for it: if this person or token loses access to the account, the schedule is paused. Members must have
        entered their password within the last ten minutes."""
        answer: t.ExportSchedule = self._sender.json(
            "PATCH",
            "/v1/export-schedules/{}",
            "management_token",
            (id,),
            {},
            body=body,
        )
        return answer

    def delete(self, id: str | int) -> None:
        """Finished files are kept for as long as the files of other exports."""
        self._sender.none("DELETE", "/v1/export-schedules/{}", "management_token", (id,), {})

    def runs(self, id: str | int) -> t.Exports:
        """The runs of a schedule, newest first, including failures. Scope `events:read`."""
        answer: t.Exports = self._sender.json("GET", "/v1/export-schedules/{}/runs", "management_token", (id,), {})
        return answer


class Keys(Group):
    def list_all(self) -> t.Keys:
        """The keys of every app, oldest first. Scope `keys:admin`."""
        answer: t.Keys = self._sender.json("GET", "/v1/keys", "management_token", (), {})
        return answer

    def list(self, app: str | int) -> t.Keys:
        """The keys of an app, oldest first. Scope `keys:admin`."""
        answer: t.Keys = self._sender.json("GET", "/v1/apps/{}/keys", "management_token", (app,), {})
        return answer

    def create(self, app: str | int, body: t.NewKey) -> t.CreatedKey:
        """Create a key. Scope `keys:admin`."""
        answer: t.CreatedKey = self._sender.json("POST", "/v1/apps/{}/keys", "management_token", (app,), {}, body=body)
        return answer

    def rotate(self, app: str | int, id: str | int, body: t.Rotation) -> t.RotatedKey:
        """Replace a key; the old one stays valid for a while. Scope `keys:admin`."""
        answer: t.RotatedKey = self._sender.json(
            "POST",
            "/v1/apps/{}/keys/{}/rotate",
            "management_token",
            (app, id,),
            {},
            body=body,
        )
        return answer

    def delete(self, app: str | int, id: str | int) -> None:
        """Delete a key: it stops working at once on this replica, within a second on all others. Scope
        `keys:admin`."""
        self._sender.none("DELETE", "/v1/apps/{}/keys/{}", "management_token", (app, id,), {})


class Policies(Group):
    def get(self, environment: str | int) -> t.ActivePolicy:
        """The active policy of an environment, and the policy of each replica. Scope `policy:read`."""
        answer: t.ActivePolicy = self._sender.json("GET", "/v1/policies/{}", "management_token", (environment,), {})
        return answer

    def bundle(self, environment: str | int) -> t.Bundle:
        """The files of the active policy, as a bundle. Scope `policy:read`."""
        answer: t.Bundle = self._sender.json(
            "GET",
            "/v1/policies/{}/bundle",
            "management_token",
            (environment,),
            {},
        )
        return answer

    def deployments(
        self,
        environment: str | int,
        *,
        limit: int | None = None,
        before: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Deployments:
        """The deployments of an environment, newest first. Scope `policy:read`."""
        answer: t.Deployments = self._sender.json(
            "GET",
            "/v1/policies/{}/deployments",
            "management_token",
            (environment,),
            {"limit": limit, "before": before, **(extra_query or {})},
        )
        return answer

    def iterate_deployments(
        self,
        environment: str | int,
        *,
        limit: int | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> Iterator[t.DeploymentsDataItem]:
        """All results of `deployments`, read page by page."""
        return self._sender.pages(
            "GET",
            "/v1/policies/{}/deployments",
            "management_token",
            (environment,),
            {"limit": limit, **(extra_query or {})},
            "before",
            "next_before",
            "data",
        )

    def deploy(self, environment: str | int, body: t.DeployPolicyBody) -> t.DeploymentAnswer:
        """A signed bundle whose serial number is not higher than that of an earlier deployment needs `because` and
        also the scope `policy:rollback`."""
        answer: t.DeploymentAnswer = self._sender.json(
            "POST",
            "/v1/policies/{}/deployments",
            "management_token",
            (environment,),
            {},
            body=body,
        )
        return answer

    def deployment(self, environment: str | int, number: str | int) -> t.DeploymentAnswer:
        """One deployment and its replicas. Scope `policy:read`."""
        answer: t.DeploymentAnswer = self._sender.json(
            "GET",
            "/v1/policies/{}/deployments/{}",
            "management_token",
            (environment, number,),
            {},
        )
        return answer

    def deployment_bundle(self, environment: str | int, number: str | int) -> t.Bundle:
        """The bundle of a deployment; for number 0, the bundle of the policies folder. Scope `policy:read`."""
        answer: t.Bundle = self._sender.json(
            "GET",
            "/v1/policies/{}/deployments/{}/bundle",
            "management_token",
            (environment, number,),
            {},
        )
        return answer

    def rollback(self, environment: str | int, body: t.RollbackPolicyBody) -> t.DeploymentAnswer:
        """Reactivate an earlier deployment as a new one. Scope `policy:rollback`."""
        answer: t.DeploymentAnswer = self._sender.json(
            "POST",
            "/v1/policies/{}/rollback",
            "management_token",
            (environment,),
            {},
            body=body,
        )
        return answer

    def emergency(self, environment: str | int, body: t.ChangePolicyBody) -> t.DeploymentAnswer:
        """The deployment is permanently marked as an emergency, and `weir drift` reports it until the sources
        contain the same change."""
        answer: t.DeploymentAnswer = self._sender.json(
            "POST",
            "/v1/policies/{}/emergency",
            "management_token",
            (environment,),
            {},
            body=body,
        )
        return answer

    def rules(
        self,
        environment: str | int,
        *,
        deployment: int | None = None,
        digest: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Rules:
        """Without parameters, the answer is about the active policy. The answer for a given `digest` never
        changes."""
        answer: t.Rules = self._sender.json(
            "GET",
            "/v1/policies/{}/rules",
            "management_token",
            (environment,),
            {"deployment": deployment, "digest": digest, **(extra_query or {})},
        )
        return answer

    def rule_stats(
        self,
        environment: str | int,
        *,
        from_: str | None = None,
        to: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.RuleStats:
        """Hits are counted by the hour, so the range is widened to whole hours. It covers at most 400 days."""
        answer: t.RuleStats = self._sender.json(
            "GET",
            "/v1/policies/{}/rules/stats",
            "management_token",
            (environment,),
            {"from": from_, "to": to, **(extra_query or {})},
        )
        return answer

    def exceptions(
        self,
        environment: str | int,
        *,
        deployment: int | None = None,
        digest: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Exceptions:
        """With the scope `events:read`, the answer also shows how often each exception was applied, counted by the
        hour."""
        answer: t.Exceptions = self._sender.json(
            "GET",
            "/v1/policies/{}/exceptions",
            "management_token",
            (environment,),
            {"deployment": deployment, "digest": digest, **(extra_query or {})},
        )
        return answer

    def diff(
        self,
        environment: str | int,
        *,
        from_: int | None = None,
        to: int | None = None,
        to_environment: Literal["development", "staging", "production"] | None = None,
        without: str | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.PolicyDiff:
        """Compare two deployments rule by rule; shows requests that their policies judge differently. Scope
        `policy:read`."""
        answer: t.PolicyDiff = self._sender.json(
            "GET",
            "/v1/policies/{}/diff",
            "management_token",
            (environment,),
            {
                "from": from_,
                "to": to,
                "to_environment": to_environment,
                "without": without,
                **(extra_query or {}),
            },
        )
        return answer

    def evaluate(self, environment: str | int, body: t.EvaluateBody) -> t.Evaluation:
        """Nothing is stored, charged or logged, and no provider is called. Detectors that call a remote service are
        unavailable here. At most 60 requests per minute and account are admitted."""
        answer: t.Evaluation = self._sender.json(
            "POST",
            "/v1/policies/{}/evaluate",
            "management_token",
            (environment,),
            {},
            body=body,
        )
        return answer


class Subscription(Group):
    def get(self) -> t.Subscription:
        """The account's subscription and trial. Any scope."""
        answer: t.Subscription = self._sender.json("GET", "/v1/subscription", "management_token", (), {})
        return answer

    def checkout(self) -> t.OpenCheckoutAnswer:
        """A link to the page for starting a subscription. Scope `account:admin`, for all environments."""
        answer: t.OpenCheckoutAnswer = self._sender.json("POST", "/v1/subscription/checkout", "management_token", (), {})
        return answer

    def portal(self) -> t.OpenBillingPortalAnswer:
        """A link to the page for managing the subscription. Scope `account:admin`, for all environments."""
        answer: t.OpenBillingPortalAnswer = self._sender.json("POST", "/v1/subscription/portal", "management_token", (), {})
        return answer


class Tokens(Group):
    def list(self) -> t.Tokens:
        """The management tokens, oldest first. Scope `account:admin`."""
        answer: t.Tokens = self._sender.json("GET", "/v1/tokens", "management_token", (), {})
        return answer

    def create(self, body: t.NewToken) -> t.CreatedToken:
        """Create a management token. Scope `account:admin`."""
        answer: t.CreatedToken = self._sender.json("POST", "/v1/tokens", "management_token", (), {}, body=body)
        return answer

    def delete(self, id: str | int) -> None:
        """Delete a token: it stops working at once on this replica, within a second on all others. Scope
        `account:admin`."""
        self._sender.none("DELETE", "/v1/tokens/{}", "management_token", (id,), {})


class Views(Group):
    def list(
        self,
        *,
        page: Literal["events"] | None = None,
        extra_query: Mapping[str, str] | None = None,
    ) -> t.Views:
        """The views that the person or token has saved, and the shared views. Scope `events:read`."""
        answer: t.Views = self._sender.json(
            "GET",
            "/v1/views",
            "management_token",
            (),
            {"page": page, **(extra_query or {})},
        )
        return answer

    def create(self, body: t.NewView) -> t.View:
        """Save filters under a name. Scope `events:read`."""
        answer: t.View = self._sender.json("POST", "/v1/views", "management_token", (), {}, body=body)
        return answer

    def change(self, id: str | int, body: t.ViewChange) -> t.View:
        """Change one of your own views or, with the scope `account:admin`, any shared view. Scope `events:read`."""
        answer: t.View = self._sender.json("PATCH", "/v1/views/{}", "management_token", (id,), {}, body=body)
        return answer

    def delete(self, id: str | int) -> None:
        """Delete one of your own views or, with the scope `account:admin`, any shared view. Scope `events:read`."""
        self._sender.none("DELETE", "/v1/views/{}", "management_token", (id,), {})


class Calls(RawCalls):
    def routes(self) -> t.CallRoutes:
        """Calls of all other routes are recorded as well, and judged by the texts in their JSON, as in the
        proxy."""
        answer: t.CallRoutes = self._sender.json("GET", "/v1/calls/routes", "service_key", (), {})
        return answer


class Groups:
    def __init__(self, sender: Sender) -> None:
        self.account = Account(sender)
        self.apps = Apps(sender)
        self.audit = Audit(sender)
        self.budgets = Budgets(sender)
        self.events = Events(sender)
        self.erasures = Erasures(sender)
        self.exports = Exports(sender)
        self.export_schedules = ExportSchedules(sender)
        self.keys = Keys(sender)
        self.policies = Policies(sender)
        self.subscription = Subscription(sender)
        self.tokens = Tokens(sender)
        self.views = Views(sender)
        self.calls = Calls(sender)
