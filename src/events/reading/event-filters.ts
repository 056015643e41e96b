/** The filters of a listing of events, and their SQL. */
import type { Reach } from '../../access/index.js';
import type { DecisionAction, Environment } from '../../core/index.js';
import type { SqlParameter } from '../../database/index.js';
import { firstEventIdAt, isUuid } from '../event-id.js';
import type { MarkFilter } from '../marks/mark-schemas.js';
import type { EventType } from '../event.js';
import type { Outcome } from '../outcome.js';
import { metadataTerm, storable } from '../search-index.js';

type Many<T> = T | readonly T[];

/** Terms that events must match or, in `not`, must not match. If a term has several values, one of them is enough. */
export interface EventTerms {
  readonly type?: Many<EventType>;
  readonly environment?: Many<Environment>;
  /** Ids or names of apps. */
  readonly app?: Many<string>;
  readonly sessionId?: string;
  readonly model?: Many<string>;
  readonly provider?: Many<string>;
  /** Public ids of keys. */
  readonly key?: Many<string>;
  readonly decision?: Many<DecisionAction>;
  readonly outcome?: Many<Outcome>;
  /** Ids of rules that fired. */
  readonly rule?: Many<string>;
  /** Ids of exceptions that were applied. */
  readonly exception?: Many<string>;
  /** Dotted path and value, such as `user.id` and `7`; all of them must match. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface EventFilters extends EventTerms {
  /** The readable events: those of the account, or of one environment if the token is bound to it. */
  readonly manager: Reach;
  readonly requestId?: string;
  /** Ids of events: selects them and the later events of the calls that begin with them. */
  readonly call?: readonly string[];
  /** Each of these must be absent. */
  readonly not?: EventTerms;
  /** Any of these marks; with `rule` or `ruleOfMark`, only marks on these rules. */
  readonly mark?: Many<MarkFilter>;
  /** The rules of the marks, if they need not have fired. */
  readonly ruleOfMark?: Many<string>;
  /** Minimum cost, in dollars. */
  readonly minCostUsd?: number;
  /** Minimum processing time of Weir, in milliseconds. */
  readonly minWeirMs?: number;
  /** Received at or after this instant. */
  readonly from?: Date;
  /** Received before this instant. */
  readonly to?: Date;
  /** Text in the stored payload or metadata, without regard to case. */
  readonly text?: string;
  /** 1 to 200; default 50. */
  readonly limit?: number;
  /** Oldest first with `asc`. */
  readonly order?: 'asc' | 'desc';
  /** `calls`: one row per call, with its events merged. */
  readonly view?: 'calls' | 'events';
  /** `true`: archived events as well. */
  readonly archive?: 'true' | 'false' | undefined;
  /** `summary`: omit payload, facts and detectors, which is faster. */
  readonly fields?: 'all' | 'summary';
}

/** The parameter of the account, which `filterConditions` adds first. */
export const ACCOUNT = '$1::uuid';

/** Collects conditions and their parameters. */
export class Conditions {
  private readonly terms: string[] = [];
  readonly parameters: SqlParameter[] = [];

  /** Adds a term; its `?` stands for `value`. */
  add(term: string, value: SqlParameter): void {
    this.terms.push(this.term(term, value));
  }

  /** A term that is used elsewhere; its `?` stands for `value`. */
  term(term: string, value: SqlParameter): string {
    return term.replaceAll('?', this.parameter(value));
  }

  addTerms(terms: readonly string[]): void {
    this.terms.push(...terms);
  }

  /** Adds a value for use outside the conditions and returns the name of its parameter. */
  parameter(value: SqlParameter): string {
    this.parameters.push(value);
    return `$${this.parameters.length}`;
  }

  /** A copy: later additions to one do not affect the other. */
  copy(): Conditions {
    const copy = new Conditions();
    copy.terms.push(...this.terms);
    copy.parameters.push(...this.parameters);
    return copy;
  }

  toString(): string {
    return this.terms.join(' AND ');
  }
}

/** The conditions on `events e` that the filters ask for; `text` is not among them, see `EventReader`. */
export function filterConditions(filters: EventFilters): Conditions {
  const where = accountConditions(filters.manager, 'e');
  where.addTerms(plainTerms(where, filters, 'e'));
  where.addTerms(judgedTerms(where, filters, 'e', 'outcome'));
  const { not = {} } = filters;
  where.addTerms([...plainTerms(where, not, 'e'), ...judgedTerms(where, not, 'e', 'outcome')].map(absent));
  where.addTerms(markTerms(where, filters, 'e.id', 'event_id'));
  if (filters.requestId !== undefined) where.add('e.request_id = ?', storable(filters.requestId));
  if (filters.call !== undefined) where.addTerms([callTerm(where, filters.call)]);
  addTimeRange(where, filters);
  return where;
}

/** Conditions on the account and, if the token is bound to an environment, on the environment. */
export function accountConditions(manager: Reach, alias: string): Conditions {
  const where = new Conditions();
  where.add(`${alias}.account_id = ?::uuid`, manager.accountId);
  if (manager.environment !== undefined) where.add(`${alias}.environment = ?`, manager.environment);
  return where;
}

/** The condition that the term is false or null. */
export const absent = (term: string): string => `NOT coalesce(${term}, false)`;

/** Conditions on values that all events of a call share, or that its first event has. */
export function plainTerms(where: Conditions, terms: EventTerms, alias: string): string[] {
  const found = [
    equal(where, `${alias}.type`, terms.type),
    equal(where, `${alias}.environment`, terms.environment),
    equal(where, `${alias}.session_id`, terms.sessionId),
    equal(where, `${alias}.model`, terms.model),
    equal(where, `${alias}.provider`, terms.provider),
    equal(where, `${alias}.key_id`, terms.key),
    ...(terms.app === undefined ? [] : [appTerm(where, listOf(terms.app), alias)]),
    ...Object.entries(terms.metadata ?? {}).map(([path, value]) =>
      where.term(`${alias}.metadata_index @> ?::jsonb`, metadataTerm(path, value)),
    ),
  ];
  return found.filter((term) => term !== undefined);
}

/** Conditions on fields that each event of a call has separately. */
export function judgedTerms(
  where: Conditions,
  terms: EventTerms & Pick<EventFilters, 'minCostUsd' | 'minWeirMs'>,
  alias: string,
  outcomeColumn: 'outcome' | 'call_outcome',
): string[] {
  const { rule, exception, minCostUsd, minWeirMs } = terms;
  const rules = rule === undefined ? [] : listOf(rule).map(storable);
  const one = rules.length === 1;
  const found = [
    equal(where, `${alias}.${outcomeColumn}`, terms.outcome),
    rules.length === 0
      ? undefined
      : where.term(one ? `${alias}.rules @> ARRAY[?::text]` : `${alias}.rules && ?::text[]`, one ? rules[0]! : rules),
    exception === undefined
      ? undefined
      : // Null is a valid value, and `NOT` of it is null again: most events have no exceptions.
        where.term(
          `EXISTS (SELECT FROM json_array_elements(coalesce(${alias}.excepted, '[]')) x WHERE x->>'exception' = ANY (?::text[]))`,
          listOf(exception).map(storable),
        ),
    equal(where, `${alias}.decision`, terms.decision),
    minCostUsd === undefined
      ? undefined
      : where.term(`${alias}.cost_nano_usd >= ?::numeric`, String(BigInt(Math.round(minCostUsd * 1e9)))),
    minWeirMs === undefined ? undefined : where.term(`${alias}.latency_weir_ms >= ?::double precision`, minWeirMs),
  ];
  return found.filter((term) => term !== undefined);
}

/**
 * Conditions on the marks of the event with this id, or of the call that begins with it. Few events have marks, so
 * these are looked up by id.
 */
export function markTerms(
  where: Conditions,
  { mark, rule: fired, ruleOfMark: rule = fired }: Pick<EventFilters, 'mark' | 'rule' | 'ruleOfMark'>,
  id: 'e.id' | 'r.id',
  column: 'event_id' | 'call_id',
): string[] {
  if (mark === undefined) return [];
  const ofRules = rule === undefined ? '' : where.term(' AND m.rule = ANY (?::text[])', listOf(rule).map(storable));
  const words = listOf(mark).filter((word) => word !== 'none');
  const marked = (more: string): string =>
    `SELECT m.${column} FROM event_marks m WHERE m.account_id = ${ACCOUNT}${ofRules}${more}`;
  const terms = [
    ...(words.length === 0
      ? []
      : [`${id} = ANY (ARRAY(${marked(where.term(' AND m.mark = ANY (?::text[])', words))}))`]),
    ...(listOf(mark).includes('none') ? [`NOT EXISTS (${marked(` AND m.${column} = ${id}`)})`] : []),
  ];
  return [`(${terms.join(' OR ')})`];
}

/** Events with these ids and later events of their calls, each found with a separate index. */
function callTerm(where: Conditions, ids: readonly string[]): string {
  const list = `${where.parameter([...ids])}::text[]::uuid[]`;
  return `(e.id = ANY (${list}) OR (e.call_id = ANY (${list}) AND e.call_id <> e.id))`;
}

/**
 * An id has the time of its creation, which may differ from `received_at` because of a slow call or a changed clock.
 */
export const ID_SKEW_MS = 60_000;

/** `received_at` is decisive; the range of ids around it selects the partitions and the part of the index. */
export function addTimeRange(where: Conditions, { from, to }: EventFilters, alias = 'e'): void {
  if (from !== undefined) where.add(`${alias}.received_at >= ?::timestamptz`, storableTime(from));
  if (to !== undefined) where.add(`${alias}.received_at < ?::timestamptz`, storableTime(to));
  addIdRange(where, { from, to }, alias);
}

/** Adds only the range of ids. @param lateMs events up to this much later than `to` are included */
export function addIdRange(
  where: Conditions,
  { from, to }: { readonly from: Date | undefined; readonly to: Date | undefined },
  alias: string,
  lateMs = ID_SKEW_MS,
): void {
  if (from !== undefined) where.add(`${alias}.id >= ?::uuid`, firstEventIdAt(from.getTime() - ID_SKEW_MS));
  if (to !== undefined) where.add(`${alias}.id < ?::uuid`, firstEventIdAt(to.getTime() + lateMs));
}

/** No event was received before 1970, and PostgreSQL has no year 0. */
function storableTime(time: Date): string {
  return new Date(Math.max(time.getTime(), 0)).toISOString();
}

/** The condition that an event belongs to one of these apps, each an id or a name. */
export function appTerm(where: Conditions, apps: readonly string[], alias: string): string {
  const ids = apps.filter(isUuid);
  const names = apps.filter((app) => !isUuid(app)).map(storable);
  const terms = [
    ...(ids.length === 0 ? [] : [equal(where, `${alias}.app_id`, ids, '::uuid')!]),
    ...(names.length === 0
      ? []
      : [
          where.term(
            `${alias}.app_id IN (SELECT id FROM apps WHERE account_id = ${ACCOUNT} AND name = ANY (?::text[]))`,
            names,
          ),
        ]),
  ];
  return `(${terms.join(' OR ')})`;
}

export const listOf = <T extends string>(value: Many<T>): readonly T[] => (typeof value === 'string' ? [value] : value);

/** A single value is compared with `=`, for which an index returns ordered rows. */
function equal(where: Conditions, column: string, value: Many<string> | undefined, cast = ''): string | undefined {
  if (value === undefined) return undefined;
  const [first, ...rest] = listOf(value).map(storable);
  if (first === undefined) return 'false';
  return rest.length === 0
    ? where.term(`${column} = ?${cast}`, first)
    : where.term(`${column} = ANY (?::text[]${cast === '' ? '' : `${cast}[]`})`, [first, ...rest]);
}
