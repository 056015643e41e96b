import type { ActorKind } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import type { SqlRow } from '../database/index.js';
import type { Counts } from './places.js';
import type { SelectorFingerprint } from './selector.js';

export const ERASURE_STATES = ['running', 'waiting', 'done'] as const;
/** `waiting`: calls of the person have not ended yet. */
export type ErasureState = (typeof ERASURE_STATES)[number];

/** Copies that remain after an erasure has ended. */
export interface RemainingCopies {
  /** Whether old row versions were removed from the database's files. */
  readonly vacuumed: boolean;
  /** Files of exports in buckets that may contain data of the person. */
  readonly bucketFiles: number;
  /** Entries of the admin audit log in which users wrote the person's data, as a reason or a name. */
  readonly auditEntries: number;
}

export interface Erasure {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment | null;
  readonly app: string | null;
  readonly fingerprints: readonly SelectorFingerprint[];
  readonly dryRun: boolean;
  readonly because: string | null;
  readonly state: ErasureState;
  readonly counts: Counts;
  readonly openCalls: number;
  readonly remains: RemainingCopies | null;
  /** The reason why the erasure makes no progress; null if it does, or has ended. */
  readonly problem: string | null;
  readonly databasePosition: string | null;
  readonly by: { readonly kind: ActorKind; readonly id: string | null; readonly name: string | null };
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** The progress of an erasure that has not ended. */
export interface Progress {
  readonly pass: number;
  readonly cursor: string | null;
  readonly untilId: string | null;
  readonly openFrom: string | null;
  readonly openCalls: number;
  /** Events that this pass has found. */
  readonly found: number;
  readonly counts: Counts;
  readonly tables: readonly string[];
}

export interface ErasureRow extends SqlRow {
  readonly id: string;
  readonly environment: Environment | null;
  readonly app_id: string | null;
  readonly looked_for: string;
  readonly dry_run: boolean;
  readonly because: string | null;
  readonly state: ErasureState;
  readonly counts: string;
  readonly open_calls: number;
  readonly remains: string | null;
  readonly database_position: string | null;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly created_at_ms: number;
  readonly ended_at_ms: number | null;
}

const ms = (column: string): string =>
  `floor(extract(epoch FROM x.${column}) * 1000)::double precision AS ${column}_ms`;

export const ERASURES = `SELECT x.id::text AS id, x.environment, x.app_id::text AS app_id, x.looked_for::text AS looked_for, x.dry_run,
    x.because, x.state, x.counts::text AS counts, x.open_calls, x.remains::text AS remains, x.database_position, x.actor_kind,
    x.actor_id, coalesce(p.email, t.name) AS actor_name, ${ms('created_at')}, ${ms('ended_at')}
  FROM erasures x
  LEFT JOIN people p ON x.actor_kind = 'person' AND p.id::text = x.actor_id
  LEFT JOIN management_tokens t ON x.actor_kind = 'token' AND t.account_id = x.account_id AND t.token_id = x.actor_id`;

export function erasureOf(accountId: string, row: ErasureRow): Erasure {
  const { id, environment, because, state } = row;
  // The column is written at the end; until then it contains the problem, if there is one.
  const written =
    row.remains === null ? null : (JSON.parse(row.remains) as RemainingCopies | { readonly problem: string });
  return {
    ...{ id, accountId, environment, because, state },
    app: row.app_id,
    fingerprints: JSON.parse(row.looked_for) as SelectorFingerprint[],
    dryRun: row.dry_run,
    counts: JSON.parse(row.counts) as Counts,
    openCalls: row.open_calls,
    remains: written === null || 'problem' in written ? null : written,
    problem: written !== null && 'problem' in written ? written.problem : null,
    databasePosition: row.database_position,
    by: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    createdAt: new Date(row.created_at_ms),
    endedAt: row.ended_at_ms === null ? null : new Date(row.ended_at_ms),
  };
}
