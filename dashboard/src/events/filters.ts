/** Filters of events as they are stored in the URL, with the names of the API. */
import { ENVIRONMENTS, type CallEvent } from '../api/types.ts';
import { looksSecret, SECRET_REFUSED } from '../parts/secret-shape.ts';
import { isUuid } from '../parts/uuid.ts';
import type { Search } from '../shell/view.ts';

export const FILTERS: Readonly<Record<string, string>> = {
  outcome: 'Outcome',
  decision: 'Decision',
  type: 'Type',
  app: 'App',
  rule: 'Rule',
  exception: 'Exception',
  model: 'Model',
  provider: 'Provider',
  session: 'Session',
  request_id: 'Request',
  call: 'Call',
  key: 'Key',
  mark: 'Mark',
  min_cost_usd: 'Cost from',
  min_weir_ms: 'Weir from',
  q: 'Text',
};
/** URL parameters that are not filters. */
const OTHERS = new Set([
  ...['env', 'range', 'from', 'to', 'live', 'view', 'peek', 'at'],
  ...['event_app', 'event_environment', 'tab', 'chart'],
]);

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

export function filtersOf(search: Search): { readonly known: readonly Filter[]; readonly unknown: readonly string[] } {
  const known: Filter[] = [];
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || OTHERS.has(name)) continue;
    const plain = name.startsWith('not.') ? name.slice(4) : name;
    const label = Object.hasOwn(FILTERS, plain)
      ? FILTERS[plain]
      : plain.startsWith('metadata.')
        ? plain.slice(9)
        : undefined;
    if (label === undefined) unknown.push(name);
    else known.push({ name, label: name.startsWith('not.') ? `not ${label}` : label, value });
  }
  return { known, unknown };
}

export function queryOf(filters: readonly Filter[]): Record<string, string> {
  return Object.fromEntries(filters.map(({ name, value }) => [name, value]));
}

const METADATA = 'metadata.';

/** Filters that the service can negate. */
const NEGATABLE = new Set([
  'outcome',
  'decision',
  'type',
  'app',
  'rule',
  'exception',
  'model',
  'provider',
  'session',
  'key',
]);

/** The negated filter: `app` becomes `not.app` and vice versa; undefined if the service cannot negate it. */
export function turnedRound(name: string): string | undefined {
  if (name.startsWith('not.')) return name.slice(4);
  return NEGATABLE.has(name) || name.startsWith(METADATA) ? `not.${name}` : undefined;
}

export interface NamedApp {
  readonly id: string;
  readonly name: string;
}

/** Whether a filter has this name; keys of metadata are filters too. */
export const isFilter = (name: string): boolean => Object.hasOwn(FILTERS, name) || name.startsWith(METADATA);

const DECISIONS: Readonly<Record<NonNullable<CallEvent['decision']>, true>> = {
  allow: true,
  redact: true,
  block: true,
};

/** Filters with a fixed set of values. */
export const FIXED: Readonly<Record<string, readonly string[]>> = {
  decision: Object.keys(DECISIONS),
  outcome: ['allowed', 'flagged', 'would_block', 'redacted', 'error', 'unavailable', 'blocked'],
  type: ['ai.request', 'ai.response', 'ai.error', 'agent.tool_call', 'policy.violation', 'budget.exceeded'],
  mark: ['right', 'wrong', 'missed', 'none'],
  environment: ENVIRONMENTS,
};
/** Filters that accept several values, separated by commas. */
const LISTS = new Set([...[...NEGATABLE].filter((name) => name !== 'session'), 'mark', 'call', 'environment']);

export interface WantedValue {
  /** Undefined: the filter is removed. */
  readonly value: string | undefined;
  readonly problem?: string;
}

/** The name of a filter without the negation. */
const plainName = (name: string): string => name.replace(/^not\./, '');

/** Whether a filter accepts several values, separated by commas. */
export const isList = (name: string): boolean => LISTS.has(plainName(name));

/** Whether the value of a filter consists of several values: only then a comma separates them. */
export const hasSeveral = ({ name, value }: Pick<Filter, 'name' | 'value'>): boolean =>
  isList(name) && value.includes(',');

/** Whether two sets of filters select the same events: neither the order of filters nor that of the values of a list has an effect. */
export const isSameSelection = (one: Search, other: Search): boolean => inOrder(one) === inOrder(other);

function inOrder(search: Search): string {
  const filters = Object.entries(search).flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    return [[name, isList(name) ? value.split(',').sort() : [value]] as const];
  });
  return JSON.stringify(filters.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The value of a filter as people read and edit it, with the names of apps. */
export function shownValue({ name, value }: Pick<Filter, 'name' | 'value'>, apps: readonly NamedApp[]): string {
  const plain = plainName(name);
  if (!LISTS.has(plain)) return value;
  const values = value.split(',');
  const shown = plain === 'app' ? values.map((each) => apps.find(({ id }) => id === each)?.name ?? each) : values;
  return shown.join(', ');
}

/** The longest values that the service accepts. */
const LENGTHS: Readonly<Record<string, number>> = { key: 40 };
const MAX_LENGTH = 1_000;

/** Why the service would refuse a value of a filter, as a sentence. */
function problemOf(plain: string, value: string): string | undefined {
  const most = LENGTHS[plain] ?? MAX_LENGTH;
  if (value.length > most) return `A value has at most ${most} characters.`;
  const words = FIXED[plain];
  if (words !== undefined && !words.includes(value)) return `“${value}” is not one of ${words.join(', ')}.`;
  if (plain.startsWith('min_') && !/^\d{1,12}(?:\.\d{1,9})?$/.test(value))
    return `“${value}” is not a number such as 0.05.`;
  return plain === 'call' && !isUuid(value) ? `“${value}” is not the id of an event.` : undefined;
}

/** Whether the service can look for a key of metadata; parts of a nested key are separated by dots. */
const isMetadataKey = (key: string): boolean => key !== '__proto__' && !key.split('.').includes('');

/** Converts the typed value of a filter to the form of the API. */
export function wantedValue(name: string, text: string, apps: readonly NamedApp[]): WantedValue {
  const plain = plainName(name);
  const typed = text.trim();
  if (typed === '') return { value: undefined };
  if (looksSecret(name) || looksSecret(typed)) return { value: undefined, problem: SECRET_REFUSED };
  const values = LISTS.has(plain) ? typed.split(/\s*,\s*/).filter(Boolean) : [typed];
  if (plain.startsWith(METADATA) && !isMetadataKey(plain.slice(METADATA.length)))
    return { value: undefined, problem: `“${plain}” does not name a key, as metadata.team does.` };
  const problem = values.map((each) => problemOf(plain, each)).find((each) => each !== undefined);
  if (problem !== undefined) return { value: undefined, problem };
  if (values.length === 0) return { value: undefined };
  if (plain !== 'app') return { value: values.join(',') };
  const ids = values.map((each) => apps.find(({ id, name: called }) => called === each || id === each)?.id);
  const unknown = values[ids.indexOf(undefined)];
  if (unknown !== undefined) return { value: undefined, problem: `There is no app with the name “${unknown}”.` };
  return { value: ids.join(',') };
}
