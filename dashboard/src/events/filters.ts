/** Filters of events as they are stored in the URL, with the names of the API. */
import type { CallEvent } from '../api/types.ts';
import { looksSecret, SECRET_REFUSED } from '../parts/secret-shape.ts';
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
const OTHERS = new Set(['env', 'range', 'from', 'to', 'live', 'view', 'peek', 'at', 'event_app', 'event_environment']);

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
/** Comparisons as users type them, with the names of their URL parameters. */
const AT_LEAST: Readonly<Record<string, { readonly name: string; readonly unit: RegExp }>> = {
  cost: { name: 'min_cost_usd', unit: /^\$|usd$/i },
  weir: { name: 'min_weir_ms', unit: /ms$/i },
};

/** The negated filter: `app` becomes `not.app` and vice versa; undefined if the service cannot negate it. */
export function turnedRound(name: string): string | undefined {
  if (name.startsWith('not.')) return name.slice(4);
  return NEGATABLE.has(name) || name.startsWith('metadata.') ? `not.${name}` : undefined;
}

interface NamedApp {
  readonly id: string;
  readonly name: string;
}

export interface Typed {
  readonly filters: Readonly<Record<string, string>>;
  /** Why the input was not understood, as a sentence; no search runs then. */
  readonly problem?: string;
}

/** `rule:x -app:y cost>0.05 weir>10ms "exact words"` as typed into the search box; words without a name are searched as text. */
export function typedFilters(text: string, apps: readonly NamedApp[]): Typed {
  if (looksSecret(text)) return { filters: {}, problem: SECRET_REFUSED };
  const filters: Record<string, string> = {};
  const words: string[] = [];
  for (const token of text.match(/-?[\w.]+:"[^"]*"|"[^"]*"|\S+/g) ?? []) {
    const [, compared, least] = /^(cost|weir)>=?(.+)$/i.exec(token) ?? [];
    const [, minus, name, quoted] = /^(-?)([\w.]+):(.+)$/.exec(token) ?? [];
    if (compared !== undefined && least !== undefined) {
      const { name: param, unit } = AT_LEAST[compared.toLowerCase()]!;
      const number = least.replace(unit, '');
      if (!/^\d+(?:\.\d+)?$/.test(number)) return { filters: {}, problem: `“${token}” needs a number after >.` };
      filters[param] = number;
    } else if (name !== undefined && quoted !== undefined && isFilter(name)) {
      const value = quoted.replaceAll('"', '');
      const wanted = minus === '-' ? turnedRound(name) : name;
      if (wanted === undefined) return { filters: {}, problem: `“${name}” cannot be negated with -.` };
      const known = name === 'app' ? apps.find((app) => app.name === value || app.id === value)?.id : value;
      if (known === undefined) return { filters: {}, problem: `There is no app with the name “${value}”.` };
      filters[wanted] = known;
    } else words.push(token.replaceAll('"', ''));
  }
  if (words.length > 0) filters['q'] = words.join(' ');
  return { filters };
}

const isFilter = (name: string): boolean => Object.hasOwn(FILTERS, name) || name.startsWith('metadata.');

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
};
/** Filters that accept several values, separated by commas. */
const LISTS = new Set([...[...NEGATABLE].filter((name) => name !== 'session'), 'mark', 'call']);

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

/** The value of a filter as people read and edit it, with the names of apps. */
export function shownValue({ name, value }: Pick<Filter, 'name' | 'value'>, apps: readonly NamedApp[]): string {
  const plain = plainName(name);
  if (!LISTS.has(plain)) return value;
  const values = value.split(',');
  const shown = plain === 'app' ? values.map((each) => apps.find(({ id }) => id === each)?.name ?? each) : values;
  return shown.join(', ');
}

/** Converts the typed value of a filter to the form of the API. */
export function wantedValue(name: string, text: string, apps: readonly NamedApp[]): WantedValue {
  const plain = plainName(name);
  const typed = text.trim();
  if (typed === '') return { value: undefined };
  if (looksSecret(name) || looksSecret(typed)) return { value: undefined, problem: SECRET_REFUSED };
  const values = LISTS.has(plain) ? typed.split(/\s*,\s*/).filter(Boolean) : [typed];
  const words = FIXED[plain];
  const strange = words === undefined ? undefined : values.find((each) => !words.includes(each));
  if (words !== undefined && strange !== undefined)
    return { value: undefined, problem: `“${strange}” is not one of ${words.join(', ')}.` };
  if (plain.startsWith('min_') && !/^\d+(?:\.\d+)?$/.test(typed))
    return { value: undefined, problem: `“${typed}” is not a number.` };
  if (plain !== 'app') return { value: values.join(',') };
  const ids = values.map((each) => apps.find(({ id, name: called }) => called === each || id === each)?.id);
  const unknown = values[ids.indexOf(undefined)];
  if (unknown !== undefined) return { value: undefined, problem: `There is no app with the name “${unknown}”.` };
  return { value: ids.join(',') };
}
