/** The query string of `GET /v1/events` as filters; whatever it cannot mean is refused by name. */
import type { Reach } from '../../access/index.js';
import { ENVIRONMENTS, type DecisionAction, type ErrorDetail } from '../../core/index.js';
import { invalidRequest } from '../../http/index.js';
import type { EventType } from '../event.js';
import type { EventFilters } from './event-filters.js';
import { MAX_LIMIT } from './event-reader.js';

export const EVENT_TYPES = [
  'ai.request',
  'ai.response',
  'ai.error',
  'agent.tool_call',
  'policy.violation',
  'budget.exceeded',
] as const satisfies readonly EventType[];
export const DECISIONS = ['allow', 'redact', 'block'] as const satisfies readonly DecisionAction[];

const MAX_VALUE_LENGTH = 1_000;
const MAX_METADATA_TERMS = 10;
const METADATA = 'metadata.';
/** RFC 3339, with the offset that makes it an instant. A bare date is its first moment in UTC. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/i;

export interface EventQuery {
  readonly filters: EventFilters;
  readonly cursor?: string;
}

type Reader = (value: string) => unknown;
/** Says what a value must be, when it is not. */
class Refused extends Error {}

const text: Reader = (value) => value;
const oneOf =
  (words: readonly string[]): Reader =>
  (value) => {
    if (!words.includes(value)) throw new Refused(`must be one of ${words.join(', ')}`);
    return value;
  };
const instant: Reader = (value) => {
  const date = INSTANT.test(value) ? new Date(value) : undefined;
  if (date === undefined || Number.isNaN(date.getTime())) {
    throw new Refused('must be an RFC 3339 time with offset, such as 2026-01-31T08:00:00Z');
  }
  return date;
};
const limit: Reader = (value) => {
  const count = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > MAX_LIMIT) throw new Refused(`must be a whole number from 1 to ${MAX_LIMIT}`);
  return count;
};

/** Parameter → the filter it sets and how it is read. */
export const EVENT_PARAMETERS = {
  type: { filter: 'type', read: oneOf(EVENT_TYPES), about: 'Event type.' },
  environment: { filter: 'environment', read: oneOf(ENVIRONMENTS), about: 'Effective environment.' },
  app: { filter: 'app', read: text, about: 'Id or name of an app.' },
  request_id: { filter: 'requestId', read: text, about: 'Ties request, response and error of one call together.' },
  session: { filter: 'sessionId', read: text, about: 'Session id.' },
  model: { filter: 'model', read: text, about: 'Model name.' },
  decision: { filter: 'decision', read: oneOf(DECISIONS), about: '`allow`, `redact` or `block`.' },
  rule: { filter: 'rule', read: text, about: 'Id of a rule that fired.' },
  from: { filter: 'from', read: instant, about: 'Received at or after this RFC 3339 time.' },
  to: { filter: 'to', read: instant, about: 'Received before this RFC 3339 time.' },
  q: { filter: 'text', read: text, about: 'Text in the stored payload or metadata, without regard to case.' },
  limit: { filter: 'limit', read: limit, about: `Events per page, 1 to ${MAX_LIMIT}; 50 when absent.` },
  cursor: { filter: 'cursor', read: text, about: '`next_cursor` of the page before.' },
} as const satisfies Record<string, { filter: keyof EventFilters | 'cursor'; read: Reader; about: string }>;

/**
 * @throws {WeirError} 422 naming each unknown, repeated or unreadable parameter; no value is repeated
 */
export function readEventQuery(query: Readonly<Record<string, unknown>>, manager: Reach): EventQuery {
  const details: ErrorDetail[] = [];
  const found: Record<string, unknown> = {};
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    try {
      const written = single(value);
      if (name.startsWith(METADATA)) metadata[pathOf(name)] = written;
      else {
        const { filter, read } = parameter(name);
        found[filter] = read(written);
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      details.push({ path: shown(name), message: error.message });
    }
  }
  const terms = Object.keys(metadata).length;
  if (terms > MAX_METADATA_TERMS) details.push({ path: 'metadata', message: `at most ${MAX_METADATA_TERMS} terms` });
  if (details.length > 0) throw invalidRequest(details);
  const { cursor, ...filters } = found as Omit<EventFilters, 'manager'> & { cursor?: string };
  return {
    filters: { ...filters, manager, ...(terms === 0 ? {} : { metadata }) },
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function parameter(name: string): (typeof EVENT_PARAMETERS)[keyof typeof EVENT_PARAMETERS] {
  if (!Object.hasOwn(EVENT_PARAMETERS, name)) throw new Refused('is not a filter');
  return EVENT_PARAMETERS[name as keyof typeof EVENT_PARAMETERS];
}

function single(value: unknown): string {
  if (typeof value !== 'string') throw new Refused('may be given once');
  if (value === '') throw new Refused('must not be empty');
  if (value.length > MAX_VALUE_LENGTH) throw new Refused(`must be at most ${MAX_VALUE_LENGTH} characters`);
  return value;
}

function pathOf(name: string): string {
  const path = name.slice(METADATA.length);
  if (path === '' || path === '__proto__' || path.split('.').includes('')) {
    throw new Refused('must be metadata.<key>, keys separated by dots');
  }
  return path;
}

/** Parameter names are shown only when they look like names. */
function shown(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(name) ? name : '(a parameter)';
}
