"""Types of Weir's API. Made by `npm run gen` from docs/reference/openapi.json; do not edit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


class AccountAccount(TypedDict):
    id: str
    email: str
    email_verified: bool
    #: Current subscription state of the account.
    subscription: Literal["trialing", "active", "inactive", "lapsed"]


class Token(TypedDict):
    #: Public id of the token, shown in logs.
    id: str
    name: str
    scopes: list[str]
    environment: Literal["development", "staging", "production"] | None
    #: RFC 3339, UTC.
    created_at: str
    #: RFC 3339, UTC.
    expires_at: str | None
    #: RFC 3339, UTC.
    last_used_at: str | None


class AccountPerson(TypedDict):
    """The person who has signed in; null for a management token."""

    id: str


class AccountServer(TypedDict):
    version: str


class Account(TypedDict):
    account: AccountAccount
    #: The management token of the request; null for a session.
    token: Token | None
    #: The person who has signed in; null for a management token.
    person: AccountPerson | None
    server: AccountServer


class MePerson(TypedDict):
    """The person who has signed in; null for a management token."""

    id: str
    email: str


class MeToken(TypedDict):
    """The management token of the request; null for a session."""

    id: str
    name: str


class MeAccount(TypedDict):
    id: str
    email: str


class SubscriptionTrial(TypedDict):
    """The trial; null if the account is not in a trial."""

    started_at: str
    ends_at: str
    events_used: int
    events_included: int
    #: True if the days or the events of the trial are used up; calls are then answered with 429
    #: `trial_limit_reached`.
    over: bool


class Subscription(TypedDict):
    #: Current subscription state of the account.
    state: Literal["trialing", "active", "inactive", "lapsed"]
    #: `off`: no subscription is needed.
    billing: Literal["on", "off"]
    #: The trial; null if the account is not in a trial.
    trial: SubscriptionTrial | None
    #: End of the paid period, if known.
    period_ends_at: str | None
    changed_at: str


class MeRetentionItemContent(TypedDict):
    """Storing of texts in the active policy; null if this process cannot run the active policy and refuses
    calls."""

    #: Form in which the texts of new calls are stored: with findings masked, unchanged, or not at all.
    stored: Literal["redacted", "full", "none"]
    #: File of the policy that sets it; null if no file does, or if the caller lacks `policy:read`.
    path: str | None
    #: Line in that file.
    line: int | None


class MeRetentionItemHoldsItem(TypedDict):
    id: str
    because: str
    until: str


class MeRetentionItem(TypedDict):
    environment: Literal["development", "staging", "production"]
    #: Storing of texts in the active policy; null if this process cannot run the active policy and refuses calls.
    content: MeRetentionItemContent | None
    #: Number of days for which texts of calls are kept; null if they are kept as long as the rest of the event.
    content_days: int | None
    #: Number of days for which the rest of an event is kept; null if it is kept forever.
    records_days: int | None
    #: Active legal holds, which extend the retention of matching calls.
    holds: list[MeRetentionItemHoldsItem]
    #: Number of events that are kept only because of legal holds.
    held_events: int


class MeServerProvidersItem(TypedDict):
    id: str
    style: Literal["openai", "anthropic", "gemini"]


class MeServer(TypedDict):
    version: str
    #: Base URL of the service.
    base_url: str
    billing: Literal["on", "off"]
    providers: list[MeServerProvidersItem]
    #: Features that were added after the first version.
    features: list[str]


class Me(TypedDict):
    #: The person who has signed in; null for a management token.
    person: MePerson | None
    #: The management token of the request; null for a session.
    token: MeToken | None
    account: MeAccount
    #: The person's role in the account; null for a management token.
    role: Literal["owner"] | None
    scopes: list[Literal["policy:read", "policy:deploy", "policy:rollback", "policy:emergency", "keys:admin", "events:read", "events:mark", "events:erase", "budgets:admin", "account:admin"]]
    #: Environments that the caller may see.
    environments: list[Literal["development", "staging", "production"]]
    subscription: Subscription | None
    #: Retention of events in the active policies, for each environment that the caller may read.
    retention: list[MeRetentionItem]
    server: MeServer


class AttentionDataItem(TypedDict):
    id: str
    kind: Literal["rule_spike", "exception_ending", "replica_behind", "budget_forecast", "detector_failing", "key_expiring", "key_unused", "review_overdue", "emergency_change", "trial_ending", "marks_open"]
    severity: Literal["critical", "warn", "info"]
    environment: Literal["development", "staging", "production"] | None
    #: Names and figures in the text of the entry; the keys of this object depend on `kind`.
    text_args: dict[str, str | float | None]
    #: Number of events or calls that the entry is about.
    count: int | None
    #: RFC 3339, UTC.
    since: str | None
    #: Path of the dashboard page about the entry.
    link: str | None


class Attention(TypedDict):
    #: RFC 3339, UTC.
    checked_at: str
    #: The entries that the caller may see, the most severe first. Entries about keys need the scope `keys:admin`,
    #: entries about policies the scope `policy:read`.
    data: list[AttentionDataItem]


class Snooze(TypedDict):
    #: Time until which the entry is hidden from the caller; at most 90 days ahead.
    until: str


class App(TypedDict):
    id: str
    name: str
    #: RFC 3339, UTC.
    created_at: str


class Apps(TypedDict):
    data: list[App]


class NewApp(TypedDict):
    #: Name shown in lists, logs and events.
    name: str


class AppDetailLimitsEvents(TypedDict):
    """Limit: at most `count` calls in any period of `seconds` seconds."""

    count: int
    seconds: int


class AppDetailLimitsProxy(TypedDict):
    """Limit: at most `count` calls in any period of `seconds` seconds."""

    count: int
    seconds: int


class AppDetailLimits(TypedDict):
    """The limits of the app; null if only the limits of the operator apply."""

    #: Limit: at most `count` calls in any period of `seconds` seconds.
    events: AppDetailLimitsEvents | None
    #: Limit: at most `count` calls in any period of `seconds` seconds.
    proxy: AppDetailLimitsProxy | None


class AppDetailUsageEvents(TypedDict):
    """The limit and its current use; null if there is no limit."""

    #: The active limit.
    count: int
    seconds: int
    #: Number of calls that count towards the limit now.
    used: int


class AppDetailUsageProxy(TypedDict):
    """The limit and its current use; null if there is no limit."""

    #: The active limit.
    count: int
    seconds: int
    #: Number of calls that count towards the limit now.
    used: int


class AppDetailUsageCalls(TypedDict):
    """Limit of calls judged through `/v1/calls`, and its current use; null if there is no limit."""

    #: The active limit.
    count: int
    seconds: int
    #: Number of calls that count towards the limit now.
    used: int


class AppDetailUsage(TypedDict):
    #: The limit and its current use; null if there is no limit.
    events: AppDetailUsageEvents | None
    #: The limit and its current use; null if there is no limit.
    proxy: AppDetailUsageProxy | None
    #: Limit of calls judged through `/v1/calls`, and its current use; null if there is no limit.
    calls: AppDetailUsageCalls | None
    #: `this_replica`: each replica counts and limits separately, because the service has no Redis.
    counted_by: Literal["all_replicas", "this_replica"]


class AppDetail(TypedDict):
    id: str
    name: str
    #: RFC 3339, UTC.
    created_at: str
    #: The limits of the app; null if only the limits of the operator apply.
    limits: AppDetailLimits | None
    usage: AppDetailUsage
    #: Number of calls in the last 24 hours, counted in whole hours; null without the scope `events:read`.
    calls_24h: int | None
    #: Time of the last event; null if there is none, and without the scope `events:read`.
    last_event_at: str | None


class AppLimitsEvents(TypedDict):
    """Limit of submitted events. Default: the operator's."""

    count: int
    seconds: int


class AppLimitsProxy(TypedDict):
    """Limit of proxied calls and, counted separately, of calls judged through `/v1/calls`. Default: the
    operator's."""

    count: int
    seconds: int


class AppLimits(TypedDict):
    #: Limit of submitted events. Default: the operator's.
    events: NotRequired[AppLimitsEvents | None]
    #: Limit of proxied calls and, counted separately, of calls judged through `/v1/calls`. Default: the operator's.
    proxy: NotRequired[AppLimitsProxy | None]


class AppChange(TypedDict):
    #: Name shown in lists, logs and events.
    name: NotRequired[str]
    #: All limits of the app; they are replaced together, and can only be stricter than the limits of the operator.
    #: With `null`, only the limits of the operator apply.
    limits: NotRequired[AppLimits | None]


class AppReceptionRefusedItem(TypedDict):
    status: int
    #: The error type sent to the caller.
    type: str
    count: int
    #: RFC 3339, UTC.
    last_at: str


class AppReception(TypedDict):
    #: RFC 3339, UTC.
    last_event_at: str | None
    #: Calls of the last ten minutes that were refused before they were recorded; the most frequent refusals come
    #: first.
    refused: list[AppReceptionRefusedItem]


class AuditEntryActor(TypedDict):
    kind: Literal["person", "token", "operator", "system"]
    #: A person's id, or a management token's public id.
    id: str | None
    #: E-mail address of the person, or name of the token; null for other actors, and if the person or token no
    #: longer exists.
    name: str | None


class AuditEntryFrom(TypedDict):
    address: str | None
    user_agent: str | None


AuditEntry = TypedDict(
    "AuditEntry",
    {
        "id": "str",
        #: RFC 3339, UTC.
        "at": "str",
        #: account.created, account.closed, app.created, app.limits_changed, app.renamed, app.archived,
        #: attention.snoozed, budget.adjusted, email.verified, email.changed, email.change_requested,
        #: erasure.completed, erasure.requested, erasure.tried, event.marked, event.unmarked, export.bucket_tried,
        #: export.created, export.cancelled, export.downloaded, export.paused, export.resumed, export.removed,
        #: export.schedule_changed, export.schedule_created, export.schedule_deleted, key.created, key.deleted,
        #: key.rotated, password.changed, password.reset, policy.changed_in_emergency, policy.deployed,
        #: policy.rolled_back, session.ended, session.reauthenticated, session.started, subscription.changed,
        #: subscription.checkout_opened, subscription.portal_opened, token.created, token.deleted, view.changed,
        #: view.created, view.deleted
        "action": "str",
        "actor": "AuditEntryActor",
        #: Id of the changed object; for policies, the environment.
        "subject": "str | None",
        #: Current name of the app, key, token or person; if it no longer exists, the name that it had before. Null
        #: for other objects.
        "subject_name": "str | None",
        #: Details such as names, environments and dates; they never contain a secret.
        "details": "dict[str, Any]",
        "from": "AuditEntryFrom",
    },
)


class AuditPage(TypedDict):
    data: list[AuditEntry]
    next_cursor: str | None


class BudgetStateWindow(TypedDict):
    per: Literal["hour", "day", "week", "month", "total"]
    timezone: str
    #: RFC 3339, UTC.
    start: str
    #: RFC 3339, UTC.
    end: str | None


class BudgetStateWarnedItem(TypedDict):
    ratio: float
    #: RFC 3339, UTC.
    at: str


class BudgetState(TypedDict):
    #: The budget's id in the policy.
    budget: str
    environment: Literal["development", "staging", "production"]
    #: Id of the window of this scope; null before the first call in the window.
    period_id: str | None
    #: Scope of the budget, with metadata masked as in events. A null value stands for calls without this value.
    scope: dict[str, str | None]
    window: BudgetStateWindow
    on_exceed: Literal["record", "block"]
    unit: Literal["usd", "tokens"]
    #: Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens.
    limit: str
    #: Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens.
    used: str
    #: Amount reserved by calls in flight.
    reserved: str
    #: The limit minus the used amount; negative if the limit was exceeded.
    remaining: str
    used_ratio: float
    #: RFC 3339, UTC.
    exceeded_at: str | None
    #: Thresholds of warnings in the active policy; empty for a removed budget.
    warn_at: list[float]
    #: Thresholds of `warn_at` that were reached.
    warned: list[BudgetStateWarnedItem]
    #: Amount charged to the window for the given events; only with the parameter `event`.
    charged: NotRequired[str]


class Budgets(TypedDict):
    data: list[BudgetState]


class BudgetSeriesPointsItem(TypedDict):
    #: RFC 3339, UTC.
    at: str
    #: Amount used by calls that began before this point.
    used: str
    #: Amount still reserved by calls that began before this point.
    reserved: str


class BudgetSeriesForecast(TypedDict):
    """Forecast for the end of the window; null if the window has ended or has no end, and before four steps are
    complete."""

    #: Amount used by the end of the window if the average rate so far continues.
    at_end: str
    #: Lower bound of the 80 % interval of `at_end`.
    low: str
    #: Upper bound of the 80 % interval of `at_end`.
    high: str
    #: `mean_of_steps_80`: computed from the mean and the variance of the completed steps.
    method: str
    #: Time at which the limit is reached if the average rate so far continues; null if this is after the end of the
    #: window.
    reaches_limit_at: str | None


class BudgetSeries(TypedDict):
    #: Seconds between two points. The last point is now or the end of the window, and can be closer to the point
    #: before. The points of a window without an end begin with its first ledger entry.
    step_seconds: float
    points: list[BudgetSeriesPointsItem]
    #: Forecast for the end of the window; null if the window has ended or has no end, and before four steps are
    #: complete.
    forecast: BudgetSeriesForecast | None


class BudgetEntriesDataItemBy(TypedDict):
    """Author of the adjustment."""

    kind: str
    id: str | None
    name: str | None


class BudgetEntriesDataItem(TypedDict):
    #: RFC 3339, UTC.
    at: str
    #: `reservation`: the amount is currently reserved; `release`: it was reserved, but not spent; `estimate`: it
    #: was counted without a reported end of the call.
    kind: Literal["charge", "reservation", "release", "estimate", "adjustment"]
    #: Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens.
    amount: str
    #: Id of the charged event.
    event_id: str | None
    #: Reason for the adjustment.
    because: str | None
    #: Author of the adjustment.
    by: BudgetEntriesDataItemBy | None


class BudgetEntries(TypedDict):
    data: list[BudgetEntriesDataItem]
    next_cursor: str | None


class BudgetAdjustment(TypedDict):
    #: Id of the window of a scope: `period_id` in the list of budgets.
    period_id: str
    #: Amount to add to the used amount, in the budget's unit; a negative amount is subtracted.
    amount: str
    #: Reason for the adjustment; kept in the ledger entry and in the admin audit log.
    because: str


class BudgetAuditDataItem(TypedDict):
    budget: str
    environment: Literal["development", "staging", "production"]
    period_id: str
    scope: dict[str, str | None]
    #: RFC 3339, UTC.
    start: str
    unit: Literal["usd", "tokens"]
    #: Amount used according to the budget.
    usage: str
    #: Amount used according to the ledger: the sum of its entries.
    ledger: str
    #: Amount used according to the log: the sum of the costs of the events. Archived events count with their amount
    #: in the ledger.
    events: str
    #: Amount estimated for calls without a reported end.
    estimated: str
    #: Sum of the manual corrections.
    adjusted: str
    #: Amount reserved according to the budget.
    reserved: str
    #: Amount reserved according to the entries in the ledger.
    held: str
    #: Number of ledger entries whose event is neither in the log nor in the archive.
    missing_events: int
    #: True if `usage` = `ledger` = `events` + `estimated` + `adjusted`, and `reserved` = `held`.
    exact: bool


class BudgetAudit(TypedDict):
    exact: bool
    #: Number of events that report the end of a call which is still open in the ledger.
    unsettled_events: int
    data: list[BudgetAuditDataItem]


class Message(TypedDict):
    #: Role of the speaker, as the provider names it.
    role: NotRequired[str | None]
    #: A string, or the provider's list of parts. Other members of a message are read as well.
    content: NotRequired[str | list[dict[str, Any]] | None]


class AiRequestPayload(TypedDict):
    #: The conversation. The provider's own body is also accepted: fields that are not listed here are read as well.
    messages: NotRequired[list[Message] | None]
    #: The prompt of a completion, a list of prompts, or a prompt that is stored at the provider, with its
    #: variables.
    prompt: NotRequired[str | list[str | float | list[float]] | dict[str, Any] | None]
    #: Tools declared to the model.
    tools: NotRequired[list[dict[str, Any]] | None]
    #: Maximum number of tokens in the answer.
    max_tokens: NotRequired[int | None]
    #: Asks for judging without enforcement. Unless the policy sets `client_monitor_mode: honor`, this is ignored,
    #: and the answer has the header `x-weir-monitor-mode: ignored`.
    monitor_mode: NotRequired[bool | None]


class AiRequestEvent(TypedDict):
    #: Idempotency key. If it is absent, the service generates a key.
    event_id: NotRequired[str | None]
    #: Environment that the caller declares. It is only recorded: the key alone decides the effective environment.
    #: Default: `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
    metadata: NotRequired[dict[str, Any] | None]
    #: A call before it is sent to its provider. It is judged.
    type: Literal["ai.request"]
    #: Id shared by the request, response and error of one provider call.
    request_id: str
    #: Content of the event. Unknown keys are kept.
    payload: NotRequired[AiRequestPayload | None]


class Usage(TypedDict):
    #: Number of all input tokens, including cached ones.
    prompt_tokens: NotRequired[int | None]
    #: Number of all output tokens.
    completion_tokens: NotRequired[int | None]
    #: Input tokens read from a cache.
    cache_read_tokens: NotRequired[int | None]
    #: Input tokens written to a cache.
    cache_write_tokens: NotRequired[int | None]
    #: Number of those `cache_write_tokens` that are cached for an hour.
    cache_write_1h_tokens: NotRequired[int | None]
    #: Output tokens spent on reasoning.
    reasoning_tokens: NotRequired[int | None]


class AiResponsePayload(TypedDict):
    #: The answer: a string, the provider's content parts with tool calls, or the provider's complete response body.
    output: NotRequired[str | list[dict[str, Any]] | dict[str, Any] | None]
    #: Tokens as the provider counted them.
    usage: NotRequired[Usage | None]
    #: Cost of the call in US dollars; rounded half-even to nano-dollars.
    cost_usd: NotRequired[float | None]


class AiResponseEvent(TypedDict):
    #: Idempotency key. If it is absent, the service generates a key.
    event_id: NotRequired[str | None]
    #: Environment that the caller declares. It is only recorded: the key alone decides the effective environment.
    #: Default: `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
    metadata: NotRequired[dict[str, Any] | None]
    #: The answer to a call. It is judged, but never refused.
    type: Literal["ai.response"]
    #: Id shared by the request, response and error of one provider call.
    request_id: str
    #: Content of the event. Unknown keys are kept.
    payload: NotRequired[AiResponsePayload | None]


class ProviderError(TypedDict):
    #: The provider's own error type.
    type: NotRequired[str | None]
    #: The provider's error message.
    message: NotRequired[str | None]
    #: HTTP status of the answer, if there was one.
    status: NotRequired[int | None]


class AiErrorPayload(TypedDict):
    #: The error, or its message as a string.
    error: NotRequired[str | ProviderError | None]
    #: Milliseconds until the call failed.
    latency_ms: NotRequired[float | None]


class AiErrorEvent(TypedDict):
    #: Idempotency key. If it is absent, the service generates a key.
    event_id: NotRequired[str | None]
    #: Environment that the caller declares. It is only recorded: the key alone decides the effective environment.
    #: Default: `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
    metadata: NotRequired[dict[str, Any] | None]
    #: A failed call. It is recorded.
    type: Literal["ai.error"]
    #: Id shared by the request, response and error of one provider call.
    request_id: str
    #: Content of the event. Unknown keys are kept.
    payload: NotRequired[AiErrorPayload | None]


class ToolCallPayload(TypedDict):
    #: Name of the tool that is about to run.
    tool: NotRequired[str | None]
    #: Arguments of the tool: an object, or a string that contains this object as JSON.
    arguments: NotRequired[dict[str, Any] | str | None]
    #: Id that the provider gave the call.
    call_id: NotRequired[str | None]
    #: Id shared by the calls of one agent session.
    session_id: NotRequired[str | None]
    #: Result of the tool, if the event is sent after the tool has run.
    result: NotRequired[str | float | bool | dict[str, Any] | list[Any] | None]
    #: Asks for judging without enforcement, as `monitor_mode` of an `ai.request` does.
    monitor_mode: NotRequired[bool | None]


class ToolCallEvent(TypedDict):
    #: Idempotency key. If it is absent, the service generates a key.
    event_id: NotRequired[str | None]
    #: Environment that the caller declares. It is only recorded: the key alone decides the effective environment.
    #: Default: `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
    metadata: NotRequired[dict[str, Any] | None]
    #: A tool call, sent before the tool runs. It is judged.
    type: Literal["agent.tool_call"]
    #: Id shared by the request, response and error of one provider call.
    request_id: NotRequired[str | None]
    #: Content of the event. Unknown keys are kept.
    payload: NotRequired[ToolCallPayload | None]


class Violation(TypedDict):
    rule: str
    policy: str
    category: str
    severity: Literal["low", "medium", "high", "critical"]
    action: Literal["flag", "redact", "block"]
    enforced: bool
    message: str
    #: True if the rule's canned answer (`then.answer`) was returned: by the proxy instead of the error, by the REST
    #: API together with the error.
    answered: NotRequired[Literal[True]]
    detector: NotRequired[str]
    locations: NotRequired[list[str]]
    count: NotRequired[float]


class SubmitEventAnswer1RedactionsItem(TypedDict):
    type: str
    count: int


class SubmitEventAnswer1(TypedDict):
    """Answer to `ai.request`."""

    #: Id that the client gave the event, or the id from the service if the client sent none.
    event_id: str
    decision: Literal["allow", "redact"]
    violations: list[Violation]
    redactions: list[SubmitEventAnswer1RedactionsItem]
    #: The masked payload to send to the provider; only with the decision `redact`.
    payload: NotRequired[dict[str, Any]]


class SubmitEventAnswerRecorded(TypedDict):
    """Answer to `ai.response`."""

    #: Id that the client gave the event, or the id from the service if the client sent none.
    event_id: str
    status: Literal["recorded"]
    violations: list[Violation]


class SubmitEventAnswer3(TypedDict):
    """Answer to `ai.error` and `agent.tool_call`."""

    #: Id that the client gave the event, or the id from the service if the client sent none.
    event_id: str


class BatchAnswersAnswersItem(TypedDict):
    #: Status of the answer that the event would have got if it had been submitted alone.
    status: int
    #: Seconds to wait before a retry, as in the header `Retry-After`.
    retry_after: NotRequired[int]
    #: True if the event was submitted before; this is then the answer to the first submission.
    replayed: NotRequired[Literal[True]]
    #: `ignored` if the event asks for `monitor_mode`, but the policy ignores such requests of clients.
    monitor_mode: NotRequired[Literal["ignored"]]
    #: Body of the answer that `POST /v1/events` would give.
    body: dict[str, Any]


class BatchAnswers(TypedDict):
    #: One answer for each event, in the order of the batch.
    answers: list[BatchAnswersAnswersItem]


class EventApp(TypedDict):
    id: str
    name: str | None


class Mask(TypedDict):
    #: Path of the text in `payload`; it can continue in JSON that is inside a string. `$` is the whole payload.
    path: str
    #: Start of the masked place in the stored text, in UTF-16 units.
    start: int
    end: int
    #: Code of the finding, such as `EMAIL`; `UNSCANNED` or `WITHHELD` if a whole text is masked.
    entity: str
    #: Detector of the finding; null if a whole text is masked because it could not be scanned.
    detector: str | None
    #: Rule with the strongest action among those that masked the place; null if the place was masked only in the
    #: log.
    rule: str | None
    #: Number of the masked value: equal values of one entity in one call have the same number; null if the values
    #: could not be compared.
    n: int | None


class EventExceptedItem(TypedDict):
    rule: str
    exception: str
    #: Action that the exception prevented; null if the action would not have been enforced even without the
    #: exception.
    kept: Literal["redact", "block"] | None


class EventRedactionsItem(TypedDict):
    type: str
    count: float


class EventUnreadItem(TypedDict):
    #: Position in the body, such as `messages[0].content[1].file.file_data` or `parts[0]`.
    path: str
    why: Literal["binary", "document", "archive", "ambiguous", "encrypted", "malformed", "limit", "outage"]
    bytes: float


class EventUsageOther(TypedDict):
    """Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is
    null."""

    service_tier: NotRequired[Literal["batch", "fast", "flex", "priority", "scale", "us", "other"]]
    audio_input_tokens: NotRequired[float]
    audio_output_tokens: NotRequired[float]
    web_searches: NotRequired[float]
    file_searches: NotRequired[float]
    #: True if the answer shows that work was billed, but not the fee.
    unknown_fees: NotRequired[Literal[True]]


class EventUsage(TypedDict):
    prompt_tokens: float | None
    completion_tokens: float | None
    cache_read_tokens: float | None
    cache_write_tokens: float | None
    #: Number of those `cache_write_tokens` that are cached for an hour.
    cache_write_1h_tokens: float | None
    reasoning_tokens: float | None
    #: Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is
    #: null.
    other: EventUsageOther | None
    #: True if Weir estimated the tokens, because the provider did not report them.
    estimated: bool


class EventLatencyMs(TypedDict):
    total: float | None
    provider: float | None
    weir: float | None


class EventPolicy(TypedDict):
    id: str
    digest: str | None
    version: str | None


class EventDetectorsItem(TypedDict):
    key: str
    plugin: str
    version: str
    revision: float
    status: Literal["scanned", "failed", "timeout", "not_run"]


class MarkApp(TypedDict):
    id: str
    name: str | None


class MarkBy(TypedDict):
    """The last author of the mark. `name` is the e-mail address of the person or the name of the management token;
    null if the person or token no longer exists."""

    kind: Literal["person", "token"]
    id: str
    name: str | None


class Mark(TypedDict):
    #: Id of the event in which the rule fired; for `missed`, of the event that was marked.
    event: str
    #: Id of the event with which the call began. A call has one mark for each rule.
    call: str
    rule: str
    #: `right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but
    #: should have.
    mark: Literal["right", "wrong", "missed"]
    note: str | None
    environment: Literal["development", "staging", "production"]
    app: MarkApp
    #: The last author of the mark. `name` is the e-mail address of the person or the name of the management token;
    #: null if the person or token no longer exists.
    by: MarkBy
    #: RFC 3339, UTC.
    at: str


class Event(TypedDict):
    #: Id of the event in the service, a UUIDv7.
    id: str
    #: Id that the client gave the event; the same as `id` if the client sent none.
    event_id: str
    type: Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]
    app: EventApp
    key_id: str
    #: The effective environment, which is the key's environment.
    environment: Literal["development", "staging", "production"]
    declared_environment: Literal["development", "staging", "production"]
    source: Literal["rest", "proxy", "calls"]
    request_id: str | None
    #: Id of the event that caused this event.
    parent_id: str | None
    session_id: str | None
    provider: str | None
    model: str | None
    metadata: dict[str, Any] | None
    #: Stored payload; `capture` shows whether it is redacted, complete or left out.
    payload: Any
    capture: Literal["redacted", "full", "none"]
    #: Masked places in the payload. Null if they are unknown, because no text is stored or an earlier version of
    #: Weir stored the event.
    masks: list[Mask] | None
    #: Number of masked places that are not in `masks`, because they have no path or come after the first 1,000.
    masks_left_out: int
    #: A line of the stored text, at most 160 characters; null if no text is stored.
    excerpt: str | None
    decision: Literal["allow", "redact", "block"] | None
    #: Reason of the block, or type of the error.
    reason: str | None
    #: Outcome of the event in one word; null if the event only reports on another event.
    outcome: Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"] | None
    violations: list[Violation]
    #: Rules that matched and were weakened by an exception of the policy.
    excepted: list[EventExceptedItem]
    redactions: list[EventRedactionsItem]
    #: Parts of the call that could be neither recognised nor read; see `unread` in the policy.
    unread: list[EventUnreadItem]
    usage: EventUsage | None
    #: Cost in integer nano-dollars, as text so that any size is exact.
    cost_nano_usd: str | None
    price_version: str | None
    latency_ms: EventLatencyMs
    policy: EventPolicy | None
    detectors: list[EventDetectorsItem]
    #: The facts that rules could read. They never contain matched text.
    facts: dict[str, Any] | None
    upstream_status: float | None
    #: RFC 3339, UTC, milliseconds.
    received_at: str
    #: Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the
    #: answer. Null if no request submitted the event.
    trace_id: str | None
    #: Marks of the event or of its call; only in lists of events and in the answer for one event.
    marks: NotRequired[list[Mark]]


class EventSummaryApp(TypedDict):
    id: str
    name: str | None


class EventSummaryExceptedItem(TypedDict):
    rule: str
    exception: str
    #: Action that the exception prevented; null if the action would not have been enforced even without the
    #: exception.
    kept: Literal["redact", "block"] | None


class EventSummaryRedactionsItem(TypedDict):
    type: str
    count: float


class EventSummaryUsageOther(TypedDict):
    """Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is
    null."""

    service_tier: NotRequired[Literal["batch", "fast", "flex", "priority", "scale", "us", "other"]]
    audio_input_tokens: NotRequired[float]
    audio_output_tokens: NotRequired[float]
    web_searches: NotRequired[float]
    file_searches: NotRequired[float]
    #: True if the answer shows that work was billed, but not the fee.
    unknown_fees: NotRequired[Literal[True]]


class EventSummaryUsage(TypedDict):
    prompt_tokens: float | None
    completion_tokens: float | None
    cache_read_tokens: float | None
    cache_write_tokens: float | None
    #: Number of those `cache_write_tokens` that are cached for an hour.
    cache_write_1h_tokens: float | None
    reasoning_tokens: float | None
    #: Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is
    #: null.
    other: EventSummaryUsageOther | None
    #: True if Weir estimated the tokens, because the provider did not report them.
    estimated: bool


class EventSummaryLatencyMs(TypedDict):
    total: float | None
    provider: float | None
    weir: float | None


class EventSummaryPolicy(TypedDict):
    id: str
    digest: str | None
    version: str | None


class EventSummary(TypedDict):
    #: Id of the event in the service, a UUIDv7.
    id: str
    #: Id that the client gave the event; the same as `id` if the client sent none.
    event_id: str
    type: Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]
    app: EventSummaryApp
    key_id: str
    #: The effective environment, which is the key's environment.
    environment: Literal["development", "staging", "production"]
    declared_environment: Literal["development", "staging", "production"]
    source: Literal["rest", "proxy", "calls"]
    request_id: str | None
    #: Id of the event that caused this event.
    parent_id: str | None
    session_id: str | None
    provider: str | None
    model: str | None
    metadata: dict[str, Any] | None
    capture: Literal["redacted", "full", "none"]
    #: A line of the stored text, at most 160 characters; null if no text is stored.
    excerpt: str | None
    decision: Literal["allow", "redact", "block"] | None
    #: Reason of the block, or type of the error.
    reason: str | None
    #: Outcome of the event in one word; null if the event only reports on another event.
    outcome: Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"] | None
    violations: list[Violation]
    #: Rules that matched and were weakened by an exception of the policy.
    excepted: list[EventSummaryExceptedItem]
    redactions: list[EventSummaryRedactionsItem]
    usage: EventSummaryUsage | None
    #: Cost in integer nano-dollars, as text so that any size is exact.
    cost_nano_usd: str | None
    price_version: str | None
    latency_ms: EventSummaryLatencyMs
    policy: EventSummaryPolicy | None
    upstream_status: float | None
    #: RFC 3339, UTC, milliseconds.
    received_at: str
    #: Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the
    #: answer. Null if no request submitted the event.
    trace_id: str | None
    #: Marks of the event or of its call; only in lists of events and in the answer for one event.
    marks: NotRequired[list[Mark]]


class EventPage(TypedDict):
    #: The events; with `fields=summary`, their summaries.
    data: list[Event | EventSummary]
    #: Cursor of the next page; null on the last page. A page that ends early may be empty and still have a cursor.
    next_cursor: str | None
    #: Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too
    #: long; null if the search is complete.
    searched_to: str | None


class EventCount(TypedDict):
    count: int
    #: True if there are, or may be, more matching events than `count`.
    capped: bool
    #: Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too
    #: long; null if the search is complete.
    searched_to: str | None


class EventFacetsDataValueItem(TypedDict):
    value: str
    #: Name of the app if the value is the id of an app; otherwise null.
    label: str | None
    count: int


class EventFacets(TypedDict):
    #: True when only the newest matching events were counted.
    sampled: bool
    #: Number of events whose values were counted.
    of: int
    #: Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too
    #: long; null if the search is complete.
    searched_to: str | None
    data: dict[str, list[EventFacetsDataValueItem]]


class ExplainedRuleConditionsItem(TypedDict):
    #: Line number, from 1.
    line: int | None
    text: str
    #: Result of the condition; null if it is unknown.
    result: bool | None
    fact: str | None
    #: Value of the fact; for texts, only type and size. Null if the fact was absent.
    value_shown: str | None


class ExplainedRule(TypedDict):
    id: str
    stage: Literal["pre", "post", "tool"]
    #: For stage `tool`: index of the tool call in the answer, from 0.
    tool_call: int | None
    outcome: Literal["matched", "not_matched", "unknown"]
    action: str | None
    mode: Literal["enforce", "monitor"]
    exception: str | None
    path: str | None
    #: Line number, from 1.
    line: int | None
    conditions: list[ExplainedRuleConditionsItem]


class Explanation(TypedDict):
    #: Whether evaluating the call again leads to the same decision; null if this is unknown.
    reproduced: bool | None
    #: Differences between the recomputed and the recorded decision.
    differs: list[str]
    #: Reasons why `reproduced` is unknown: facts that were not stored, or an unavailable policy.
    missing: list[str]
    #: The decision; null if no rule judged the event.
    decision: Literal["allow", "redact", "block", "unavailable"] | None
    deciding_rule: str | None
    #: Digest of the policy that made the decision.
    digest: str | None
    #: Number of the deployment with the policy that made the decision; null if the policy was in the policies
    #: folder, or was not found.
    deployment: int | None
    #: The rules; those that fired come first.
    rules: list[ExplainedRule]


class CapturedTest(TypedDict):
    #: Suggested path in a policies folder.
    path: str
    #: Text of the test file, which contains the structure of the call, but no text written by users.
    yaml: str
    #: Whether the test passes with the policy that made the decision.
    passes: bool
    #: Fields that the test does not reproduce, because their input was not stored.
    missing: list[str]


class NewMark(TypedDict):
    #: `right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but
    #: should have.
    mark: Literal["right", "wrong", "missed"]
    #: Reason for the mark. Personal data and credentials in it are masked before it is stored.
    note: NotRequired[str | None]


class MarkPage(TypedDict):
    data: list[Mark]
    #: Cursor of the next page; null on the last page.
    next_cursor: str | None


class CallSessionApp(TypedDict):
    id: str
    name: str | None


class CallSessionOutcomes(TypedDict):
    """Number of calls by outcome."""

    allowed: int
    flagged: int
    would_block: int
    redacted: int
    error: int
    unavailable: int
    blocked: int


class CallSession(TypedDict):
    session_id: str
    app: CallSessionApp
    environment: Literal["development", "staging", "production"]
    first_at: str
    last_at: str
    calls: int
    #: Number of tool calls; `calls` includes them.
    tool_calls: int
    #: Number of calls by outcome.
    outcomes: CallSessionOutcomes
    #: Models called in the session, at most 20.
    models: list[str]
    #: Number of prompt and completion tokens; a sum above 2^53 is rounded.
    tokens: float
    #: Cost in integer nano-dollars, as text; calls without a price are not included.
    cost_nano_usd: str
    #: Number of calls whose tokens are known, but not their price. A call with several answers counts once for each
    #: of them.
    without_price: int
    #: Processing time that Weir added to the calls of the session, in milliseconds. Only if `session` names one
    #: session; null if it is unknown, or if the session has too many events to read them in time.
    weir_ms: NotRequired[float | None]
    #: Ids of the rules that fired in the session, including monitored ones. Only if `session` names one session;
    #: null if the session has too many events to read them in time.
    rules: NotRequired[list[str] | None]


class CallSessions(TypedDict):
    data: list[CallSession]
    #: Cursor of the next page; null on the last page.
    next_cursor: str | None


class StatsGroupWeirMs(TypedDict):
    """Percentiles of Weir's own processing time; only when grouped by environment or app."""

    p50: list[float | None]
    p95: list[float | None]
    p99: list[float | None]


class StatsGroupPrevious(TypedDict):
    """Totals of the group in the previous period. Absent when grouped by outcome: the field `previous` of the
    answer contains these totals."""

    calls: int
    #: Cost in integer nano-dollars, as text; absent when grouped by rule.
    cost_nano_usd: NotRequired[str]


class StatsGroup(TypedDict):
    #: The outcome, environment, model or rule of the group, or the id of its app or key; `other` for all other
    #: groups together.
    key: str
    label: str
    #: Number of calls per bucket; for a rule, number of its hits.
    calls: NotRequired[list[int]]
    #: Number of calls per bucket that a rule refused; absent when grouped by outcome or rule.
    blocked: NotRequired[list[int]]
    #: Cost per bucket; absent when grouped by outcome or rule.
    cost_nano_usd: NotRequired[list[str]]
    #: Present together with the cost. Number per bucket of calls whose tokens are known, but not their price: the
    #: cost does not include them. A call with several answers counts once for each of them.
    without_price: NotRequired[list[int]]
    #: Tokens per bucket; absent when grouped by outcome or rule.
    tokens: NotRequired[list[float]]
    #: Percentiles of Weir's own processing time; only when grouped by environment or app.
    weir_ms: NotRequired[StatsGroupWeirMs]
    #: Totals of the group in the previous period. Absent when grouped by outcome: the field `previous` of the
    #: answer contains these totals.
    previous: NotRequired[StatsGroupPrevious]


class StatsTotalsWeirMs(TypedDict):
    p50: float | None
    p95: float | None
    p99: float | None


class StatsTotals(TypedDict):
    calls: int
    allowed: int
    flagged: int
    #: Calls that a rule in monitor mode would have blocked.
    would_block: int
    redacted: int
    blocked: int
    #: Calls refused because a guardrail could not be evaluated.
    unavailable: int
    #: Calls that failed at the provider.
    errors: int
    #: Cost in integer nano-dollars, as text.
    cost_nano_usd: str
    #: Number of calls whose tokens are known, but not their price: the cost does not include them. A call with
    #: several answers counts once for each of them.
    without_price: int
    prompt_tokens: float
    completion_tokens: float
    weir_ms: StatsTotalsWeirMs


class StatsDeploymentsItemBy(TypedDict):
    """Author of the deployment; null if the service itself made it, and without the scope `policy:read`."""

    kind: Literal["person", "token"]
    name: str | None


class StatsDeploymentsItem(TypedDict):
    environment: Literal["development", "staging", "production"]
    number: int
    at: str
    #: Author of the deployment; null if the service itself made it, and without the scope `policy:read`.
    by: StatsDeploymentsItemBy | None
    #: Reason for the deployment; null without the scope `policy:read`.
    because: str | None


Stats = TypedDict(
    "Stats",
    {
        #: Start of the first bucket.
        "from": "str",
        #: End of the last bucket.
        "to": "str",
        "step_seconds": "int",
        #: Time after which the figures may still be incomplete.
        "complete_until": "str",
        #: Start of each bucket.
        "buckets": "list[str]",
        "groups": "list[StatsGroup]",
        "totals": "StatsTotals",
        #: Totals of all groups in the previous period of equal length. If the range ends later than now, the totals
        #: of its previous period end at the same elapsed time: at 13:55, those of yesterday end at 13:55.
        "previous": "StatsTotals",
        "deployments": "list[StatsDeploymentsItem]",
    },
)


class ErasureLookedForItem(TypedDict):
    kind: Literal["metadata", "session", "token"]
    #: Path of the metadata value; null for other kinds.
    path: str | None
    #: HMAC-SHA-256 of the searched value with the account's key; the value itself is not stored.
    fingerprint: str


class ErasureCounts(TypedDict):
    """Number of findings in each place; a dry run only counts them."""

    #: Emptied events, whose rows stay with time, app, model, decision, tokens and cost.
    events: int
    #: Emptied events that had a body.
    bodies: int
    #: Emptied events that had metadata.
    metadata: int
    #: Deleted answers, which were stored for retries with the same `event_id`.
    remembered_answers: int
    #: Session totals in which the id of the session was replaced.
    sessions: int
    #: Deleted session states, which rules read.
    session_states: int
    #: Deleted notes on decisions; the marks stay.
    mark_notes: int
    #: Budget reservations from which the client's request id was deleted; the amounts stay.
    reservations: int
    #: Budget windows whose label named the person and was emptied; the amounts stay.
    budget_labels: int
    #: Replaced reasons of adjustments, which named the person.
    budget_reasons: int
    #: Deleted export files, which may have contained data of the person.
    export_files: int
    #: Cancelled exports, which were being written.
    exports_cancelled: int
    #: Exports and schedules whose filters named the person; the filters are removed and the schedules paused.
    export_filters: int
    #: Deleted saved views, whose filters named the person.
    views: int
    #: Parts of the archive that were rewritten.
    archive_parts: int
    #: Matching events that stay unchanged because a legal hold covers their calls.
    held: int


class ErasureRemains(TypedDict):
    """Copies of the data that remain after the erasure; null before the erasure has ended, and for a dry run."""

    #: Whether old versions of the changed rows were removed from the database files.
    vacuumed: bool
    #: Number of export files in buckets that may contain data of the person; the owner of the bucket has to delete
    #: them.
    bucket_files: int
    #: Number of entries of the append-only admin audit log that name the person in reasons or names.
    audit_entries: int
    #: Time when the erasure ended: earlier backups and write-ahead logs contain the erased data until they are
    #: deleted.
    backups_before: str


class ErasureBy(TypedDict):
    kind: str
    id: str | None
    name: str | None


class Erasure(TypedDict):
    id: str
    #: `waiting`: some matching calls are still open; their events are emptied when the calls end.
    state: Literal["running", "waiting", "done"]
    dry_run: bool
    environment: Literal["development", "staging", "production"] | None
    app: str | None
    looked_for: list[ErasureLookedForItem]
    because: str | None
    #: Number of findings in each place; a dry run only counts them.
    counts: ErasureCounts
    #: Number of open calls that the erasure waits for.
    open_calls: int
    #: Copies of the data that remain after the erasure; null before the erasure has ended, and for a dry run.
    remains: ErasureRemains | None
    #: Why the erasure makes no progress; null while it does, and after it has ended.
    problem: str | None
    #: Position of the write-ahead log at the end of the erasure.
    database_position: str | None
    by: ErasureBy
    created_at: str
    ended_at: str | None


class Erasures(TypedDict):
    data: list[Erasure]


class NewErasureValue(TypedDict):
    """A value of the person, with its finding code, such as `EMAIL`; its token is searched for."""

    type: str
    text: str


class NewErasure(TypedDict):
    #: Metadata values of the calls, by dotted path, such as `"user.id": "42"`.
    metadata: NotRequired[dict[str, str]]
    #: Id of a session, as the client sent it.
    session: NotRequired[str]
    #: A token by which redaction with `tokens: stable` replaced a value of the person.
    token: NotRequired[str]
    #: A value of the person, with its finding code, such as `EMAIL`; its token is searched for.
    value: NotRequired[NewErasureValue]
    #: Only events of this app.
    app: NotRequired[str]
    #: Only events of this environment.
    environment: NotRequired[Literal["development", "staging", "production"]]
    #: Reason, stored in the certificate and in the admin audit log; it must not contain personal data.
    because: NotRequired[str]
    #: Only count, without changing anything.
    dry_run: NotRequired[bool]


class ExportDestinationDownload(TypedDict):
    kind: Literal["download"]


class ExportDestinationS3(TypedDict):
    kind: Literal["s3"]
    bucket: str
    prefix: str
    region: str
    endpoint: str | None
    #: The last four characters of the access key id.
    access_key_ends: str


class ExportBy(TypedDict):
    kind: str
    id: str | None
    name: str | None


class ExportSchedule(TypedDict):
    """The schedule that started the export; null without a schedule."""

    id: str
    #: Time at which the run was due; the file contains events received before this time.
    due_at: str
    #: Number of matching events of the same period that were stored after the file was written; null if they were
    #: not counted.
    late_rows: int | None


class Export(TypedDict):
    id: str
    state: Literal["queued", "running", "paused", "done", "failed", "cancelled"]
    format: Literal["jsonl", "csv", "parquet"]
    filters: dict[str, str]
    columns: list[str] | None
    bom: bool
    destination: ExportDestinationDownload | ExportDestinationS3
    #: The only environment whose events the requester may see; null if all.
    environment: Literal["development", "staging", "production"] | None
    #: Number of events in the file so far.
    rows: int
    #: Expected number of rows; null until the rows are counted, and always null if a filter searches free text.
    rows_expected: int | None
    bytes: int
    #: SHA-256 of the complete file.
    sha256: str | None
    #: Position of the export among the events.
    cursor: str | None
    #: Human-readable reason for the failure, or, before the end, why the export began again.
    error: str | None
    by: ExportBy
    created_at: str
    ended_at: str | None
    #: Time when the file is deleted, or when a failed export can no longer be resumed.
    expires_at: str | None
    #: Whether `GET /v1/exports/{id}/file` returns the file.
    has_file: bool
    #: Whether the export has failed and `PATCH` with `paused: false` continues it after its last row.
    resumable: bool
    #: The schedule that started the export; null without a schedule.
    schedule: ExportSchedule | None


class Exports(TypedDict):
    data: list[Export]


class NewExportDestinationDownload(TypedDict):
    """The service stores the file for a while."""

    kind: Literal["download"]


class NewExportDestinationS3Credentials(TypedDict):
    """Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    no longer be resumed after a failure, or until the schedule is deleted, and never shown again."""

    access_key_id: str
    secret_access_key: str
    session_token: NotRequired[str]


class NewExportDestinationS3(TypedDict):
    """The file is written to a bucket of an S3-compatible service."""

    kind: Literal["s3"]
    #: Name of the bucket.
    bucket: str
    #: Prefix of the object name, such as `weir/`.
    prefix: NotRequired[str]
    region: str
    #: URL of an S3-compatible service. Default: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    #: no longer be resumed after a failure, or until the schedule is deleted, and never shown again.
    credentials: NewExportDestinationS3Credentials


class NewExport(TypedDict):
    format: Literal["jsonl", "csv", "parquet"]
    #: Filters, with the names and values of the query string of `GET /v1/events`; events must match all filters. At
    #: most 40, with at most 16 KiB together.
    filters: NotRequired[dict[str, str]]
    #: Columns of CSV and Parquet, in this order; all of them when absent.
    columns: NotRequired[list[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]]]
    #: Begin CSV with a byte order mark, so that Excel reads it as UTF-8.
    bom: NotRequired[bool]
    #: Destination of the file; `download` when absent.
    destination: NotRequired[NewExportDestinationDownload | NewExportDestinationS3]


class ExportChange(TypedDict):
    #: True pauses the export, false resumes a paused or failed export.
    paused: bool


class TriedBucketCredentials(TypedDict):
    """Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    no longer be resumed after a failure, or until the schedule is deleted, and never shown again."""

    access_key_id: str
    secret_access_key: str
    session_token: NotRequired[str]


class TriedBucket(TypedDict):
    """The file is written to a bucket of an S3-compatible service."""

    kind: Literal["s3"]
    #: Name of the bucket.
    bucket: str
    #: Prefix of the object name, such as `weir/`.
    prefix: NotRequired[str]
    region: str
    #: URL of an S3-compatible service. Default: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    #: no longer be resumed after a failure, or until the schedule is deleted, and never shown again.
    credentials: TriedBucketCredentials


class BucketTrial(TypedDict):
    #: Whether an object of one byte could be written and deleted.
    ok: bool
    #: Human-readable description of the failure.
    problem: str | None
    #: Name of the test object, which remains if it could not be deleted.
    object: str


class ExportSchedules(TypedDict):
    data: list[ExportSchedule]


class NewExportScheduleDueDay(TypedDict):
    every: Literal["day"]
    #: Hour of the day, UTC.
    hour: int


class NewExportScheduleDueWeek(TypedDict):
    every: Literal["week"]
    weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    #: Hour of the day, UTC.
    hour: int


class NewExportScheduleDueMonth(TypedDict):
    every: Literal["month"]
    day: int
    #: Hour of the day, UTC.
    hour: int


class NewExportScheduleDestinationDownload(TypedDict):
    """The service stores the file for a while."""

    kind: Literal["download"]


class NewExportScheduleDestinationS3Credentials(TypedDict):
    """Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    no longer be resumed after a failure, or until the schedule is deleted, and never shown again."""

    access_key_id: str
    secret_access_key: str
    session_token: NotRequired[str]


class NewExportScheduleDestinationS3(TypedDict):
    """The file is written to a bucket of an S3-compatible service."""

    kind: Literal["s3"]
    #: Name of the bucket.
    bucket: str
    #: Prefix of the object name, such as `weir/`.
    prefix: NotRequired[str]
    region: str
    #: URL of an S3-compatible service. Default: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    #: no longer be resumed after a failure, or until the schedule is deleted, and never shown again.
    credentials: NewExportScheduleDestinationS3Credentials


class NewExportSchedule(TypedDict):
    name: str
    #: Time when the schedule is due.
    due: NewExportScheduleDueDay | NewExportScheduleDueWeek | NewExportScheduleDueMonth
    format: Literal["jsonl", "csv", "parquet"]
    #: Filters, with the names and values of the query string of `GET /v1/events`. `from` and `to` are not allowed,
    #: because each file begins where the previous one ends.
    filters: NotRequired[dict[str, str]]
    #: Columns of CSV and Parquet, in this order; all of them when absent.
    columns: NotRequired[list[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]]]
    #: Begin CSV with a byte order mark, so that Excel reads it as UTF-8.
    bom: NotRequired[bool]
    #: Destination of the files; `download` when absent.
    destination: NotRequired[NewExportScheduleDestinationDownload | NewExportScheduleDestinationS3]


class ExportScheduleChangeDueDay(TypedDict):
    every: Literal["day"]
    #: Hour of the day, UTC.
    hour: int


class ExportScheduleChangeDueWeek(TypedDict):
    every: Literal["week"]
    weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    #: Hour of the day, UTC.
    hour: int


class ExportScheduleChangeDueMonth(TypedDict):
    every: Literal["month"]
    day: int
    #: Hour of the day, UTC.
    hour: int


class ExportScheduleChangeDestinationDownload(TypedDict):
    """The service stores the file for a while."""

    kind: Literal["download"]


class ExportScheduleChangeDestinationS3Credentials(TypedDict):
    """Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    no longer be resumed after a failure, or until the schedule is deleted, and never shown again."""

    access_key_id: str
    secret_access_key: str
    session_token: NotRequired[str]


class ExportScheduleChangeDestinationS3(TypedDict):
    """The file is written to a bucket of an S3-compatible service."""

    kind: Literal["s3"]
    #: Name of the bucket.
    bucket: str
    #: Prefix of the object name, such as `weir/`.
    prefix: NotRequired[str]
    region: str
    #: URL of an S3-compatible service. Default: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can
    #: no longer be resumed after a failure, or until the schedule is deleted, and never shown again.
    credentials: ExportScheduleChangeDestinationS3Credentials


class ExportScheduleChange(TypedDict):
    name: NotRequired[str]
    #: True pauses the schedule, false resumes it. The first file after a pause contains the events received during
    #: the pause.
    paused: NotRequired[bool]
    #: Time when the schedule is due.
    due: NotRequired[ExportScheduleChangeDueDay | ExportScheduleChangeDueWeek | ExportScheduleChangeDueMonth]
    format: NotRequired[Literal["jsonl", "csv", "parquet"]]
    #: Filters, with the names and values of the query string of `GET /v1/events`. `from` and `to` are not allowed,
    #: because each file begins where the previous one ends.
    filters: NotRequired[dict[str, str]]
    #: Columns of the file; null for all columns.
    columns: NotRequired[list[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]] | None]
    #: Begin CSV with a byte order mark, so that Excel reads it as UTF-8.
    bom: NotRequired[bool]
    #: The complete new destination, including credentials.
    destination: NotRequired[ExportScheduleChangeDestinationDownload | ExportScheduleChangeDestinationS3]


class KeyApp(TypedDict):
    id: str
    name: str


class KeyCreatedBy(TypedDict):
    """Person or token that created the key, either directly or by rotating an older key; null if the audit log does
    not contain this action."""

    kind: Literal["person", "token", "operator", "system"]
    id: str | None
    #: E-mail address of the person, or name of the token.
    name: str | None


class Key(TypedDict):
    #: Public id of the key, shown in logs and events.
    id: str
    app: KeyApp
    name: str
    environment: Literal["development", "staging", "production"]
    #: RFC 3339, UTC.
    created_at: str
    #: Person or token that created the key, either directly or by rotating an older key; null if the audit log does
    #: not contain this action.
    created_by: KeyCreatedBy | None
    #: RFC 3339, UTC.
    expires_at: str | None
    #: Time of the last use, to the minute.
    last_used_at: str | None


class Keys(TypedDict):
    data: list[Key]


class NewKey(TypedDict):
    #: Name shown in lists, logs and events.
    name: str
    #: Environment of the key, which is the effective environment of every call with the key.
    environment: Literal["development", "staging", "production"]
    #: Time when the key stops working. Default: it works until it is deleted.
    expires_at: NotRequired[str | None]


class CreatedKey(TypedDict):
    key: Key
    #: The complete credential. It is shown only once and not stored.
    secret: str


class Rotation(TypedDict):
    #: Time for which the old key stays valid. Default: until the old key is deleted.
    delete_old_after_seconds: NotRequired[int | None]


class RotatedKey(TypedDict):
    key: Key
    #: The complete credential. It is shown only once and not stored.
    secret: str
    old: Key


class ActivePolicyBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class ActivePolicyDeploymentBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class ActivePolicyDeploymentSource(TypedDict):
    commit: str | None
    clean: bool


class ActivePolicyDeployment(TypedDict):
    """One deployment in the history."""

    number: int
    environment: Literal["development", "staging", "production"]
    action: Literal["deploy", "promote", "rollback", "emergency"]
    #: True if the policy was changed on the server in an emergency.
    emergency: bool
    #: Digest of the policy; null if the policies folder applies again.
    digest: str | None
    #: The first twelve characters of the digest.
    version: str | None
    bundle_digest: str | None
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: ActivePolicyDeploymentBase
    #: For a rollback: number of the reactivated deployment; 0 for the policies folder.
    restores: int | None
    because: str | None
    changed_files: list[str]
    waived_tests: list[str]
    untested: bool
    #: Names of the trusted keys that signed the bundle.
    signed_by: list[str]
    #: Serial number in the signatures of the bundle; null if no signature has one.
    serial: int | None
    source: ActivePolicyDeploymentSource
    #: The management token that made the deployment; null if a person made it.
    token_id: str | None
    #: The person who made the deployment; null if a token made it.
    person_id: str | None
    #: The person's e-mail address, or the name of the token; null if the person or token no longer exists.
    by_name: str | None
    #: RFC 3339, UTC.
    created_at: str


class ActivePolicyReplicasItem(TypedDict):
    id: str
    name: str
    #: Version of Weir on the replica.
    version: str
    #: `failed`: the replica cannot activate the newest deployment, so an earlier policy stays active.
    state: Literal["active", "pending", "failed", "lost"]
    #: Deployment whose policy judges calls on this replica; null for the policies folder.
    deployment: int | None
    #: Digest of the active policy on this replica; null if no policy is active and calls are refused.
    digest: str | None
    problem: str | None
    tests_passed: int
    #: RFC 3339, UTC.
    heartbeat_at: str


class ActivePolicy(TypedDict):
    environment: Literal["development", "staging", "production"]
    source: Literal["folder", "deployment"]
    #: Id of the policy.
    policy: str
    digest: str
    version: str
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: ActivePolicyBase
    #: One deployment in the history.
    deployment: ActivePolicyDeployment | None
    replicas: list[ActivePolicyReplicasItem]


class BundlePolicy(TypedDict):
    id: str
    digest: str


class BundleFilesItem(TypedDict):
    path: str
    text: str


class BundleTestsItem(TypedDict):
    path: str
    text: str


class BundleRequiresItem(TypedDict):
    plugin: str
    version: str
    revision: int


class BundleSource(TypedDict):
    commit: str | None
    clean: bool


class BundleSignaturesItem(TypedDict):
    key_id: str
    algorithm: Literal["ed25519"]
    value: str
    #: Id of the account for which the bundle was signed; absent in signatures made by earlier versions of Weir.
    account: NotRequired[str]
    #: Serial number, which increases with every signature. A bundle with a lower number than an earlier deployed
    #: bundle counts as old.
    serial: NotRequired[int]


class Bundle(TypedDict):
    format: Literal["weir/bundle/v1"]
    environment: Literal["development", "staging", "production"]
    policy: BundlePolicy
    files: list[BundleFilesItem]
    tests: list[BundleTestsItem]
    requires: list[BundleRequiresItem]
    source: BundleSource
    signatures: list[BundleSignaturesItem]


class DeploymentsDataItemBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class DeploymentsDataItemSource(TypedDict):
    commit: str | None
    clean: bool


class DeploymentsDataItem(TypedDict):
    """One deployment in the history."""

    number: int
    environment: Literal["development", "staging", "production"]
    action: Literal["deploy", "promote", "rollback", "emergency"]
    #: True if the policy was changed on the server in an emergency.
    emergency: bool
    #: Digest of the policy; null if the policies folder applies again.
    digest: str | None
    #: The first twelve characters of the digest.
    version: str | None
    bundle_digest: str | None
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: DeploymentsDataItemBase
    #: For a rollback: number of the reactivated deployment; 0 for the policies folder.
    restores: int | None
    because: str | None
    changed_files: list[str]
    waived_tests: list[str]
    untested: bool
    #: Names of the trusted keys that signed the bundle.
    signed_by: list[str]
    #: Serial number in the signatures of the bundle; null if no signature has one.
    serial: int | None
    source: DeploymentsDataItemSource
    #: The management token that made the deployment; null if a person made it.
    token_id: str | None
    #: The person who made the deployment; null if a token made it.
    person_id: str | None
    #: The person's e-mail address, or the name of the token; null if the person or token no longer exists.
    by_name: str | None
    #: RFC 3339, UTC.
    created_at: str


class Deployments(TypedDict):
    data: list[DeploymentsDataItem]
    #: Value of `before` for the next page; null on the last page.
    next_before: int | None


class DeployPolicyBodyBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class DeployPolicyBody(TypedDict):
    bundle: Bundle
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: DeployPolicyBodyBase
    action: NotRequired[Literal["deploy", "promote"]]
    #: Reason for the deployment. Required for a signed bundle that is older than an earlier deployed one.
    because: NotRequired[str]
    #: Accept a bundle without tests for its environment.
    untested: NotRequired[bool]


class DeploymentAnswerDeploymentBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class DeploymentAnswerDeploymentSource(TypedDict):
    commit: str | None
    clean: bool


class DeploymentAnswerDeployment(TypedDict):
    """One deployment in the history."""

    number: int
    environment: Literal["development", "staging", "production"]
    action: Literal["deploy", "promote", "rollback", "emergency"]
    #: True if the policy was changed on the server in an emergency.
    emergency: bool
    #: Digest of the policy; null if the policies folder applies again.
    digest: str | None
    #: The first twelve characters of the digest.
    version: str | None
    bundle_digest: str | None
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: DeploymentAnswerDeploymentBase
    #: For a rollback: number of the reactivated deployment; 0 for the policies folder.
    restores: int | None
    because: str | None
    changed_files: list[str]
    waived_tests: list[str]
    untested: bool
    #: Names of the trusted keys that signed the bundle.
    signed_by: list[str]
    #: Serial number in the signatures of the bundle; null if no signature has one.
    serial: int | None
    source: DeploymentAnswerDeploymentSource
    #: The management token that made the deployment; null if a person made it.
    token_id: str | None
    #: The person who made the deployment; null if a token made it.
    person_id: str | None
    #: The person's e-mail address, or the name of the token; null if the person or token no longer exists.
    by_name: str | None
    #: RFC 3339, UTC.
    created_at: str


class DeploymentAnswerReplicasItem(TypedDict):
    id: str
    name: str
    #: Version of Weir on the replica.
    version: str
    #: `failed`: the replica cannot activate the newest deployment, so an earlier policy stays active.
    state: Literal["active", "pending", "failed", "lost"]
    #: Deployment whose policy judges calls on this replica; null for the policies folder.
    deployment: int | None
    #: Digest of the active policy on this replica; null if no policy is active and calls are refused.
    digest: str | None
    problem: str | None
    tests_passed: int
    #: RFC 3339, UTC.
    heartbeat_at: str


class DeploymentAnswer(TypedDict):
    #: One deployment in the history.
    deployment: DeploymentAnswerDeployment
    replicas: list[DeploymentAnswerReplicasItem]


class RollbackPolicyBodyBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class RollbackPolicyBody(TypedDict):
    #: Number of an earlier deployment; 0 for the policies folder.
    to: int
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: RollbackPolicyBodyBase
    #: Reason for the change; kept in the history.
    because: str


class ChangePolicyBodyBase(TypedDict):
    """The deployment on which the change is based. If another deployment is active, the answer is 409
    `stale_plan`."""

    #: Number of the deployment that was active when the change was made; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active when the change was made.
    digest: str


class ChangePolicyBodyChangesItem(TypedDict):
    #: Path relative to the policies folder.
    path: str
    #: The whole new text; null removes the file.
    text: str | None


class ChangePolicyBody(TypedDict):
    #: The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.
    base: ChangePolicyBodyBase
    changes: list[ChangePolicyBodyChangesItem]
    #: Reason for the change; kept in the history.
    because: str
    #: Deploy even if the change breaks bundled tests; the deployment lists the broken tests.
    waive_failing_tests: NotRequired[bool]


class Rule(TypedDict):
    id: str
    title: str
    #: Description of the rule in sentences, one per line; lines of conditions are indented.
    prose: str
    stage: Literal["pre", "post", "tool"]
    severity: Literal["low", "medium", "high", "critical"]
    action: Literal["allow", "flag", "redact", "block"]
    mode: Literal["enforce", "monitor"]
    owner: str | None
    #: Date by which the rule is to be reviewed.
    review_by: str | None
    #: Former ids of the rule.
    formerly: list[str]
    tags: list[str]
    path: str
    #: Line number, from 1.
    line: int
    #: Line number, from 1.
    end_line: int
    #: Number of tests in which the rule fires; null if the service does not have the tests.
    tests: int | None


class RulesListsItem(TypedDict):
    name: str
    entries: list[str | float]


class RulesBudgetsItem(TypedDict):
    id: str
    scope: list[str]
    per: str
    timezone: str
    unit: Literal["usd", "tokens"]
    #: Limit in nano-dollars or tokens.
    limit: str
    on_exceed: Literal["record", "block"]


class RulesDetectorsItem(TypedDict):
    key: str
    plugin: str
    version: str
    codes: list[str]


class Rules(TypedDict):
    #: Digest of the policy: SHA-256, in hex.
    digest: str
    #: Number of the deployment; null for the policies folder.
    deployment: int | None
    rules: list[Rule]
    lists: list[RulesListsItem]
    budgets: list[RulesBudgetsItem]
    detectors: list[RulesDetectorsItem]


class RuleStatsDataItemMarks(TypedDict):
    """Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`."""

    right: int
    wrong: int
    missed: int


class RuleStatsDataItem(TypedDict):
    rule: str
    #: Former ids of the rule; the figures include their hits and marks.
    formerly: list[str]
    title: str
    stage: Literal["pre", "post", "tool"]
    action: Literal["allow", "flag", "redact", "block"]
    mode: Literal["enforce", "monitor"]
    #: Number of times that the rule fired, enforced or not.
    hits: int
    #: Number of hits at which the action of the rule was enforced.
    enforced: int
    #: Number of hits that were not enforced, but would have blocked or redacted.
    monitored: int
    #: Number of matches to which an exception applied. They also count as hits if the exception has `effect:
    #: monitor`.
    excepted: int
    #: Time of the first hit in the range (RFC 3339, UTC).
    first_hit: str | None
    last_hit: str | None
    #: Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`.
    marks: RuleStatsDataItemMarks
    #: Number of hits in each of 30 equal parts of the range, oldest part first.
    spark: list[int]


class RuleStatsOthersItemMarks(TypedDict):
    """Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`."""

    right: int
    wrong: int
    missed: int


class RuleStatsOthersItem(TypedDict):
    rule: str
    #: Number of times that the rule fired, enforced or not.
    hits: int
    #: Number of hits at which the action of the rule was enforced.
    enforced: int
    #: Number of hits that were not enforced, but would have blocked or redacted.
    monitored: int
    #: Number of matches to which an exception applied. They also count as hits if the exception has `effect:
    #: monitor`.
    excepted: int
    #: Time of the first hit in the range (RFC 3339, UTC).
    first_hit: str | None
    last_hit: str | None
    #: Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`.
    marks: RuleStatsOthersItemMarks
    #: Number of hits in each of 30 equal parts of the range, oldest part first.
    spark: list[int]


RuleStats = TypedDict(
    "RuleStats",
    {
        "environment": "Literal[\"development\", \"staging\", \"production\"]",
        #: Digest of the active policy.
        "digest": "str",
        "from": "str",
        "to": "str",
        #: Every rule of the active policy; the rule with the most hits comes first.
        "data": "list[RuleStatsDataItem]",
        #: Rules that fired in the range but are not in the active policy.
        "others": "list[RuleStatsOthersItem]",
    },
)


class ExceptionsDataItem(TypedDict):
    id: str
    environment: str
    rules: list[str]
    effect: Literal["monitor", "skip"]
    #: Whether the exception has a condition; without a condition, the exception applies to every call.
    conditional: bool
    expires: str
    state: Literal["expired", "within_3_days", "within_14_days", "within_30_days", "later"]
    because: str
    approved_by: str
    ticket: str
    #: Condition of the exception; null if it applies to every call.
    when: str | None
    path: str | None
    #: Line number, from 1.
    line: int | None
    #: Number of requests, answers and tool calls of the last 30 days to which the exception applied; null without
    #: `events:read`.
    hits_30d: int | None
    #: Those of `hits_30d` that would have been refused or redacted without the exception; null without
    #: `events:read`.
    kept_30d: int | None
    #: Time when the exception last applied, however long ago; null if it never did, or without `events:read`.
    last_hit: str | None


class Exceptions(TypedDict):
    #: Digest of the policy: SHA-256, in hex.
    digest: str
    deployment: int | None
    data: list[ExceptionsDataItem]


class PolicyDiffFrom(TypedDict):
    #: Digest of the policy: SHA-256, in hex.
    digest: str
    deployment: int | None
    environment: str


class PolicyDiffTo(TypedDict):
    #: Digest of the policy: SHA-256, in hex.
    digest: str
    deployment: int | None
    environment: str


class PolicyDiffRulesItemFieldsItem(TypedDict):
    path: str
    before: Any
    after: Any


class PolicyDiffRulesItemWitnessItem(TypedDict):
    facts: dict[str, Any]
    #: Description of the request in words.
    when: str
    before: str
    after: str


class PolicyDiffRulesItem(TypedDict):
    id: str
    change: Literal["added", "removed", "changed"]
    #: Effect of the change, found by evaluating requests with both policies. `stricter` or `weaker`: the new policy
    #: refuses, masks or flags more or less; `same`: neither; `unknown`: there are too many combinations to try all.
    effect: Literal["stricter", "weaker", "same", "unknown"]
    fields: list[PolicyDiffRulesItemFieldsItem]
    #: Requests on which the two policies decide differently because of this rule.
    witness: list[PolicyDiffRulesItemWitnessItem]


class PolicyDiffOthersItem(TypedDict):
    change: Literal["added", "removed", "changed"]
    what: Literal["rule", "exception", "budget", "price", "list", "detector", "setting"]
    id: str
    details: list[str]
    weaker: bool
    #: Effect of the changed values. `weaker`: more passes than before; `stricter`: less passes; `neutral`: neither;
    #: `incomparable`: not decidable.
    effect: Literal["weaker", "stricter", "neutral", "incomparable"]
    #: Evidence of the effect: requests that both policies judged, texts that both policies scanned, or the values
    #: alone.
    evidence: Literal["requests", "texts", "values"]
    #: Reasons of the effect; for budgets, also example calls that show it.
    why: list[str]


PolicyDiff = TypedDict(
    "PolicyDiff",
    {
        "from": "PolicyDiffFrom",
        "to": "PolicyDiffTo",
        "rules": "list[PolicyDiffRulesItem]",
        #: Lists, exceptions, budgets, detectors and settings.
        "others": "list[PolicyDiffOthersItem]",
        #: False if some rules have too many combinations, so that only a part of them was tried.
        "complete": "bool",
    },
)


class EvaluateBodyMessagesItem(TypedDict):
    role: str
    content: Any


class EvaluateBodyTool(TypedDict):
    """A tool call."""

    name: str
    arguments: NotRequired[Any]


class EvaluateBody(TypedDict):
    #: Number of the deployment whose policy judges the call; 0 for the policies folder. Default: the active policy.
    deployment: NotRequired[int]
    #: Bundle whose policy judges the call, without being deployed. Cannot be combined with `deployment`.
    bundle: NotRequired[Bundle]
    #: Stage to evaluate. Default: `tool` if the body contains `tool`, otherwise `pre`.
    stage: NotRequired[Literal["pre", "post", "tool"]]
    #: The user's message, or at stage `post` the answer.
    text: NotRequired[str]
    #: A conversation; only at stage `pre`.
    messages: NotRequired[list[EvaluateBodyMessagesItem]]
    #: A tool call.
    tool: NotRequired[EvaluateBodyTool]
    model: NotRequired[str]
    provider: NotRequired[str]
    #: Name of the app that the call is attributed to.
    app: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    #: Time of the call. Default: now.
    at: NotRequired[str]
    #: Detectors to simulate as unavailable.
    unavailable: NotRequired[list[str]]
    #: Also return the call and its decision as a policy test.
    as_test: NotRequired[bool]


class EvaluationViolationsItem(TypedDict):
    rule: str
    policy: str
    category: str
    severity: str
    action: str
    enforced: bool
    message: str


class EvaluationRedactionsItem(TypedDict):
    type: str
    count: int


class EvaluationMasksItem(TypedDict):
    path: str
    start: int
    end: int
    entity: str
    detector: str
    n: int | None


class EvaluationTextsItem(TypedDict):
    path: str
    text: str


class EvaluationTest(TypedDict):
    """The call as a policy test; null if the request does not contain `as_test`."""

    #: Suggested path in a policies folder.
    path: str
    #: Text of the test file, which contains the call as it was sent.
    yaml: str
    #: Whether the test passes with the policy that judged the call.
    passes: bool
    #: Problems of the test file, and expected fields that differ when the test runs; empty if the test passes.
    missing: list[str]


class Evaluation(TypedDict):
    decision: Literal["allow", "redact", "block", "unavailable"]
    reason: str | None
    violations: list[EvaluationViolationsItem]
    redactions: list[EvaluationRedactionsItem]
    masks: list[EvaluationMasksItem]
    #: The submitted `text` as it would be forwarded. If the call is refused: the text with all findings masked.
    text: str | None
    texts: list[EvaluationTextsItem]
    #: The facts as they would be recorded.
    facts: dict[str, Any]
    #: Required detectors that did not answer.
    missing: list[str]
    rules: list[ExplainedRule]
    #: Digest of the policy: SHA-256, in hex.
    digest: str
    deployment: int | None
    #: CPU time of the evaluation, in milliseconds.
    ms: float
    #: The call as a policy test; null if the request does not contain `as_test`.
    test: EvaluationTest | None


class OpenCheckoutAnswer(TypedDict):
    #: URL of a page of the payment provider, for this account only. It expires after a while.
    url: str


class OpenBillingPortalAnswer(TypedDict):
    #: URL of a page of the payment provider, for this account only. It expires after a while.
    url: str


class Tokens(TypedDict):
    data: list[Token]


class NewToken(TypedDict):
    #: Name shown in lists, logs and events.
    name: str
    scopes: list[Literal["policy:read", "policy:deploy", "policy:rollback", "policy:emergency", "keys:admin", "events:read", "events:mark", "events:erase", "budgets:admin", "account:admin"]]
    #: The only environment that the token may access. Default: all.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Time when the token expires. Default: in 90 days, or when the creating token expires if that is earlier; with
    #: `null`, it never expires. A token that expires can only create tokens that expire by then.
    expires_at: NotRequired[str | None]


class CreatedToken(TypedDict):
    token: Token
    #: The complete credential. It is shown only once and not stored.
    secret: str


class ViewBy(TypedDict):
    """Person or token that saved the view."""

    kind: Literal["person", "token"]
    id: str
    name: str | None


class View(TypedDict):
    id: str
    page: Literal["events"]
    name: str
    query: str
    #: Whether the view is shared with everybody in the account.
    shared: bool
    #: Person or token that saved the view.
    by: ViewBy
    #: RFC 3339, UTC.
    created_at: str


class Views(TypedDict):
    data: list[View]


class NewView(TypedDict):
    page: Literal["events"]
    name: str
    #: Filters as in the page's URL, with the parameter names of the API, such as `decision=block&app=shop`.
    query: str
    #: Whether the view is shared with everybody in the account.
    shared: NotRequired[bool]


class ViewChange(TypedDict):
    name: NotRequired[str]
    #: Filters as in the page's URL, with the parameter names of the API, such as `decision=block&app=shop`.
    query: NotRequired[str]
    #: Whether the view is shared with everybody in the account.
    shared: NotRequired[bool]


class CallRoutesProvidersItem(TypedDict):
    id: str
    style: str
    #: Base URL of the provider in the settings of this service.
    base_url: str


class CallRoutesRoutesItem(TypedDict):
    provider: str
    method: Literal["POST"]
    #: Path of the route without vendor-specific prefixes.
    path: str
    #: Regular expression for the path of a URL, without its query; not case-sensitive.
    pattern: str


class CallRoutes(TypedDict):
    providers: list[CallRoutesProvidersItem]
    routes: list[CallRoutesRoutesItem]
    #: Treatment of calls to routes that are not listed.
    unknown: Literal["judged_as_generic"]


class CallEnd(TypedDict):
    #: Id of the call: the header `x-weir-call` of the answer to its submission.
    call: str
    #: Id of the recorded `ai.response` or `ai.error`.
    event_id: str
    #: Violations of rules by the answer. The actions of these rules can no longer be enforced.
    violations: list[Violation]


class CallEndsAnswersItem200(TypedDict):
    #: Id of the call: the header `x-weir-call` of the answer to its submission.
    call: str
    status: Literal[200]
    #: Id of the recorded `ai.response` or `ai.error`.
    event_id: str
    #: Violations of rules by the answer. The actions of these rules can no longer be enforced.
    violations: list[Violation]


class CallEndsAnswersItem2ErrorDetailsItem(TypedDict):
    path: str
    message: str


class CallEndsAnswersItem2Error(TypedDict):
    type: str
    message: str
    details: NotRequired[list[CallEndsAnswersItem2ErrorDetailsItem]]


class CallEndsAnswersItem2(TypedDict):
    #: Id of the call: the header `x-weir-call` of the answer to its submission.
    call: str
    status: int
    error: CallEndsAnswersItem2Error


class CallEnds(TypedDict):
    #: One result per report, in the order of the reports.
    answers: list[CallEndsAnswersItem200 | CallEndsAnswersItem2]


class ErrorErrorDetailsItem(TypedDict):
    path: str
    message: str


class ErrorError(TypedDict):
    type: Literal["content_policy_violation", "tool_use_blocked", "budget_exceeded", "budget_reserved", "authentication_error", "subscription_inactive", "subscription_lapsed", "email_not_verified", "reauthentication_required", "forbidden", "not_found", "in_progress", "stale_plan", "payload_too_large", "invalid_request", "event_id_conflict", "reserved_event_type", "rate_limit_exceeded", "trial_limit_reached", "internal_error", "upstream_unreachable", "guardrail_unavailable", "overloaded", "unavailable", "upstream_timeout"]
    message: str
    #: Id of the request, as in the logs of the service.
    trace_id: str
    #: One entry per wrong field; the entries never contain submitted values.
    details: NotRequired[list[ErrorErrorDetailsItem]]
    decision: NotRequired[Literal["block"]]
    violations: NotRequired[list[dict[str, Any]]]
    event_id: NotRequired[str]
    #: URL of the explanation of the error type.
    docs: str


class Error(TypedDict):
    error: ErrorError
