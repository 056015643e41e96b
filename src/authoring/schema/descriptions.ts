/** The descriptions of keys in editors, by the part of the format, then by key. */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  policy: {
    apiVersion: 'The version of the format.',
    kind: 'Kind of this file.',
    metadata: 'Name, title and owner of this file.',
    environment: 'The environment whose calls the policy judges. It must be the environment of the folder.',
    default: 'Decision on a call that no rule matches.',
    mode: '`monitor` records each decision without enforcing it.',
    client_monitor_mode:
      'Whether a caller may request monitor mode for its call: `honor` or `ignore` (default). Use `ignore` in production.',
    content: 'How the log stores texts: `redacted` (default), `full` or `none`.',
    retention: 'How long events are kept; without this setting, they are kept forever.',
    media:
      'Treatment of images, audio and video: `pass` (default), `flag` or `refuse`. They are recognised by their bytes; their content is not analysed.',
    unread: 'Treatment of calls with bytes that can be neither recognised nor read.',
    unmaskable:
      'Effect of a rule that would mask a text which cannot be changed, because it is in a document (PDF, Office file) or is signed reasoning. `refuse` (default): the call is refused. `flag`: the text is forwarded unchanged, and the findings are reported with `enforced: false`.',
    on_disconnect: 'Treatment of a call whose client disconnected: end the call, or read the answer to its end.',
    on_blocked_history:
      'Treatment of a request that is blocked only because of an earlier turn: refuse the request, drop the turn, or replace the turn.',
    default_max_tokens: 'Output limit, in tokens, for proxied calls that set no limit.',
    max_policy_age: 'Not available in this release.',
    extends:
      'Files that this file extends, as paths relative to this file, or built-in policies such as `weir:pci@1`. Where values conflict, this file wins.',
    prices: 'Prices by model or provider/model that differ from the published prices.',
    defaults: 'Default values of rules.',
    stages: 'Deadline of each stage; a detector that has not answered by then counts as unavailable.',
    detectors: 'The detectors, by the name under which rules read their facts.',
    lists: 'Named lists, used as `$lists.name`. The order of their entries has no meaning.',
    conditions: 'Named conditions, used as `use: name`.',
    rules: 'All rules of a stage are evaluated; the strongest action wins: block, redact, flag.',
    overrides: 'Changes of inherited rules, field by field, each with a reason.',
    exceptions: 'Temporary exceptions that soften named rules, with a reason and an approval.',
    budgets: 'Limits of spending, enforced by the ledger.',
  },
  metadata: {
    id: 'Name, unique across all files of a policy.',
    title: 'A title for people.',
    owner: 'Person or team responsible for these rules.',
    description: 'Purpose of these rules.',
  },
  rule: {
    id: 'A name such as `pii.block-government-id`. It must never change, because tests, exceptions and the history refer to it.',
    title: 'A title for people; also the message of a violation if `message` is not set.',
    stage: '`pre`: the request. `post`: the answer. `tool`: each new tool call.',
    severity: 'Severity of a match; it breaks ties between rules with the same action.',
    mode: '`monitor` records the match without acting. Needs `review_by`.',
    review_by: 'Date by which a person decides on the future of a monitored rule.',
    message: 'Message to the caller.',
    when: 'The condition under which the rule matches.',
    then: 'Action when the rule matches.',
    on_unknown: 'Result when a fact is unavailable: `match` fails closed, `no_match` lets the call pass.',
    rollout: 'Share of the keys for which the rule is enforced; for all other keys it is monitored.',
    formerly: 'Former ids of the rule, the oldest first.',
    tags: 'Search terms for the rule, such as owasp-llm01.',
    client_controlled: '`accepted`: the caller may influence the rule, for the reason in `because`.',
    because: 'Why the caller may influence the rule.',
  },
  then: {
    action:
      '`block` refuses the call, `redact` masks findings, `flag` records the match, `allow` marks the call as known to be good.',
    reason: 'Error type sent to the client. `tool_use_blocked` is allowed only at the stages `tool` and `post`.',
    detail: 'A more specific reason, in kebab case.',
    redact: 'Entities to mask, and their replacement.',
    answer:
      'Answer that clients of the proxy get instead of an error, in the format of the provider; only with `block`. The REST API still answers 400.',
  },
  redact: {
    entities: 'Codes such as EMAIL, or pii/EMAIL if two detectors have the code, or `$lists.name`.',
    with: 'Replacement text; {type} is the code, {n} counts different values.',
    label: 'Name under which the redaction is reported; default: the code.',
    tokens: '`stable`: a value is replaced by the same token in every request.',
    restore: 'Whether the masked values are restored in the answer.',
  },
  exception: {
    id: 'A name, such as EX-0042.',
    rules: 'The ids of the rules that the exception softens.',
    when: 'Condition on the calls to which the exception applies.',
    effect:
      '`monitor` (default): a match is recorded, but its action is not applied. `skip`: a match is not even recorded.',
    because: 'Why the exception is needed.',
    approved_by: 'Person who approved the exception.',
    ticket: 'Link to the approval, such as a ticket.',
    expires: 'From this instant on, the rules apply again, without a deployment.',
    client_controlled: '`accepted`: the caller may influence the exception.',
  },
  override: {
    rule: 'The id of the inherited rule.',
    because: 'Why the rule is changed.',
    weakens: 'Must be true if the change makes the rule weaker.',
    set: 'New values by dotted path, such as `then.redact.entities: { add: [IBAN] }`.',
  },
  budget: {
    id: 'Name of the budget; facts about it begin with budgets.<id>.',
    scope:
      'Dimensions of the budget: app, key, model, provider, metadata.<name>. The limit applies to each combination of their values separately.',
    window: 'Time span after which the budget is reset.',
    limit: 'The limit, in dollars or tokens.',
    warn_at: 'Shares of the limit (0 to 1); reaching one of them causes one warning per window.',
    on_exceed:
      '`record` (default): calls continue and are only recorded. `block`: the possible cost is reserved before a call, and a call that would exceed the limit is refused.',
    on_unknown_price:
      'Treatment of calls with an unknown price under a blocking budget: `refuse` (default), or `allow`, which does not count them.',
  },
  retention: {
    content: 'Number of days for which the texts of calls are kept, such as 30d.',
    records: 'Number of days for which the rest of an event is kept, such as 400d; at least as long as its texts.',
    holds: 'Legal holds: conditions for events that are kept longer, each with a reason and an end.',
  },
  hold: {
    id: 'Name of the hold, such as LH-2026-01.',
    match: 'Conditions on the held calls: `metadata.<key>`, `session`, `app` and `decision`; all of them must match.',
    because: 'Reason of the hold.',
    until: 'Time when the hold ends; afterwards, the normal retention applies.',
  },
  detector: {
    plugin: 'The plugin and its version, such as pii@^1.',
    min_score: 'Findings below this score do not count: one number, or a number per code.',
    codes: 'Codes to look for: a whole list, or changes of the default list as { add, remove }.',
    timeout_ms: 'Milliseconds after which the detector counts as unavailable.',
  },
  project: {
    apiVersion: 'The version of the format.',
    kind: 'Kind of this file.',
    environments: 'The environments, in the order in which changes move through them.',
    servers: 'The server of each environment.',
    lint: 'Levels of those lint rules whose level differs from the default.',
    max_exception: 'Maximum time from now until an exception expires, such as 90d.',
  },
};
