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
    subscription: str


class Token(TypedDict):
    #: Public; used in logs.
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
    """The person who has signed in; null for a token."""

    id: str


class AccountServer(TypedDict):
    version: str


class Account(TypedDict):
    account: AccountAccount
    #: Null for a session.
    token: Token | None
    #: The person who has signed in; null for a token.
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
    #: The days or the events of the trial are used up: calls are answered with 429 `trial_limit_reached`.
    over: bool


class Subscription(TypedDict):
    #: Current state of the account.
    state: Literal["trialing", "active", "inactive", "lapsed"]
    #: `off`: no subscription is needed.
    billing: Literal["on", "off"]
    #: The trial; null if the account is not in a trial.
    trial: SubscriptionTrial | None
    #: End of the paid period, if known.
    period_ends_at: str | None
    changed_at: str


class MeRetentionItemHoldsItem(TypedDict):
    id: str
    because: str
    until: str


class MeRetentionItem(TypedDict):
    environment: Literal["development", "staging", "production"]
    #: Retention of the texts of calls; null: as long as the records.
    content_days: int | None
    #: Retention of the rest of an event; null: forever.
    records_days: int | None
    #: Active legal holds, which extend the retention of matching calls.
    holds: list[MeRetentionItemHoldsItem]
    #: Events kept only by legal holds.
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
    #: Features of this version that the first version did not have.
    features: list[str]


class Me(TypedDict):
    #: The person who has signed in; null for a management token.
    person: MePerson | None
    #: The management token of the request; null for a session.
    token: MeToken | None
    account: MeAccount
    #: The person's role in the account; null for a token.
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
    #: Names and figures for the text of the entry; the keys depend on `kind`.
    text_args: dict[str, str | float | None]
    #: Number of events or calls concerned.
    count: int | None
    #: RFC 3339, UTC.
    since: str | None
    #: Path of the dashboard page about the entry.
    link: str | None


class Attention(TypedDict):
    #: RFC 3339, UTC.
    checked_at: str
    #: The entries that the caller may see, the most severe first. Entries on keys need the scope `keys:admin`,
    #: entries on policies `policy:read`.
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
    """Maximum number of calls in any period of the given seconds."""

    count: int
    seconds: int


class AppDetailLimitsProxy(TypedDict):
    """Maximum number of calls in any period of the given seconds."""

    count: int
    seconds: int


class AppDetailLimits(TypedDict):
    """The limits of the app; null: only the limits of the operator apply."""

    #: Maximum number of calls in any period of the given seconds.
    events: AppDetailLimitsEvents | None
    #: Maximum number of calls in any period of the given seconds.
    proxy: AppDetailLimitsProxy | None


class AppDetailUsageEvents(TypedDict):
    """Null: there is no limit."""

    #: The active limit.
    count: int
    seconds: int
    #: Calls that count towards the limit now.
    used: int


class AppDetailUsageProxy(TypedDict):
    """Null: there is no limit."""

    #: The active limit.
    count: int
    seconds: int
    #: Calls that count towards the limit now.
    used: int


class AppDetailUsageCalls(TypedDict):
    """Limit of calls judged through `/v1/calls`; null: there is no limit."""

    #: The active limit.
    count: int
    seconds: int
    #: Calls that count towards the limit now.
    used: int


class AppDetailUsage(TypedDict):
    #: Null: there is no limit.
    events: AppDetailUsageEvents | None
    #: Null: there is no limit.
    proxy: AppDetailUsageProxy | None
    #: Limit of calls judged through `/v1/calls`; null: there is no limit.
    calls: AppDetailUsageCalls | None
    #: `this_replica`: without Redis, each replica counts and limits separately.
    counted_by: Literal["all_replicas", "this_replica"]


class AppDetail(TypedDict):
    id: str
    name: str
    #: RFC 3339, UTC.
    created_at: str
    #: The limits of the app; null: only the limits of the operator apply.
    limits: AppDetailLimits | None
    usage: AppDetailUsage
    #: Calls of the last 24 hours, to the hour; null without the scope `events:read`.
    calls_24h: int | None
    #: Null: there is no event, or the scope `events:read` is missing.
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
    #: null: only the limits of the operator apply.
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
    #: Calls of the last ten minutes that were refused before they were recorded; the most frequent first.
    refused: list[AppReceptionRefusedItem]


class AuditEntryActor(TypedDict):
    kind: Literal["person", "token", "operator", "system"]
    #: A person's id, or a management token's public id.
    id: str | None
    #: The person's address or the token's name; null where there is none.
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
        #: Current name of the app, key, token or person, or its last name if it no longer exists; null for other
        #: objects.
        "subject_name": "str | None",
        #: Names, environments, dates; never a secret.
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
    #: Id of this window and scope; null before its first call.
    period_id: str | None
    #: Scope of the budget; metadata masked as in events. null: calls without this value.
    scope: dict[str, str | None]
    window: BudgetStateWindow
    on_exceed: Literal["record", "block"]
    unit: Literal["usd", "tokens"]
    #: Decimal text: dollars, exact to the nano-dollar, or tokens.
    limit: str
    #: Decimal text: dollars, exact to the nano-dollar, or tokens.
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
    #: Only with the parameter `event`: the amount of the given events in the window.
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
    """Null for windows that have ended or have no end, and before four steps are complete."""

    #: Amount used at the end of the window, at the average rate so far.
    at_end: str
    #: Lower bound of the 80 % interval.
    low: str
    #: Upper bound of the 80 % interval.
    high: str
    #: `mean_of_steps_80`: computed from the mean and the variance of the completed steps.
    method: str
    #: Time at which the limit is reached at the average rate so far; null if that is after the end of the window.
    reaches_limit_at: str | None


class BudgetSeries(TypedDict):
    #: Seconds between two points. The last point, which is now or the end of the window, may be closer.
    step_seconds: float
    points: list[BudgetSeriesPointsItem]
    #: Null for windows that have ended or have no end, and before four steps are complete.
    forecast: BudgetSeriesForecast | None


class BudgetEntriesDataItemBy(TypedDict):
    """Author of the adjustment."""

    kind: str
    id: str | None
    name: str | None


class BudgetEntriesDataItem(TypedDict):
    #: RFC 3339, UTC.
    at: str
    #: reservation: currently reserved; release: was reserved and not spent; estimate: counted without a reported
    #: end.
    kind: Literal["charge", "reservation", "release", "estimate", "adjustment"]
    #: Decimal text: dollars, exact to the nano-dollar, or tokens.
    amount: str
    #: Id of the event that was charged.
    event_id: str | None
    #: Reason for the adjustment.
    because: str | None
    #: Author of the adjustment.
    by: BudgetEntriesDataItemBy | None


class BudgetEntries(TypedDict):
    data: list[BudgetEntriesDataItem]
    next_cursor: str | None


class BudgetAdjustment(TypedDict):
    #: The window of a scope, as in the list of budgets.
    period_id: str
    #: Amount to add to the used amount, in the budget's unit; a negative one is subtracted.
    amount: str
    #: Reason for the adjustment; kept with the entry and in the admin audit log.
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
    #: The sum of the entries in the ledger.
    ledger: str
    #: The sum of the costs of the events.
    events: str
    #: Estimated amount of calls without a reported end.
    estimated: str
    #: Manual corrections.
    adjusted: str
    #: Amount reserved according to the budget.
    reserved: str
    #: The sum of the amounts that the entries reserve.
    held: str
    #: Entries whose event is not in the log.
    missing_events: int
    #: True if usage = ledger = events + estimated + adjusted, and reserved = held.
    exact: bool


class BudgetAudit(TypedDict):
    exact: bool
    #: Events that report the end of a call that is still open in the ledger.
    unsettled_events: int
    data: list[BudgetAuditDataItem]


class Message(TypedDict):
    #: Role of the speaker, as the provider names it.
    role: NotRequired[str | None]
    #: A string, or the provider's list of parts. Required, except on `assistant` messages.
    content: NotRequired[str | list[dict[str, Any]] | None]


class AiRequestPayload(TypedDict):
    #: The conversation. The provider's own body is also accepted: fields that are not listed here are read as well.
    messages: NotRequired[list[Message] | None]
    #: The prompt of a completion, or a list of prompts.
    prompt: NotRequired[str | list[str | float | list[float]] | None]
    #: Tools declared to the model.
    tools: NotRequired[list[dict[str, Any]] | None]
    #: Maximum number of tokens in the answer.
    max_tokens: NotRequired[int | None]
    #: Request for judging without enforcement. Ignored, and answered with `x-weir-monitor-mode: ignored`, unless
    #: the policy sets `client_monitor_mode: honor`.
    monitor_mode: NotRequired[bool | None]


class AiRequestEvent(TypedDict):
    #: Idempotency key. The service generates one when it is absent.
    event_id: NotRequired[str | None]
    #: Recorded as declared; the key alone decides the effective environment. Default `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …); shown in the dashboard and usable in rules.
    metadata: NotRequired[dict[str, Any] | None]
    #: A call before it is sent to its provider. It is judged.
    type: Literal["ai.request"]
    #: Id shared by the request, response and error of one provider call.
    request_id: str
    #: Content of the event. Unknown keys are kept.
    payload: NotRequired[AiRequestPayload | None]


class Usage(TypedDict):
    #: All input tokens, cached ones included.
    prompt_tokens: NotRequired[int | None]
    #: All output tokens.
    completion_tokens: NotRequired[int | None]
    #: Input tokens read from a cache.
    cache_read_tokens: NotRequired[int | None]
    #: Input tokens written to a cache.
    cache_write_tokens: NotRequired[int | None]
    #: The part of `cache_write_tokens` that is cached for an hour.
    cache_write_1h_tokens: NotRequired[int | None]
    #: Output tokens spent on reasoning.
    reasoning_tokens: NotRequired[int | None]


class AiResponsePayload(TypedDict):
    #: The answer: a string, the provider's content parts with tool calls, or its complete response body.
    output: NotRequired[str | list[dict[str, Any]] | dict[str, Any] | None]
    #: Tokens as the provider counted them.
    usage: NotRequired[Usage | None]
    #: Cost of the call in US dollars; rounded half-even to nano-dollars.
    cost_usd: NotRequired[float | None]


class AiResponseEvent(TypedDict):
    #: Idempotency key. The service generates one when it is absent.
    event_id: NotRequired[str | None]
    #: Recorded as declared; the key alone decides the effective environment. Default `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …); shown in the dashboard and usable in rules.
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
    #: The error; a string is its message.
    error: NotRequired[str | ProviderError | None]
    #: Milliseconds until the call failed.
    latency_ms: NotRequired[float | None]


class AiErrorEvent(TypedDict):
    #: Idempotency key. The service generates one when it is absent.
    event_id: NotRequired[str | None]
    #: Recorded as declared; the key alone decides the effective environment. Default `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …); shown in the dashboard and usable in rules.
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
    #: Arguments of the tool: an object, or a string that contains it as JSON.
    arguments: NotRequired[dict[str, Any] | str | None]
    #: The provider's id of the call.
    call_id: NotRequired[str | None]
    #: Id shared by the calls of one agent session.
    session_id: NotRequired[str | None]
    #: Result of the tool, if the event is sent after its run.
    result: NotRequired[str | float | bool | dict[str, Any] | list[Any] | None]
    #: Request for judging without enforcement, as in `ai.request`.
    monitor_mode: NotRequired[bool | None]


class ToolCallEvent(TypedDict):
    #: Idempotency key. The service generates one when it is absent.
    event_id: NotRequired[str | None]
    #: Recorded as declared; the key alone decides the effective environment. Default `production`.
    environment: NotRequired[Literal["development", "staging", "production"] | None]
    #: Provider, in lower case.
    provider: NotRequired[str | None]
    #: Model name.
    model: NotRequired[str | None]
    #: Any key/value pairs (user, session, feature, …); shown in the dashboard and usable in rules.
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
    #: The rule's canned answer (`then.answer`) was returned in place of an error, or, over the REST API, together
    #: with it.
    answered: NotRequired[Literal[True]]
    detector: NotRequired[str]
    locations: NotRequired[list[str]]
    count: NotRequired[float]


class SubmitEventAnswer1RedactionsItem(TypedDict):
    type: str
    count: int


class SubmitEventAnswer1(TypedDict):
    """Answer to `ai.request`."""

    #: The client's id, or the service's id if the client sent none.
    event_id: str
    decision: Literal["allow", "redact"]
    violations: list[Violation]
    redactions: list[SubmitEventAnswer1RedactionsItem]
    #: With `redact`: the payload, ready to send.
    payload: NotRequired[dict[str, Any]]


class SubmitEventAnswerRecorded(TypedDict):
    """Answer to `ai.response`."""

    #: The client's id, or the service's id if the client sent none.
    event_id: str
    status: Literal["recorded"]
    violations: list[Violation]


class SubmitEventAnswer3(TypedDict):
    """Answer to `ai.error` and `agent.tool_call`."""

    #: The client's id, or the service's id if the client sent none.
    event_id: str


class BatchAnswersAnswersItem(TypedDict):
    #: The status with which the event alone would have been answered.
    status: int
    #: Seconds to wait before a retry, as in the header `Retry-After`.
    retry_after: NotRequired[int]
    #: The event was submitted before; this is the answer to the first submission.
    replayed: NotRequired[Literal[True]]
    #: The policy ignores `monitor_mode` of clients.
    monitor_mode: NotRequired[Literal["ignored"]]
    #: The answer of `POST /v1/events`.
    body: dict[str, Any]


class BatchAnswers(TypedDict):
    #: One for each event, in the order of the batch.
    answers: list[BatchAnswersAnswersItem]


class EventApp(TypedDict):
    id: str
    name: str | None


class Mask(TypedDict):
    #: Path of the text in `payload`; may lead into JSON in a string. `$`: the whole payload.
    path: str
    #: Start in the stored text, in UTF-16 units.
    start: int
    end: int
    #: Code of the finding, such as `EMAIL`; `UNSCANNED` or `WITHHELD` for a whole text.
    entity: str
    #: Null if a whole text is masked because it could not be scanned.
    detector: str | None
    #: Rule with the strongest action on this place; null if the place was masked only for the log.
    rule: str | None
    #: A number that is equal for equal values of one entity in one call; null if the values could not be compared.
    n: int | None


class EventExceptedItem(TypedDict):
    rule: str
    exception: str
    #: The prevented action; null if the action would not have been enforced even without the exception.
    kept: Literal["redact", "block"] | None


class EventRedactionsItem(TypedDict):
    type: str
    count: float


class EventUnreadItem(TypedDict):
    #: Position, such as `messages[0].content[1].file.file_data` or `parts[0]`.
    path: str
    why: Literal["binary", "document", "archive", "ambiguous", "encrypted", "malformed", "limit", "outage"]
    bytes: float


class EventUsageOther(TypedDict):
    """Billed items other than plain tokens. The cost is null if the price of one of them is unknown."""

    service_tier: NotRequired[Literal["batch", "flex", "priority", "scale", "other"]]
    audio_input_tokens: NotRequired[float]
    audio_output_tokens: NotRequired[float]
    web_searches: NotRequired[float]
    file_searches: NotRequired[float]
    #: True if the answer shows billed work, but not its fee.
    unknown_fees: NotRequired[Literal[True]]


class EventUsage(TypedDict):
    prompt_tokens: float | None
    completion_tokens: float | None
    cache_read_tokens: float | None
    cache_write_tokens: float | None
    #: The part of `cache_write_tokens` that is cached for an hour.
    cache_write_1h_tokens: float | None
    reasoning_tokens: float | None
    #: Billed items other than plain tokens. The cost is null if the price of one of them is unknown.
    other: EventUsageOther | None
    #: Estimated by Weir because the provider reported no counts.
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
    """The last author of the mark: a person with an address, or a management token with its name; null when it no
    longer exists."""

    kind: Literal["person", "token"]
    id: str
    name: str | None


class Mark(TypedDict):
    #: The event in which the rule fired; with `missed`, the event that was marked.
    event: str
    #: The event that the call began with. A call has one mark for each rule.
    call: str
    rule: str
    #: `right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but
    #: should have.
    mark: Literal["right", "wrong", "missed"]
    note: str | None
    environment: Literal["development", "staging", "production"]
    app: MarkApp
    #: The last author of the mark: a person with an address, or a management token with its name; null when it no
    #: longer exists.
    by: MarkBy
    #: RFC 3339, UTC.
    at: str


class Event(TypedDict):
    #: The service's id, a UUIDv7.
    id: str
    #: The client's id, or the same as `id` if the client sent none.
    event_id: str
    type: Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]
    app: EventApp
    key_id: str
    #: The effective environment, which is that of the key.
    environment: Literal["development", "staging", "production"]
    declared_environment: Literal["development", "staging", "production"]
    source: Literal["rest", "proxy", "calls"]
    request_id: str | None
    #: The event that caused this one.
    parent_id: str | None
    session_id: str | None
    provider: str | None
    model: str | None
    metadata: dict[str, Any] | None
    #: Stored payload; see `capture`.
    payload: Any
    capture: Literal["redacted", "full", "none"]
    #: Masked places in the payload. Null if they are unknown: no text is stored, or an earlier version stored the
    #: event.
    masks: list[Mask] | None
    #: Number of masked places not in `masks`: places beyond the first 1,000, or without a path.
    masks_left_out: int
    #: A line of the stored text, at most 160 characters; null if no text is stored.
    excerpt: str | None
    decision: Literal["allow", "redact", "block"] | None
    #: A block's reason, or an error's type.
    reason: str | None
    #: Outcome in one word; null for events that report on another event.
    outcome: Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"] | None
    violations: list[Violation]
    #: Rules that matched and were weakened by an exception of the policy.
    excepted: list[EventExceptedItem]
    redactions: list[EventRedactionsItem]
    #: Parts of the call that could be neither recognised nor read; see `unread` in the policy.
    unread: list[EventUnreadItem]
    usage: EventUsage | None
    #: Integer nano-dollars as text: exact at any size.
    cost_nano_usd: str | None
    price_version: str | None
    latency_ms: EventLatencyMs
    policy: EventPolicy | None
    detectors: list[EventDetectorsItem]
    #: The facts that rules could read; they never contain matched text.
    facts: dict[str, Any] | None
    upstream_status: float | None
    #: RFC 3339, UTC, milliseconds.
    received_at: str
    #: Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the
    #: answer. Null without a request.
    trace_id: str | None
    #: Marks of the event or its call; in lists and for one event.
    marks: NotRequired[list[Mark]]


class EventSummaryApp(TypedDict):
    id: str
    name: str | None


class EventSummaryExceptedItem(TypedDict):
    rule: str
    exception: str
    #: The prevented action; null if the action would not have been enforced even without the exception.
    kept: Literal["redact", "block"] | None


class EventSummaryRedactionsItem(TypedDict):
    type: str
    count: float


class EventSummaryUsageOther(TypedDict):
    """Billed items other than plain tokens. The cost is null if the price of one of them is unknown."""

    service_tier: NotRequired[Literal["batch", "flex", "priority", "scale", "other"]]
    audio_input_tokens: NotRequired[float]
    audio_output_tokens: NotRequired[float]
    web_searches: NotRequired[float]
    file_searches: NotRequired[float]
    #: True if the answer shows billed work, but not its fee.
    unknown_fees: NotRequired[Literal[True]]


class EventSummaryUsage(TypedDict):
    prompt_tokens: float | None
    completion_tokens: float | None
    cache_read_tokens: float | None
    cache_write_tokens: float | None
    #: The part of `cache_write_tokens` that is cached for an hour.
    cache_write_1h_tokens: float | None
    reasoning_tokens: float | None
    #: Billed items other than plain tokens. The cost is null if the price of one of them is unknown.
    other: EventSummaryUsageOther | None
    #: Estimated by Weir because the provider reported no counts.
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
    #: The service's id, a UUIDv7.
    id: str
    #: The client's id, or the same as `id` if the client sent none.
    event_id: str
    type: Literal["ai.request", "ai.response", "ai.error", "agent.tool_call", "policy.violation", "budget.exceeded"]
    app: EventSummaryApp
    key_id: str
    #: The effective environment, which is that of the key.
    environment: Literal["development", "staging", "production"]
    declared_environment: Literal["development", "staging", "production"]
    source: Literal["rest", "proxy", "calls"]
    request_id: str | None
    #: The event that caused this one.
    parent_id: str | None
    session_id: str | None
    provider: str | None
    model: str | None
    metadata: dict[str, Any] | None
    capture: Literal["redacted", "full", "none"]
    #: A line of the stored text, at most 160 characters; null if no text is stored.
    excerpt: str | None
    decision: Literal["allow", "redact", "block"] | None
    #: A block's reason, or an error's type.
    reason: str | None
    #: Outcome in one word; null for events that report on another event.
    outcome: Literal["allowed", "flagged", "would_block", "redacted", "error", "unavailable", "blocked"] | None
    violations: list[Violation]
    #: Rules that matched and were weakened by an exception of the policy.
    excepted: list[EventSummaryExceptedItem]
    redactions: list[EventSummaryRedactionsItem]
    usage: EventSummaryUsage | None
    #: Integer nano-dollars as text: exact at any size.
    cost_nano_usd: str | None
    price_version: str | None
    latency_ms: EventSummaryLatencyMs
    policy: EventSummaryPolicy | None
    upstream_status: float | None
    #: RFC 3339, UTC, milliseconds.
    received_at: str
    #: Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the
    #: answer. Null without a request.
    trace_id: str | None
    #: Marks of the event or its call; in lists and for one event.
    marks: NotRequired[list[Mark]]


class EventPage(TypedDict):
    #: The events; with `fields=summary`, their summaries.
    data: list[Event | EventSummary]
    #: Null on the last page. A page that ends early may be empty and still have a cursor.
    next_cursor: str | None
    #: RFC 3339 time where the search stopped because it would have taken too long. Null if the search is complete.
    searched_to: str | None


class EventCount(TypedDict):
    count: int
    #: True if there are, or may be, more matching events.
    capped: bool
    #: RFC 3339 time where the search stopped because it would have taken too long. Null if the search is complete.
    searched_to: str | None


class EventFacetsDataValueItem(TypedDict):
    value: str
    #: An app's name.
    label: str | None
    count: int


class EventFacets(TypedDict):
    #: True when only the newest matching events were counted.
    sampled: bool
    #: Number of events that were counted.
    of: int
    #: RFC 3339 time where the search stopped because it would have taken too long. Null if the search is complete.
    searched_to: str | None
    data: dict[str, list[EventFacetsDataValueItem]]


class ExplainedRuleConditionsItem(TypedDict):
    #: Line number, from 1.
    line: int | None
    text: str
    #: Result of the condition; null: unknown.
    result: bool | None
    fact: str | None
    #: Value of the fact; for texts, only type and size. Null: the fact was absent.
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
    #: Whether the decision is reproduced; null: unknown.
    reproduced: bool | None
    #: Differences from the recorded decision.
    differs: list[str]
    #: Reasons why `reproduced` is unknown: facts that were not stored, or an unavailable policy.
    missing: list[str]
    #: The decision; null: no rule judged the event.
    decision: Literal["allow", "redact", "block", "unavailable"] | None
    deciding_rule: str | None
    #: Digest of the policy that decided.
    digest: str | None
    #: Deployment with that policy; null: it was in the policies folder, or not found.
    deployment: int | None
    #: The rules; those that fired come first.
    rules: list[ExplainedRule]


class CapturedTest(TypedDict):
    #: Suggested path in a policies folder.
    path: str
    #: A test file. It contains the structure of the call, and no user-written text.
    yaml: str
    #: Whether it passes with the policy that made the decision.
    passes: bool
    #: Fields that are not reproduced, because their input was not kept.
    missing: list[str]


class NewMark(TypedDict):
    #: `right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but
    #: should have.
    mark: Literal["right", "wrong", "missed"]
    #: Reason for the mark. Personal data and credentials in it are masked before it is stored.
    note: NotRequired[str | None]


class MarkPage(TypedDict):
    data: list[Mark]
    #: Null on the last page.
    next_cursor: str | None


class CallSessionApp(TypedDict):
    id: str
    name: str | None


class CallSessionOutcomes(TypedDict):
    """Outcomes of the calls."""

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
    #: Number of tool calls among these.
    tool_calls: int
    #: Outcomes of the calls.
    outcomes: CallSessionOutcomes
    #: The models, at most 20.
    models: list[str]
    #: Tokens of prompts and completions; a sum above 2^53 is rounded.
    tokens: float
    #: Integer nano-dollars as text; calls without a price are not included.
    cost_nano_usd: str


class CallSessions(TypedDict):
    data: list[CallSession]
    #: Null on the last page.
    next_cursor: str | None


class StatsGroupWeirMs(TypedDict):
    """Weir's own processing time; present when grouped by environment or app."""

    p50: list[float | None]
    p95: list[float | None]
    p99: list[float | None]


class StatsGroupPrevious(TypedDict):
    """Totals of the previous period of equal length. Absent when grouped by outcome: see `previous` of the
    answer."""

    calls: int
    #: Absent when grouped by rule.
    cost_nano_usd: NotRequired[str]


class StatsGroup(TypedDict):
    #: An outcome, environment, model, rule, or the id of an app or key; `other` for all other groups.
    key: str
    label: str
    #: Number of calls; for a rule, of its hits.
    calls: NotRequired[list[int]]
    #: Calls that a rule refused. Absent when grouped by outcome or rule.
    blocked: NotRequired[list[int]]
    #: Absent when grouped by outcome or rule.
    cost_nano_usd: NotRequired[list[str]]
    #: Absent when grouped by outcome or rule.
    tokens: NotRequired[list[float]]
    #: Weir's own processing time; present when grouped by environment or app.
    weir_ms: NotRequired[StatsGroupWeirMs]
    #: Totals of the previous period of equal length. Absent when grouped by outcome: see `previous` of the answer.
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
    #: Integer nano-dollars as text.
    cost_nano_usd: str
    prompt_tokens: float
    completion_tokens: float
    weir_ms: StatsTotalsWeirMs


class StatsDeploymentsItemBy(TypedDict):
    """Author of the deployment; null for the service itself, and without `policy:read`."""

    kind: Literal["person", "token"]
    name: str | None


class StatsDeploymentsItem(TypedDict):
    environment: Literal["development", "staging", "production"]
    number: int
    at: str
    #: Author of the deployment; null for the service itself, and without `policy:read`.
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
        #: Calls that began after this time may be incomplete.
        "complete_until": "str",
        #: Start of each bucket.
        "buckets": "list[str]",
        "groups": "list[StatsGroup]",
        "totals": "StatsTotals",
        #: Totals of the previous period of equal length.
        "previous": "StatsTotals",
        "deployments": "list[StatsDeploymentsItem]",
    },
)


class ErasureLookedForItem(TypedDict):
    kind: Literal["metadata", "session", "token"]
    #: Path of the metadata value.
    path: str | None
    #: HMAC-SHA-256 of the term with the account's key, because the value itself is not stored.
    fingerprint: str


class ErasureCounts(TypedDict):
    """Number of findings in each place; a dry run only counts them."""

    #: Events that were emptied: rows stay, with time, app, model, decision, tokens and cost.
    events: int
    #: Events among these with a body.
    bodies: int
    #: Events among these with metadata.
    metadata: int
    #: Answers that were stored for retries with the same `event_id`, deleted.
    remembered_answers: int
    #: Totals of sessions whose id was replaced.
    sessions: int
    #: Session states of rules, deleted.
    session_states: int
    #: Notes on decisions, deleted; the marks stay.
    mark_notes: int
    #: Reservations of budgets whose client's request id was deleted; amounts stay.
    reservations: int
    #: Windows of budgets whose label named the person; amounts stay.
    budget_labels: int
    #: Reasons of adjustments that named the person, replaced.
    budget_reasons: int
    #: Export files that may contain data of the person, deleted.
    export_files: int
    #: Exports that were being written, cancelled.
    exports_cancelled: int
    #: Exports and schedules whose filters named the person; schedules are paused.
    export_filters: int
    #: Saved views whose filters named the person, deleted.
    views: int
    #: Rewritten parts of the archive.
    archive_parts: int
    #: Matching events that stay unchanged because a legal hold covers their calls.
    held: int


class ErasureRemains(TypedDict):
    """Remaining copies after the erasure has ended; null before its end, and for a dry run."""

    #: Whether old versions of rows were removed from the files of the database.
    vacuumed: bool
    #: Export files in buckets that may contain data of the person; the owner of the bucket has to delete them.
    bucket_files: int
    #: Entries of the append-only admin audit log that name the person in reasons or names.
    audit_entries: int
    #: Backups and write-ahead logs from before this time contain the erased data until they are deleted.
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
    #: Remaining copies after the erasure has ended; null before its end, and for a dry run.
    remains: ErasureRemains | None
    #: Position of the write-ahead log at the end of the erasure.
    database_position: str | None
    by: ErasureBy
    created_at: str
    ended_at: str | None


class Erasures(TypedDict):
    data: list[Erasure]


class NewErasureValue(TypedDict):
    """A value whose token is searched for, with its finding code, such as `EMAIL`."""

    type: str
    text: str


class NewErasure(TypedDict):
    #: Values by dotted path, such as `"user.id": "42"`.
    metadata: NotRequired[dict[str, str]]
    #: Id of a session, as the client sent it.
    session: NotRequired[str]
    #: The token by which redaction with `tokens: stable` replaced a value.
    token: NotRequired[str]
    #: A value whose token is searched for, with its finding code, such as `EMAIL`.
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
    #: The last four characters of the id of the access key.
    access_key_ends: str


class ExportBy(TypedDict):
    kind: str
    id: str | None
    name: str | None


class ExportSchedule(TypedDict):
    """The schedule that started the export."""

    id: str
    #: Due time; the file contains events received before this time.
    due_at: str
    #: Number of matching events of the same period that were stored after the file was written; null: not counted.
    late_rows: int | None


class Export(TypedDict):
    id: str
    state: Literal["queued", "running", "paused", "done", "failed", "cancelled"]
    format: Literal["jsonl", "csv", "parquet"]
    filters: dict[str, str]
    columns: list[str] | None
    bom: bool
    destination: ExportDestinationDownload | ExportDestinationS3
    #: The only environment that the requester may see; null: all.
    environment: Literal["development", "staging", "production"] | None
    #: Number of events in the file so far.
    rows: int
    #: Expected number of rows; null until they are counted, and always null if a filter searches free text.
    rows_expected: int | None
    bytes: int
    #: SHA-256 of the complete file.
    sha256: str | None
    #: Progress of the export.
    cursor: str | None
    #: Human-readable reason for the failure.
    error: str | None
    by: ExportBy
    created_at: str
    ended_at: str | None
    #: Time when the file is deleted.
    expires_at: str | None
    #: Whether `GET /v1/exports/{id}/file` returns the file.
    has_file: bool
    #: The schedule that started the export.
    schedule: ExportSchedule | None


class Exports(TypedDict):
    data: list[Export]


class NewExportDestinationDownload(TypedDict):
    """The file is stored by the service for a while."""

    kind: Literal["download"]


class NewExportDestinationS3Credentials(TypedDict):
    """Stored encrypted until the export has ended or the schedule is deleted; never shown again."""

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
    #: An S3-compatible service; absent: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Stored encrypted until the export has ended or the schedule is deleted; never shown again.
    credentials: NewExportDestinationS3Credentials


class NewExport(TypedDict):
    format: Literal["jsonl", "csv", "parquet"]
    #: Filters as in the query string of `GET /v1/events`; events must match all of them.
    filters: NotRequired[dict[str, str]]
    #: Columns of CSV and Parquet, in this order; all of them when absent.
    columns: NotRequired[list[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]]]
    #: Begin CSV with a byte order mark, so that Excel reads it as UTF-8.
    bom: NotRequired[bool]
    #: `download` when absent.
    destination: NotRequired[NewExportDestinationDownload | NewExportDestinationS3]


class ExportChange(TypedDict):
    #: Whether the export is paused.
    paused: bool


class TriedBucketCredentials(TypedDict):
    """Stored encrypted until the export has ended or the schedule is deleted; never shown again."""

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
    #: An S3-compatible service; absent: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Stored encrypted until the export has ended or the schedule is deleted; never shown again.
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
    """The file is stored by the service for a while."""

    kind: Literal["download"]


class NewExportScheduleDestinationS3Credentials(TypedDict):
    """Stored encrypted until the export has ended or the schedule is deleted; never shown again."""

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
    #: An S3-compatible service; absent: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Stored encrypted until the export has ended or the schedule is deleted; never shown again.
    credentials: NewExportScheduleDestinationS3Credentials


class NewExportSchedule(TypedDict):
    name: str
    #: Time when the schedule is due.
    due: NewExportScheduleDueDay | NewExportScheduleDueWeek | NewExportScheduleDueMonth
    format: Literal["jsonl", "csv", "parquet"]
    #: Filters of the query string of `GET /v1/events`, without `from` and `to`: each file begins where the previous
    #: one ends.
    filters: NotRequired[dict[str, str]]
    #: Columns of CSV and Parquet, in this order; all of them when absent.
    columns: NotRequired[list[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]]]
    #: Begin CSV with a byte order mark, so that Excel reads it as UTF-8.
    bom: NotRequired[bool]
    #: `download` when absent.
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
    """The file is stored by the service for a while."""

    kind: Literal["download"]


class ExportScheduleChangeDestinationS3Credentials(TypedDict):
    """Stored encrypted until the export has ended or the schedule is deleted; never shown again."""

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
    #: An S3-compatible service; absent: Amazon S3 in the region.
    endpoint: NotRequired[str]
    #: Stored encrypted until the export has ended or the schedule is deleted; never shown again.
    credentials: ExportScheduleChangeDestinationS3Credentials


class ExportScheduleChange(TypedDict):
    name: NotRequired[str]
    #: Events received while the schedule is paused are in the first file after the pause.
    paused: NotRequired[bool]
    #: Time when the schedule is due.
    due: NotRequired[ExportScheduleChangeDueDay | ExportScheduleChangeDueWeek | ExportScheduleChangeDueMonth]
    format: NotRequired[Literal["jsonl", "csv", "parquet"]]
    #: Filters of the query string of `GET /v1/events`, without `from` and `to`: each file begins where the previous
    #: one ends.
    filters: NotRequired[dict[str, str]]
    #: Columns of the file; null: all columns.
    columns: NotRequired[list[Literal["id", "received_at", "type", "event_id", "app_id", "app_name", "key_id", "environment", "declared_environment", "source", "request_id", "parent_id", "session_id", "provider", "model", "decision", "reason", "rules", "prompt_tokens", "completion_tokens", "cost_nano_usd", "latency_total_ms", "latency_provider_ms", "latency_weir_ms", "policy_id", "policy_version", "upstream_status", "trace_id", "metadata", "violations", "redactions", "payload"]] | None]
    #: Begin CSV with a byte order mark, so that Excel reads it as UTF-8.
    bom: NotRequired[bool]
    #: The complete destination, including credentials.
    destination: NotRequired[ExportScheduleChangeDestinationDownload | ExportScheduleChangeDestinationS3]


class KeyApp(TypedDict):
    id: str
    name: str


class KeyCreatedBy(TypedDict):
    """Person or token that created the key or rotated its predecessor; null if the audit log does not contain that
    action."""

    kind: Literal["person", "token", "operator", "system"]
    id: str | None
    #: E-mail address of a person, name of a token.
    name: str | None


class Key(TypedDict):
    #: Public; used in logs and events.
    id: str
    app: KeyApp
    name: str
    environment: Literal["development", "staging", "production"]
    #: RFC 3339, UTC.
    created_at: str
    #: Person or token that created the key or rotated its predecessor; null if the audit log does not contain that
    #: action.
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
    #: Decides the effective environment of every call with the key.
    environment: Literal["development", "staging", "production"]
    #: Time when the key stops working. Default: it works until it is deleted.
    expires_at: NotRequired[str | None]


class CreatedKey(TypedDict):
    key: Key
    #: The whole credential. It is shown only once and not stored.
    secret: str


class Rotation(TypedDict):
    #: Time for which the old key stays valid. Default: until the old key is deleted.
    delete_old_after_seconds: NotRequired[int | None]


class RotatedKey(TypedDict):
    key: Key
    #: The whole credential. It is shown only once and not stored.
    secret: str
    old: Key


class ActivePolicyBase(TypedDict):
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class ActivePolicyDeploymentBase(TypedDict):
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class ActivePolicyDeploymentSource(TypedDict):
    commit: str | None
    clean: bool


class ActivePolicyDeployment(TypedDict):
    """One entry of the history."""

    number: int
    environment: Literal["development", "staging", "production"]
    action: Literal["deploy", "promote", "rollback", "emergency"]
    #: True for a change that was made on the server.
    emergency: bool
    #: Digest of the policy; null if the policies folder applies again.
    digest: str | None
    #: The first twelve characters of the digest.
    version: str | None
    bundle_digest: str | None
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: ActivePolicyDeploymentBase
    #: For a rollback: the reactivated deployment; 0 for the folder.
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
    #: The management token that made the deployment; null for a person.
    token_id: str | None
    #: The person who made the deployment; null for a token.
    person_id: str | None
    #: The person's e-mail address, or the name of the token; null if the person or token no longer exists.
    by_name: str | None
    #: RFC 3339, UTC.
    created_at: str


class ActivePolicyReplicasItem(TypedDict):
    id: str
    name: str
    #: Version of the software.
    version: str
    #: failed: the replica cannot activate the newest deployment, and an earlier policy stays active.
    state: Literal["active", "pending", "failed", "lost"]
    #: Deployment that judges calls on this replica; null for the policies folder.
    deployment: int | None
    #: Digest of the active policy on this replica; null if calls are refused.
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
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: ActivePolicyBase
    #: One entry of the history.
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
    #: The account that the bundle was signed for; absent in signatures of earlier versions.
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
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class DeploymentsDataItemSource(TypedDict):
    commit: str | None
    clean: bool


class DeploymentsDataItem(TypedDict):
    """One entry of the history."""

    number: int
    environment: Literal["development", "staging", "production"]
    action: Literal["deploy", "promote", "rollback", "emergency"]
    #: True for a change that was made on the server.
    emergency: bool
    #: Digest of the policy; null if the policies folder applies again.
    digest: str | None
    #: The first twelve characters of the digest.
    version: str | None
    bundle_digest: str | None
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: DeploymentsDataItemBase
    #: For a rollback: the reactivated deployment; 0 for the folder.
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
    #: The management token that made the deployment; null for a person.
    token_id: str | None
    #: The person who made the deployment; null for a token.
    person_id: str | None
    #: The person's e-mail address, or the name of the token; null if the person or token no longer exists.
    by_name: str | None
    #: RFC 3339, UTC.
    created_at: str


class Deployments(TypedDict):
    data: list[DeploymentsDataItem]
    #: Pass it as `before` for the next page.
    next_before: int | None


class DeployPolicyBodyBase(TypedDict):
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class DeployPolicyBody(TypedDict):
    bundle: Bundle
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: DeployPolicyBodyBase
    action: NotRequired[Literal["deploy", "promote"]]
    #: Reason for the deployment. Required for a signed bundle that is older than an earlier deployed one.
    because: NotRequired[str]
    #: Accept a bundle without tests for its environment.
    untested: NotRequired[bool]


class DeploymentAnswerDeploymentBase(TypedDict):
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class DeploymentAnswerDeploymentSource(TypedDict):
    commit: str | None
    clean: bool


class DeploymentAnswerDeployment(TypedDict):
    """One entry of the history."""

    number: int
    environment: Literal["development", "staging", "production"]
    action: Literal["deploy", "promote", "rollback", "emergency"]
    #: True for a change that was made on the server.
    emergency: bool
    #: Digest of the policy; null if the policies folder applies again.
    digest: str | None
    #: The first twelve characters of the digest.
    version: str | None
    bundle_digest: str | None
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: DeploymentAnswerDeploymentBase
    #: For a rollback: the reactivated deployment; 0 for the folder.
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
    #: The management token that made the deployment; null for a person.
    token_id: str | None
    #: The person who made the deployment; null for a token.
    person_id: str | None
    #: The person's e-mail address, or the name of the token; null if the person or token no longer exists.
    by_name: str | None
    #: RFC 3339, UTC.
    created_at: str


class DeploymentAnswerReplicasItem(TypedDict):
    id: str
    name: str
    #: Version of the software.
    version: str
    #: failed: the replica cannot activate the newest deployment, and an earlier policy stays active.
    state: Literal["active", "pending", "failed", "lost"]
    #: Deployment that judges calls on this replica; null for the policies folder.
    deployment: int | None
    #: Digest of the active policy on this replica; null if calls are refused.
    digest: str | None
    problem: str | None
    tests_passed: int
    #: RFC 3339, UTC.
    heartbeat_at: str


class DeploymentAnswer(TypedDict):
    #: One entry of the history.
    deployment: DeploymentAnswerDeployment
    replicas: list[DeploymentAnswerReplicasItem]


class RollbackPolicyBodyBase(TypedDict):
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class RollbackPolicyBody(TypedDict):
    #: Number of an earlier deployment; 0 for the policies folder.
    to: int
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: RollbackPolicyBodyBase
    #: Reason for the change; kept in the history.
    because: str


class ChangePolicyBodyBase(TypedDict):
    """The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`."""

    #: Number of the deployment that was active; 0 for the policies folder.
    number: int
    #: Digest of the policy that was active.
    digest: str


class ChangePolicyBodyChangesItem(TypedDict):
    #: Path relative to the policies folder.
    path: str
    #: The whole new text; null removes the file.
    text: str | None


class ChangePolicyBody(TypedDict):
    #: The deployment on which the change is based. If the active one differs, the answer is 409 `stale_plan`.
    base: ChangePolicyBodyBase
    changes: list[ChangePolicyBodyChangesItem]
    #: Reason for the change; kept in the history.
    because: str
    #: Deploy even if the change breaks bundled tests; the deployment lists them.
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
    #: Date of the next review.
    review_by: str | None
    #: Former ids of the rule.
    formerly: list[str]
    tags: list[str]
    path: str
    #: Line number, from 1.
    line: int
    #: Line number, from 1.
    end_line: int
    #: Tests in which it fires; null if the service does not have the tests.
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
    #: SHA-256 in hex.
    digest: str
    #: Number of the deployment; null: the policies folder.
    deployment: int | None
    rules: list[Rule]
    lists: list[RulesListsItem]
    budgets: list[RulesBudgetsItem]
    detectors: list[RulesDetectorsItem]


class RuleStatsDataItemMarks(TypedDict):
    """Marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`."""

    right: int
    wrong: int
    missed: int


class RuleStatsDataItem(TypedDict):
    rule: str
    #: Former ids of the rule; their hits and marks are included.
    formerly: list[str]
    title: str
    stage: Literal["pre", "post", "tool"]
    action: Literal["allow", "flag", "redact", "block"]
    mode: Literal["enforce", "monitor"]
    #: Number of times that the rule fired, enforced or not.
    hits: int
    #: Enforced hits.
    enforced: int
    #: Hits that were not enforced and would have blocked or redacted.
    monitored: int
    #: Number of matches that an exception exempted. Only matches of exceptions with `effect: monitor` also count as
    #: hits.
    excepted: int
    #: First hit in the range; RFC 3339, UTC.
    first_hit: str | None
    last_hit: str | None
    #: Marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`.
    marks: RuleStatsDataItemMarks
    #: Hits in each of 30 equal parts of the range, oldest first.
    spark: list[int]


class RuleStatsOthersItemMarks(TypedDict):
    """Marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`."""

    right: int
    wrong: int
    missed: int


class RuleStatsOthersItem(TypedDict):
    rule: str
    #: Number of times that the rule fired, enforced or not.
    hits: int
    #: Enforced hits.
    enforced: int
    #: Hits that were not enforced and would have blocked or redacted.
    monitored: int
    #: Number of matches that an exception exempted. Only matches of exceptions with `effect: monitor` also count as
    #: hits.
    excepted: int
    #: First hit in the range; RFC 3339, UTC.
    first_hit: str | None
    last_hit: str | None
    #: Marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`.
    marks: RuleStatsOthersItemMarks
    #: Hits in each of 30 equal parts of the range, oldest first.
    spark: list[int]


RuleStats = TypedDict(
    "RuleStats",
    {
        "environment": "Literal[\"development\", \"staging\", \"production\"]",
        #: Digest of the active policy.
        "digest": "str",
        "from": "str",
        "to": "str",
        #: Every rule of the active policy, the most hits first.
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
    #: Whether the exception has a condition; without one, it applies to every call.
    conditional: bool
    expires: str
    state: Literal["expired", "within_3_days", "within_14_days", "within_30_days", "later"]
    because: str
    approved_by: str
    ticket: str
    #: Condition of the exception; null: every call.
    when: str | None
    path: str | None
    #: Line number, from 1.
    line: int | None
    #: Requests, answers and tool calls of the last 30 days to which the exception applied; null without
    #: `events:read`.
    hits_30d: int | None
    #: Calls among these that would have been refused or redacted without the exception.
    kept_30d: int | None
    #: Time of the last hit, not only of the last 30 days; null: never, or without `events:read`.
    last_hit: str | None


class Exceptions(TypedDict):
    #: SHA-256 in hex.
    digest: str
    deployment: int | None
    data: list[ExceptionsDataItem]


class PolicyDiffFrom(TypedDict):
    #: SHA-256 in hex.
    digest: str
    deployment: int | None
    environment: str


class PolicyDiffTo(TypedDict):
    #: SHA-256 in hex.
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
    #: Effect, determined by evaluating requests with both policies; `same`: both allow the same requests;
    #: `unknown`: too many combinations to try.
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
    #: The effect of the changed values: more passes than before, less passes, neither, or not decidable.
    effect: Literal["weaker", "stricter", "neutral", "incomparable"]
    #: Evidence of the effect: requests judged by both policies, texts scanned by both, or the values alone.
    told_by: Literal["requests", "texts", "values"]
    #: The reasons, and for budgets example calls that show the effect.
    why: list[str]


PolicyDiff = TypedDict(
    "PolicyDiff",
    {
        "from": "PolicyDiffFrom",
        "to": "PolicyDiffTo",
        "rules": "list[PolicyDiffRulesItem]",
        #: Lists, exceptions, budgets, detectors and settings.
        "others": "list[PolicyDiffOthersItem]",
        #: False: some rules have too many combinations, of which only a part was tried.
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
    #: Number of the deployment that judges; 0: the policies folder; absent: the active policy.
    deployment: NotRequired[int]
    #: Bundle that judges instead, without being deployed.
    bundle: NotRequired[Bundle]
    #: Default: `tool` if the body contains `tool`, otherwise `pre`.
    stage: NotRequired[Literal["pre", "post", "tool"]]
    #: The user's message; at stage post the answer.
    text: NotRequired[str]
    #: A conversation, at stage pre.
    messages: NotRequired[list[EvaluateBodyMessagesItem]]
    #: A tool call.
    tool: NotRequired[EvaluateBodyTool]
    model: NotRequired[str]
    provider: NotRequired[str]
    #: Name of the app that the call is attributed to.
    app: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    #: The time of the call; default: now.
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
    """With `as_test`; null without it."""

    #: Suggested path in a policies folder.
    path: str
    #: A test file. It contains the call as it was sent.
    yaml: str
    #: Whether it passes with the policy that judged.
    passes: bool
    #: Problems of the file, and expected fields that differ when the test runs; empty if it passes.
    missing: list[str]


class Evaluation(TypedDict):
    decision: Literal["allow", "redact", "block", "unavailable"]
    reason: str | None
    violations: list[EvaluationViolationsItem]
    redactions: list[EvaluationRedactionsItem]
    masks: list[EvaluationMasksItem]
    #: The submitted `text` as it would be forwarded; if it is refused, with all findings masked.
    text: str | None
    texts: list[EvaluationTextsItem]
    #: The facts as they would be recorded.
    facts: dict[str, Any]
    #: Required detectors that did not answer.
    missing: list[str]
    rules: list[ExplainedRule]
    #: SHA-256 in hex.
    digest: str
    deployment: int | None
    #: Processor time of the judgement.
    ms: float
    #: With `as_test`; null without it.
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
    #: Expiry of the token. Default: in 90 days. `null`: never.
    expires_at: NotRequired[str | None]


class CreatedToken(TypedDict):
    token: Token
    #: The whole credential. It is shown only once and not stored.
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
    #: Shared with everybody in the account.
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
    #: Filters as in the page's URL: the API's own parameters, such as `decision=block&app=shop`.
    query: str
    #: Shared with everybody in the account.
    shared: NotRequired[bool]


class ViewChange(TypedDict):
    name: NotRequired[str]
    #: Filters as in the page's URL: the API's own parameters, such as `decision=block&app=shop`.
    query: NotRequired[str]
    #: Shared with everybody in the account.
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
    #: Treatment of calls to all other routes.
    unknown: Literal["judged_as_generic"]


class CallEnd(TypedDict):
    #: The `x-weir-call` of the call.
    call: str
    #: Id of the recorded `ai.response` or `ai.error`.
    event_id: str
    #: Violations of rules for answers; they can no longer be enforced.
    violations: list[Violation]


class CallEndsAnswersItem200(TypedDict):
    #: The `x-weir-call` of the call.
    call: str
    status: Literal[200]
    #: Id of the recorded `ai.response` or `ai.error`.
    event_id: str
    #: Violations of rules for answers; they can no longer be enforced.
    violations: list[Violation]


class CallEndsAnswersItem2ErrorDetailsItem(TypedDict):
    path: str
    message: str


class CallEndsAnswersItem2Error(TypedDict):
    type: str
    message: str
    details: NotRequired[list[CallEndsAnswersItem2ErrorDetailsItem]]


class CallEndsAnswersItem2(TypedDict):
    #: The `x-weir-call` of the call.
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
    #: The id of the request in the logs of the service.
    trace_id: str
    #: One entry per field; never contains submitted values.
    details: NotRequired[list[ErrorErrorDetailsItem]]
    decision: NotRequired[Literal["block"]]
    violations: NotRequired[list[dict[str, Any]]]
    event_id: NotRequired[str]
    #: URL of the explanation of the error type.
    docs: str


class Error(TypedDict):
    error: ErrorError
