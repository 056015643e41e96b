import type { FactDefinition, FactType, FactValue } from '../../core/model/fact.js';
import { timeOf } from '../../core/policy/operator-values.js';
import { samplesOf } from './sample-pattern.js';

/** The values with which a condition compares. */
export interface Comparison {
  readonly op: string;
  readonly value: unknown;
}

export interface Candidates {
  readonly values: readonly (FactValue | undefined)[];
  /** True if an operator distinguishes more kinds of values than are listed (expressions, parts of texts, addresses). */
  readonly sampled: boolean;
}

const SECOND_MS = 1_000;

/** Values on both sides of every boundary of the comparisons, and one value that occurs in no comparison. */
export function scalarCandidates(
  { type, values, range, optional }: Pick<FactDefinition, 'type' | 'values' | 'range' | 'optional'>,
  comparisons: readonly Comparison[],
): Candidates {
  const found: (FactValue | undefined)[] = [];
  if (optional) found.push(undefined);
  if (values !== undefined) found.push(...values);
  else if (type !== 'number' && type !== 'integer' && type !== 'boolean') found.push(...fresh(comparisons));
  if (type === 'boolean' || (type === 'any' && comparisons.some(({ value }) => typeof value === 'boolean'))) {
    found.push(false, true);
  }
  const limits = comparisons.flatMap(({ value }) => numbersIn(value));
  if (limits.length > 0) found.push(...aroundLimits(limits, type, range));
  else if (type === 'number' || type === 'integer') found.push(range?.min ?? 0);
  const texts = values === undefined ? comparisons.flatMap(textsFor) : [];
  found.push(...comparisons.flatMap(({ value }) => textsIn(value)), ...texts, ...joinedTexts(comparisons));
  // The fact can be any JSON: a map is neither equal nor unequal to a text.
  if (type === 'any' && comparisons.some(({ op }) => op !== 'exists')) found.push({ shape: 'another' });
  return { values: found.filter((value) => suits(value, type)), sampled: comparisons.some(({ op }) => OPEN.has(op)) };
}

const OPEN: ReadonlySet<string> = new Set([
  'matches',
  'starts_with',
  'ends_with',
  'contains',
  'eq_ci',
  'email_domain_in',
  'url_host_in',
]);

function suits(value: FactValue | undefined, type: FactType): boolean {
  if (value === undefined || type === 'any') return true;
  if (type === 'number' || type === 'integer') return typeof value === 'number';
  return type === 'boolean' ? typeof value === 'boolean' : typeof value === 'string';
}

function fresh(comparisons: readonly Comparison[]): string[] {
  const named = new Set(comparisons.flatMap(({ value }) => textsIn(value)));
  for (let n = 1; ; n++) {
    const name = n === 1 ? 'other' : `other-${n}`;
    if (!named.has(name)) return [name];
  }
}

function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function textsIn(value: unknown): string[] {
  return entriesOf(value).filter((entry) => typeof entry === 'string');
}

function numbersIn(value: unknown): number[] {
  return entriesOf(value).filter((entry) => typeof entry === 'number');
}

/** Each limit, and values of the fact's type just below it, just above it, and between two limits. */
export function aroundLimits(
  limits: readonly number[],
  type: FactType,
  { min = -Infinity, max = Infinity }: NonNullable<FactDefinition['range']> = {},
): number[] {
  const sorted = [...new Set(limits)].sort((a, b) => a - b);
  const step = type === 'integer' || sorted.every((limit) => Number.isInteger(limit) && Math.abs(limit) > 1) ? 1 : 0.01;
  const found = sorted.flatMap((limit, index) => {
    const next = sorted[index + 1] ?? Infinity;
    const before = sorted[index - 1] ?? -Infinity;
    const isBetween = type !== 'integer';
    const below = limit - step > before || !isBetween ? limit - step : (limit + before) / 2;
    const above = limit + step < next || !isBetween ? limit + step : (limit + next) / 2;
    return [below, limit, above].map(rounded);
  });
  return [...new Set(found)].filter((value) => value >= min && value <= max);
}

function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

/** Texts on both sides of the boundary of an operator on texts. */
function textsFor({ op, value }: Comparison): string[] {
  const texts = textsIn(value);
  switch (op) {
    case 'starts_with':
      return texts.flatMap((text) => [`${text}-x`, `x-${text}`]);
    case 'ends_with':
      return texts.flatMap((text) => [`x-${text}`, `${text}-x`]);
    case 'contains':
      return texts.map((text) => `x-${text}-x`);
    case 'matches':
      return texts.flatMap((text) => samplesOf(text).flatMap((sample) => [sample, `x${sample}x`]));
    case 'eq_ci':
      return texts.flatMap((text) => [text.toUpperCase(), text.toLowerCase()]);
    case 'tool_is':
    case 'tool_any_of':
      return texts.map((text) => `x__${text}`);
    case 'before':
    case 'after':
      return texts.flatMap(aroundTime);
    case 'semver_gte':
      return texts.flatMap((text) => ['0.0.0-0', `${text.split(/[-+]/, 1)[0]}-0`, '9999.0.0']);
    case 'email_domain_in':
      return places(texts, (host) => `someone@${host}`, ', ');
    case 'url_host_in':
      return places(texts, (host) => `https://${host}/`, ' ');
    default:
      return [];
  }
}

function aroundTime(text: string): string[] {
  const ms = timeOf(text);
  return ms === undefined
    ? []
    : [ms - SECOND_MS, ms, ms + SECOND_MS].map((instant) => new Date(instant).toISOString().replace('.000Z', 'Z'));
}

/** Texts with a host of the list, with a host that is not in the list, with both, and without a valid host. */
function places(names: readonly string[], write: (host: string) => string, between: string): string[] {
  const inside = names.flatMap((name) =>
    name.startsWith('*.') ? [`sub.${name.slice(2)}`, name.slice(2)] : [name, `sub.${name}`],
  );
  const outside = write('elsewhere.example');
  const first = inside[0];
  return [...inside.map(write), outside, ...(first === undefined ? [] : [`${write(first)}${between}${outside}`]), '@'];
}

/** Joins the texts of every two conditions on a text, so that both conditions can hold for one value. */
function joinedTexts(comparisons: readonly Comparison[]): string[] {
  const parts = comparisons.filter(({ op }) => ['starts_with', 'contains', 'ends_with', 'matches'].includes(op));
  if (parts.length < 2 || parts.length > 6) return [];
  const text = ({ op, value }: Comparison): string =>
    op === 'matches' ? (samplesOf(String(value))[0] ?? '') : String(value);
  return parts.flatMap((one) =>
    parts.flatMap((other) => (one === other ? [] : [`${text(one)}-${text(other)}`, text(one) + text(other)])),
  );
}
