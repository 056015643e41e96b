/** What a listing of events may be narrowed by, and how that reads in SQL. */
import type { Reach } from '../../access/index.js';
import type { DecisionAction, Environment } from '../../core/index.js';
import type { SqlParameter } from '../../database/index.js';
import { firstEventIdAt, isUuid } from '../event-id.js';
import type { EventType } from '../event.js';
import { metadataTerm, storable } from '../search-index.js';

export interface EventFilters {
  /** Whose events: the account's, and those of one environment when the token is bound to one. */
  readonly manager: Reach;
  readonly type?: EventType;
  readonly environment?: Environment;
  /** An app's id or name. */
  readonly app?: string;
  readonly requestId?: string;
  readonly sessionId?: string;
  readonly model?: string;
  readonly decision?: DecisionAction;
  /** Id of a rule that fired. */
  readonly rule?: string;
  /** Dotted path and value, such as `user.id` and `7`; all of them must match. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Received at or after this instant. */
  readonly from?: Date;
  /** Received before this instant. */
  readonly to?: Date;
  /** Text in the stored payload or metadata, without regard to case. */
  readonly text?: string;
  /** 1 to 200, else 50. */
  readonly limit?: number;
}

/** The account's placeholder: `filterConditions` adds it first. */
export const ACCOUNT = '$1::uuid';

/** Collects conditions and their parameters. */
export class Conditions {
  private readonly terms: string[] = [];
  readonly parameters: SqlParameter[] = [];

  /** Adds a term; its `?` stands for `value`. */
  add(term: string, value: SqlParameter): void {
    this.terms.push(term.replaceAll('?', this.parameter(value)));
  }

  /** Adds a value that is used outside of the conditions; answers its placeholder. */
  parameter(value: SqlParameter): string {
    this.parameters.push(value);
    return `$${this.parameters.length}`;
  }

  toString(): string {
    return this.terms.join(' AND ');
  }
}

/** The conditions on `events e` that the filters ask for; `text` is not among them, see `EventReader`. */
export function filterConditions(filters: EventFilters, beforeId: string | undefined): Conditions {
  const where = new Conditions();
  where.add('e.account_id = ?::uuid', filters.manager.accountId);
  equal(where, 'environment', filters.manager.environment);
  equal(where, 'type', filters.type);
  equal(where, 'environment', filters.environment);
  equal(where, 'request_id', filters.requestId);
  equal(where, 'session_id', filters.sessionId);
  equal(where, 'model', filters.model);
  equal(where, 'decision', filters.decision);
  if (filters.app !== undefined) {
    addApp(where, filters.app);
  }
  if (filters.rule !== undefined) {
    where.add('e.rules @> ARRAY[?::text]', storable(filters.rule));
  }
  for (const [path, value] of Object.entries(filters.metadata ?? {})) {
    where.add('e.metadata_index @> ?::jsonb', metadataTerm(path, value));
  }
  addTimeRange(where, filters);
  if (beforeId !== undefined) {
    where.add('e.id < ?::uuid', beforeId);
  }
  return where;
}

/** The time in an id is that of its making, which is `received_at` give or take a slow call or a clock that was set. */
const ID_SKEW_MS = 60_000;

/** `received_at` decides; the range of ids around it finds the partitions and the place in the index. */
function addTimeRange(where: Conditions, { from, to }: EventFilters): void {
  if (from !== undefined) {
    where.add('e.received_at >= ?::timestamptz', storableTime(from));
    where.add('e.id >= ?::uuid', firstEventIdAt(from.getTime() - ID_SKEW_MS));
  }
  if (to !== undefined) {
    where.add('e.received_at < ?::timestamptz', storableTime(to));
    where.add('e.id < ?::uuid', firstEventIdAt(to.getTime() + ID_SKEW_MS));
  }
}

/** Nothing was received before 1970, and PostgreSQL knows no year 0. */
function storableTime(time: Date): string {
  return new Date(Math.max(time.getTime(), 0)).toISOString();
}

/** Adds the condition that an event belongs to the app of this id or name. */
export function addApp(where: Conditions, app: string): void {
  where.add(
    isUuid(app) ? 'e.app_id = ?::uuid' : `e.app_id IN (SELECT id FROM apps WHERE account_id = ${ACCOUNT} AND name = ?)`,
    storable(app),
  );
}

function equal(where: Conditions, column: string, value: string | undefined): void {
  if (value !== undefined) {
    where.add(`e.${column} = ?`, storable(value));
  }
}
