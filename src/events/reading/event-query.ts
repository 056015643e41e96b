/** The query string of `GET /v1/events` as filters; an invalid parameter is refused by name. */
import type { Reach } from '../../access/index.js';
import { ENVIRONMENTS, type ErrorDetail } from '../../core/index.js';
import {
  BadParameter,
  invalidRequest,
  parameter,
  shownName,
  singleValue,
  type QueryParameter,
  type QueryTable,
} from '../../http/index.js';
import { DECISIONS, EVENT_TYPES } from '../event.js';
import { MARK_FILTERS } from '../marks/mark-schemas.js';
import { OUTCOMES } from '../outcome.js';
import { listOf, type EventFilters } from './event-filters.js';
import { FACETS } from './event-figures.js';
import { MAX_LIMIT } from './event-reader.js';

const MAX_METADATA_TERMS = 10;
/** Enough for rows that a person selects; their ids must fit into a request header. */
const MAX_CALLS = 200;
const METADATA = 'metadata.';
const NOT = 'not.';

export interface EventQuery {
  readonly filters: EventFilters;
  readonly cursor?: string;
}

const many = <T>(item: QueryParameter<T>): QueryParameter<readonly T[]> => parameter.listOf(item);

/** Filters that `not.` before their name negates. */
const TERMS = {
  type: many(parameter.oneOf(EVENT_TYPES, 'Event types.')),
  environment: many(parameter.oneOf(ENVIRONMENTS, 'Effective environments.')),
  app: many(parameter.text('Ids or names of apps.')),
  session: parameter.text('Session id.'),
  model: many(parameter.text('Model names.')),
  provider: many(parameter.text('Providers, such as `openai`.')),
  key: many(parameter.text('Public ids of keys.', 40)),
  decision: many(parameter.oneOf(DECISIONS, '`allow`, `redact` or `block`.')),
  outcome: many(
    parameter.oneOf(OUTCOMES, 'Outcomes, each in one word; with `view=calls`, the final outcome of the call.'),
  ),
  rule: many(parameter.text('Ids of rules that fired.')),
  exception: many(parameter.text('Ids of policy exceptions that applied.')),
} satisfies QueryTable;

const NEGATED = Object.fromEntries(
  Object.entries(TERMS).map(([name, { about, ...rest }]) => [
    `not.${name}`,
    { ...rest, about: `Values that exclude an event. ${about}` },
  ]),
);

/** Every parameter but `metadata.<key>` and `not.metadata.<key>`. */
export const EVENT_PARAMETERS = {
  ...TERMS,
  ...NEGATED,
  request_id: parameter.text('Request id shared by request, response and error of one call.'),
  call: parameter.listOf(
    parameter.uuid('Ids (`id`) of events. If a call begins with one of these events, its later events match as well.'),
    MAX_CALLS,
  ),
  mark: many(
    parameter.oneOf(
      MARK_FILTERS,
      'Mark of the event; `none` selects events without a mark. If the query contains `rule`, only marks of those rules count. A rule that is marked as `missed` did not fire, so with `missed` and without `none`, `rule` selects only marks.',
    ),
  ),
  min_cost_usd: parameter.number('Minimum cost in dollars.'),
  min_weir_ms: parameter.number('Minimum processing time of Weir, in milliseconds.'),
  from: parameter.instant('Received at or after this RFC 3339 time.'),
  to: parameter.instant('Received before this RFC 3339 time.'),
  q: parameter.text('Text that the stored payload or metadata contains; upper and lower case are the same.'),
  limit: parameter.integer(1, MAX_LIMIT, `Events per page, 1 to ${MAX_LIMIT}; 50 when absent.`),
  cursor: parameter.text('`next_cursor` of the previous page.'),
  order: parameter.oneOf(['desc', 'asc'], '`desc` (default): newest first. `asc`: oldest first.'),
  view: parameter.oneOf(
    ['events', 'calls'],
    '`calls`: one row per call, with the total cost, the total tokens and the strongest outcome of its request and answers.',
  ),
  archive: parameter.oneOf(['true', 'false'], '`true`: include events that were moved to the archive. This is slower.'),
  fields: parameter.oneOf(['all', 'summary'], '`summary`: omit payload, facts and detectors; this is faster.'),
} as const satisfies QueryTable;

const facet = {
  about: `Fields: ${FACETS.join(', ')} (its keys), or metadata.<key> (its values). Default: app, model, rule and outcome.`,
  schema: { type: 'string', maxLength: 200 },
  read: (value: string): string => {
    if (FACETS.includes(value)) return value;
    if (!value.startsWith(METADATA)) throw new BadParameter(`must be one of ${FACETS.join(', ')}, metadata.<key>`);
    pathOf(value);
    return value;
  },
} as const satisfies QueryParameter<string>;

/** Parameters of the listing of values in addition to the filters. */
export const FACET_PARAMETERS = {
  field: parameter.listOf(facet, 10),
  limit: parameter.integer(1, 100, 'Values per field, 1 to 100; 20 when absent.'),
};

/** Parameters whose name differs from their filter's. */
const FILTER_OF: Readonly<Record<string, string>> = {
  ...{ request_id: 'requestId', session: 'sessionId', q: 'text', min_cost_usd: 'minCostUsd', min_weir_ms: 'minWeirMs' },
};

/**
 * @throws {WeirError} 422 naming each unknown, repeated or unreadable parameter; no value is repeated
 */
export function readEventQuery(query: Readonly<Record<string, unknown>>, manager: Reach): EventQuery {
  const details: ErrorDetail[] = [];
  const terms: Record<string, unknown> = {};
  const not: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const [into, plain] = name.startsWith(NOT) ? [not, name.slice(NOT.length)] : [terms, name];
    try {
      const written = singleValue(value);
      if (plain.startsWith(METADATA)) {
        into['metadata'] = { ...(into['metadata'] as object | undefined), [pathOf(plain)]: written };
        continue;
      }
      if (!Object.hasOwn(EVENT_PARAMETERS, name)) throw new BadParameter('is not a filter');
      const { read } = EVENT_PARAMETERS[name as keyof typeof EVENT_PARAMETERS] as QueryParameter;
      into[FILTER_OF[plain] ?? plain] = read(written);
    } catch (error) {
      if (!(error instanceof BadParameter)) throw error;
      details.push({ path: shownName(name), message: error.message });
    }
  }
  const paths = [terms, not].flatMap((each) => Object.keys((each['metadata'] as object | undefined) ?? {}));
  if (paths.length > MAX_METADATA_TERMS) {
    details.push({ path: 'metadata', message: `must be at most ${MAX_METADATA_TERMS} terms` });
  }
  if (terms['archive'] === 'true' && terms['view'] === 'calls') {
    details.push({ path: 'view', message: 'must be `events` with archive: archived events are listed one by one' });
  }
  if (details.length > 0) throw invalidRequest(details);
  const { cursor, ...filters } = terms as Terms & { cursor?: string };
  return {
    filters: { ...withRuleOfMark(filters), manager, ...(Object.keys(not).length === 0 ? {} : { not: not }) },
    ...(cursor === undefined ? {} : { cursor }),
  };
}

type Terms = Omit<EventFilters, 'manager'>;

/** A rule that is marked as missed did not fire in the call, so the filter by the rule selects marks instead of events. */
function withRuleOfMark(filters: Terms): Terms {
  const { rule, ...others } = filters;
  const marks = filters.mark === undefined ? [] : listOf(filters.mark);
  if (rule === undefined || !marks.includes('missed') || marks.includes('none')) return filters;
  return { ...others, ruleOfMark: rule };
}

function pathOf(name: string): string {
  const path = name.slice(METADATA.length);
  if (path === '' || path === '__proto__' || path.split('.').includes('')) {
    throw new BadParameter('must be metadata.<key>, keys separated by dots');
  }
  return path;
}
