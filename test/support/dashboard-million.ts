/** Turns answers for an account with forty calls into those for one with a million: only figures and lengths of lists change. */
import { MANY } from './dashboard-accounts.js';

const MILLION = 1_000_000;
const FACTOR = MILLION / MANY;
/** The number of rows that one page of a list holds, by the path of the list. */
const ROWS: readonly (readonly [list: RegExp, rows: number])[] = [
  [/^\/v1\/events$/, 200],
  [/^\/v1\/(?:sessions|audit|apps|tokens|exports|export-schedules)$/, 100],
  [/^\/v1\/budgets$/, 1_000],
  [/^\/v1\/budgets\/[^/]+\/entries$/, 100],
  [/^\/v1\/(?:apps\/[^/]+\/)?keys$/, 50],
  [/^\/auth\/sessions$/, 30],
];
const MOST_COUNTED = 10_000;
/** Fields that count calls and their usage; amounts of money and tokens may be strings of digits. */
const COUNTED = new Set([
  ...['calls', 'calls_24h', 'allowed', 'flagged', 'would_block', 'redacted', 'blocked', 'unavailable', 'errors'],
  ...['count', 'of', 'total', 'hits', 'hits_30d', 'kept_30d', 'monitored', 'enforced', 'excepted', 'spark'],
  ...['right', 'wrong', 'missed', 'tool_calls', 'rows', 'rows_expected', 'bytes', 'events_used', 'events_included'],
  ...['tokens', 'prompt_tokens', 'completion_tokens', 'cost_nano_usd'],
]);
/** Fields by which a page distinguishes rows. */
const NAMES = new Set(['id', 'event_id', 'request_id', 'session_id', 'period_id']);

/** The original id for each id of a copied row: the service knows only the original. */
const ORIGINALS = new Map<string, string>();

/** Replaces ids of copied rows in an address with ids that the service knows. */
export function askedOfAMillion(url: string): string {
  return url.replace(/[\w-]{8,}/g, (word) => ORIGINALS.get(word) ?? word);
}

/** @param path path of the request to which this is the answer */
export function ofAMillion(path: string, search: URLSearchParams, answer: unknown): unknown {
  if (path === '/v1/events/count') return { count: MOST_COUNTED, capped: true };
  // A single call stays unchanged, and active policies do not depend on the number of calls.
  const isOfCalls = !/^\/v1\/(?:me|policies\/[^/]+(?:$|\/(?:deployments|bundle|diff|rules$)))|^\/v1\/events\/./.test(
    path,
  );
  return longer(path, search, isOfCalls ? larger(answer) : answer);
}

function larger(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => larger(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, larger(each, key)]));
  if (!COUNTED.has(name)) return value;
  if (typeof value === 'number') return value * FACTOR;
  return typeof value === 'string' && /^\d+$/.test(value) ? String(BigInt(value) * BigInt(FACTOR)) : value;
}

interface List {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor?: string | null;
}

/** Repeats the rows, each copy with its own ids, until a page of the list is full, and announces another page. */
function longer(path: string, search: URLSearchParams, answer: unknown): unknown {
  const known = ROWS.find(([list]) => list.test(path))?.[1];
  const isOfOne =
    ['request_id', 'call', 'event'].some((name) => search.has(name)) ||
    (/\/sessions$/.test(path) && search.has('session'));
  if (known === undefined || isOfOne || !isList(answer) || answer.data.length === 0) return answer;
  const rows = Math.min(known, Number(search.get('limit') ?? known));
  const data = Array.from({ length: Math.max(rows, answer.data.length) }, (_, at) => {
    const row = answer.data[at % answer.data.length] ?? {};
    const round = Math.floor(at / answer.data.length);
    return round === 0
      ? row
      : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, own(name, value, round)]));
  });
  // Only one more page, so that a reader of all pages comes to an end.
  const hasMore = answer.next_cursor !== undefined && data.length >= rows && search.get('cursor') === null;
  return { ...answer, data, ...(hasMore ? { next_cursor: 'more' } : {}) };
}

function isList(answer: unknown): answer is List {
  return typeof answer === 'object' && answer !== null && Array.isArray((answer as Partial<List>).data);
}

function own(name: string, value: unknown, round: number): unknown {
  if (!NAMES.has(name) || typeof value !== 'string') return value;
  const made = `${value.slice(0, -4)}${round.toString(16).padStart(4, '0')}`;
  ORIGINALS.set(made, value);
  return made;
}
