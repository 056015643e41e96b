import { ACTION_NAMES } from '../model/actions.js';
import { ENVIRONMENTS } from '../model/compiled-policy.js';
import { isTimeZone } from '../facts/clock-facts.js';
import { STAGES } from '../model/fact.js';
import type { Node } from './source/node.js';
import {
  anything,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  record,
  refine,
  required,
  text,
} from './source/shape.js';
import type { Read, Shape } from './source/shape.js';
import type { Problems } from './source/problems.js';

/** The policy format `weir/v1` as tables: the keys, whether they are required, and the types of their values. */

export const RULE_ID = /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/;
const NAME = { expects: 'a name of lower-case letters, digits and underscores', pattern: /^[a-z][a-z0-9_]*$/ };
const PLAIN_ID = {
  expects: 'an id of letters, digits, dots, dashes and underscores',
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
};

const ruleId = text('a rule id such as pii.block-government-id', RULE_ID, 100);
const sentence = text('a text', undefined, 2_000);
const onUnknown = oneOf('match', 'no_match');
const mode = oneOf('enforce', 'monitor');
const scalar: Shape<string | number> = {
  expects: 'a text or a number',
  schema: { type: ['string', 'number'] },
  read(node, problems) {
    const value = node.kind === 'scalar' ? node.value : null;
    if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value;
    problems.add('G007', node.span, 'expected a text or a number', 'quote it when it is a text');
    return undefined;
  },
};

/** A key for a later release: refused with this reason, since accepting it would promise an effect it does not have. */
function later<T>(shape: Shape<T>, what: string): Shape<T> {
  return refine(shape, (value, node, problems) => {
    problems.add('G030', node.span, `${what} is not available in this release`);
    return value;
  });
}

const day = refine(text('a day such as 2026-12-31', /^\d{4}-\d{2}-\d{2}$/), (value, node, problems) => {
  if (instantMs(`${value}T00:00:00Z`) !== undefined) return value;
  problems.add('G007', node.span, 'expected a calendar date such as 2026-12-31');
  return undefined;
});

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2})$/;
const instant = refine(
  text('an instant with a zone such as 2026-12-31T23:59:59Z', INSTANT),
  (value, node, problems) => {
    const ms = instantMs(value);
    if (ms === undefined) problems.add('G007', node.span, 'expected an instant such as 2026-12-31T23:59:59Z');
    return ms;
  },
);

/**
 * Milliseconds since the epoch of an RFC 3339 timestamp with seconds and a time zone, so that the result is the same on every machine;
 * undefined for any other text, and for dates that do not exist (April 31).
 */
export function instantMs(value: string): number | undefined {
  const dayPart = INSTANT.exec(value)?.[1];
  const ms = Date.parse(value);
  if (dayPart === undefined || Number.isNaN(ms)) return undefined;
  return new Date(Date.parse(`${dayPart}T00:00:00Z`)).toISOString().startsWith(dayPart) ? ms : undefined;
}

/** A new list, or the entries to add to and remove from the existing list. */
export interface ListChange<T> {
  readonly set?: readonly T[];
  readonly add?: readonly T[];
  readonly remove?: readonly T[];
}

function listOrChange<T>(item: Shape<T>, max: number): Shape<ListChange<T>> {
  const whole = list(item, { max });
  const change = object('a change of a list', { add: optional(whole), remove: optional(whole) });
  return {
    expects: whole.expects,
    schema: { anyOf: [whole.schema, change.schema] },
    read(node, problems): ListChange<T> | undefined {
      if (node.kind === 'map') return change.read(node, problems);
      const set = whole.read(node, problems);
      return set === undefined ? undefined : { set };
    },
  };
}

const code = text('a code such as EMAIL', /^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 100);
const codeScores = record({ expects: 'a code', pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/ }, number(0, 1));
const minScore: Shape<number | ReadonlyMap<string, number>> = {
  expects: 'a number from 0 to 1, or a map from codes to such numbers',
  schema: { anyOf: [number(0, 1).schema, codeScores.schema] },
  read: (node, problems) => (node.kind === 'map' ? codeScores.read(node, problems) : number(0, 1).read(node, problems)),
};

/** The host's own keys of a detector; all others are options of its plugin. */
export const DETECTOR_FIELDS = {
  plugin: optional(text('a plugin with a version range such as pii@^1', /^[a-z0-9-]+(@[^@\s]+)?$/, 100)),
  min_score: optional(minScore),
  codes: optional(listOrChange(code, 500)),
  timeout_ms: optional(integer(1, 60_000)),
};

const entityList = list(
  text('an entity such as EMAIL or pii/EMAIL', /^(?:[a-z][a-z0-9_]*\/)?[A-Za-z0-9][A-Za-z0-9_.-]*$/, 200),
  { min: 1, max: 500 },
);
const entityReference = text('a list such as $lists.live_credentials', /^\$lists\.[a-z][a-z0-9_]*$/, 100);
/** The entities themselves, or `$lists.name`. */
const entities: Shape<string | readonly string[]> = {
  expects: entityList.expects,
  schema: { anyOf: [entityList.schema, entityReference.schema] },
  read: (node, problems) =>
    node.kind === 'scalar' ? entityReference.read(node, problems) : entityList.read(node, problems),
};

export const REDACT = object('redact', {
  entities: required(entities),
  with: optional(text('a replacement such as "[{type}_{n}]"', undefined, 100)),
  label: optional(text('a label such as contains_pii', /^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 64)),
  tokens: optional(oneOf('stable')),
  restore: optional(flag),
});

/** Maximum characters of a canned answer. */
const MOST_OF_ANSWER = 2_000;
const STRONGEST_FIRST = [...ACTION_NAMES].reverse();

export const THEN = object('then', {
  action: required(oneOf(...STRONGEST_FIRST), 'action: flag'),
  reason: optional(oneOf('content_policy_violation', 'tool_use_blocked')),
  detail: optional(text('words in kebab case', /^[a-z0-9]+(?:-[a-z0-9]+)*$/, 100)),
  redact: optional(REDACT),
  answer: optional(text('a text of at most 2000 characters', /\S/, MOST_OF_ANSWER)),
});

export const RULE = object('a rule', {
  id: required(ruleId, 'id: pii.block-card-number'),
  title: optional(sentence),
  stage: required(oneOf(...STAGES), 'stage: pre'),
  severity: optional(oneOf('low', 'medium', 'high', 'critical')),
  mode: optional(mode),
  review_by: optional(day),
  message: optional(text('a text of at most 500 characters', undefined, 500)),
  when: required(anything('conditions'), 'when: { model.name: gpt-4o }'),
  then: required(THEN, 'then: { action: flag }'),
  on_unknown: optional(onUnknown),
  rollout: optional(object('rollout', { percent: required(number(0, 100)), by: required(oneOf('api_key')) })),
  formerly: optional(list(ruleId, { max: 50 })),
  tags: optional(list(text('a tag', /^[A-Za-z0-9][A-Za-z0-9._:-]*$/, 100), { max: 50 })),
  client_controlled: optional(oneOf('accepted')),
  because: optional(sentence),
});
export type RuleFields = NonNullable<ReturnType<typeof RULE.read>>;

export const EXCEPTION = object('an exception', {
  id: required(text(PLAIN_ID.expects, PLAIN_ID.pattern), 'id: EX-0042'),
  rules: required(list(ruleId, { min: 1, max: 200 }), 'rules: [pii.block-card-number]'),
  when: optional(anything('conditions')),
  effect: optional(oneOf('monitor', 'skip')),
  because: required(sentence, 'because: Employment checks are exempt'),
  approved_by: required(sentence, 'approved_by: dpo@example.com'),
  ticket: required(sentence, 'ticket: SEC-1412'),
  expires: required(instant, 'expires: 2030-12-31T23:59:59Z'),
  client_controlled: optional(oneOf('accepted')),
});

export const OVERRIDE = object('an override', {
  rule: required(ruleId, 'rule: pii.redact-contact'),
  because: required(sentence, 'because: Support needs telephone numbers'),
  weakens: optional(flag),
  set: required(anything('a map from field paths to values'), 'set: { severity: high }'),
});

const SCOPE = /^(?:app|key|model|provider|metadata\.[^.$\s]+(?:\.[^.$\s]+)*)$/;
const timezone = refine(text('an IANA time zone such as Europe/Berlin'), (value, node: Node, problems: Problems) => {
  if (isTimeZone(value)) return value;
  problems.add('G007', node.span, 'expected an IANA time zone such as Europe/Berlin or UTC');
  return undefined;
});

/** Dollars, read into integer nano-dollars as text. Converts the written characters, without floating-point numbers. */
function nanoUsd(least: 0 | 1): Shape<string> {
  const above = least === 0 ? '0 or more dollars' : 'dollars above 0';
  return {
    expects: 'dollars with at most 9 decimals',
    schema: { type: 'number', ...(least === 0 ? { minimum: 0 } : { exclusiveMinimum: 0 }) },
    read(node, problems) {
      const match =
        node.kind === 'scalar' && typeof node.value === 'number'
          ? /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(node.written)
          : null;
      const nano = match === null ? -1n : BigInt(match[1]!) * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
      if (nano >= BigInt(least)) return nano.toString();
      problems.add('G007', node.span, `expected ${above} with at most 9 decimals, such as 250 or 0.75`);
      return undefined;
    },
  };
}

const perMillion = optional(nanoUsd(0));
export const PRICE = refine(
  object('a price', {
    input_usd_per_million: perMillion,
    output_usd_per_million: perMillion,
    cache_read_usd_per_million: perMillion,
    cache_write_usd_per_million: perMillion,
    cache_write_1h_usd_per_million: perMillion,
    reasoning_usd_per_million: perMillion,
  }),
  (value, node, problems) => {
    if (node.kind === 'map' && node.entries.length > 0) return value;
    problems.add('G007', node.span, 'expected at least one price, such as { input_usd_per_million: 2.5 }');
    return undefined;
  },
);
/** Names of models may be long: Bedrock's inference profiles have more than 100 characters. */
const MAX_MODEL_NAME = 256;
/** Keys are a model, or a provider and a model: `gpt-4o`, `openai/gpt-4o`. */
const prices = record(
  { expects: 'a model, or provider/model', pattern: /^[^\s\p{Cc}]+$/u, maxLength: MAX_MODEL_NAME },
  PRICE,
);

export const BUDGET = object('a budget', {
  id: required(
    text('an id of lower-case letters, digits and dashes', /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, 100),
    'id: team-month',
  ),
  scope: required(list(text('app, key, model, provider or metadata.<key>', SCOPE, 200), { max: 10 }), 'scope: [app]'),
  window: required(
    object('window', {
      per: required(oneOf('hour', 'day', 'week', 'month', 'total'), 'per: month'),
      timezone: optional(timezone),
    }),
    'window: { per: month, timezone: UTC }',
  ),
  limit: required(
    object('limit', { usd: optional(nanoUsd(1)), tokens: optional(integer(1, Number.MAX_SAFE_INTEGER)) }),
    'limit: { usd: 500 }',
  ),
  warn_at: optional(list(number(0, 1), { max: 20 })),
  on_exceed: optional(oneOf('record', 'block')),
  on_unknown_price: optional(oneOf('refuse', 'allow')),
});

/** Handling of content that no detector has read. */
const unreadAnswer = oneOf('refuse', 'flag', 'pass');

/** Handling of a finding that a rule should mask but that lies where masking is impossible. */
const unmasked = oneOf('refuse', 'flag');

const keptDays = refine(text('a number of days such as 30d', /^[1-9]\d{0,4}d$/), (value) => Number(value.slice(0, -1)));
/** Fields by which a legal hold selects events; if a hold names several fields, all of them must match. */
const HELD_BY = /^(?:metadata\.[^.$\s]+(?:\.[^.$\s]+)*|session|app|decision)$/;

/** Retention of an environment's events. */
export const RETENTION = object('retention', {
  content: optional(keptDays),
  records: optional(keptDays),
  holds: optional(
    list(
      object('a hold', {
        id: required(text(PLAIN_ID.expects, PLAIN_ID.pattern), 'id: case-17'),
        match: required(
          refine(
            record(
              { expects: 'metadata.<key>, session, app or decision', pattern: HELD_BY, maxLength: 200 },
              text('a text', undefined, 256),
              10,
            ),
            (value, node, problems) => {
              if (value.size > 0) return value;
              problems.add('G007', node.span, 'expected at least one of metadata.<key>, session, app, decision');
              return undefined;
            },
          ),
          'match: { metadata.case: "17" }',
        ),
        because: required(sentence, 'because: Case 2031-17'),
        until: required(instant, 'until: 2031-12-31T00:00:00Z'),
      }),
      { max: 200 },
    ),
  ),
});

const deadline = optional(object('a stage', { deadline_ms: required(integer(1, 60_000)) }));

/** A whole document. Parts that can be merged or overridden stay nodes and are read after that. */
export const DOCUMENT = object('a policy', {
  apiVersion: required(oneOf('weir/v1'), 'apiVersion: weir/v1'),
  kind: required(oneOf('Policy'), 'kind: Policy'),
  metadata: required(
    object('metadata', {
      id: required(text(PLAIN_ID.expects, PLAIN_ID.pattern), 'id: organisation'),
      title: optional(sentence),
      owner: optional(sentence),
      description: optional(text('a text', undefined, 10_000)),
    }),
    'metadata: { id: organisation, owner: security@example.com }',
  ),
  environment: optional(oneOf(...ENVIRONMENTS)),
  extends: optional(list(text('a relative path', undefined, 500), { max: 50 })),
  default: optional(oneOf('allow', 'block')),
  mode: optional(mode),
  client_monitor_mode: optional(oneOf('honor', 'ignore')),
  content: optional(oneOf('redacted', 'full', 'none')),
  retention: optional(RETENTION),
  media: optional(unreadAnswer),
  unmaskable: optional(object('unmaskable', { documents: optional(unmasked), signed: optional(unmasked) })),
  unread: optional(object('unread', { governed: optional(unreadAnswer), other: optional(unreadAnswer) })),
  default_max_tokens: optional(integer(1, 10_000_000)),
  on_disconnect: optional(oneOf('abort', 'drain')),
  on_blocked_history: optional(oneOf('refuse', 'drop', 'replace')),
  max_policy_age: optional(later(text('a duration such as 24h', /^\d{1,6}(?:s|m|h|d)$/), '`max_policy_age`')),
  prices: optional(prices),
  defaults: optional(object('defaults', { on_unknown: optional(onUnknown) })),
  stages: optional(object('stages', { pre: deadline, post: deadline, tool: deadline })),
  detectors: optional(record(NAME, anything('a detector'), 100)),
  lists: optional(record(NAME, listOrChange(scalar, 100_000))),
  conditions: optional(record(NAME, anything('conditions'))),
  rules: optional(list(anything('a rule'), { max: 2_000 })),
  overrides: optional(list(OVERRIDE)),
  exceptions: optional(list(anything('an exception'))),
  budgets: optional(list(anything('a budget'), { max: 500 })),
});
export type DocumentFields = Read<typeof DOCUMENT.fields>;
