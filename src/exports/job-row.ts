import type { ActorKind } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import type { SqlRow } from '../database/index.js';
import type { ExportFormat } from '../events/index.js';
import type { ExportDestination, ExportJob, ExportState } from './export-job.js';

export interface JobRow extends SqlRow {
  readonly id: string;
  readonly environment: Environment | null;
  readonly format: ExportFormat;
  readonly filters: string;
  readonly columns: string | null;
  readonly bom: boolean;
  readonly destination: string;
  readonly state: ExportState;
  readonly rows: number;
  readonly rows_expected: number | null;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly cursor: string | null;
  readonly error: string | null;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly created_at_ms: number;
  readonly ended_at_ms: number | null;
  readonly expires_at_ms: number | null;
  readonly has_file: boolean;
  readonly is_resumable: boolean;
  readonly schedule_id: string | null;
  readonly due_at_ms: number | null;
  readonly late_rows: number | null;
}

const ms = (column: string): string =>
  `floor(extract(epoch FROM x.${column}) * 1000)::double precision AS ${column}_ms`;

/** Condition that a failed export can be resumed: its parts, and the credentials of its bucket, are still stored. */
export const resumableTerm = (table: string): string =>
  `(${table}.state = 'failed' AND ${table}.kept AND ${table}.schedule_id IS NULL AND coalesce(${table}.expires_at > now(), false))`;

export const JOB_COLUMNS = [
  "CASE WHEN x.paused AND x.state = 'queued' THEN 'paused' ELSE x.state END AS state",
  ...['environment', 'format', 'bom', 'sha256', 'cursor', 'error', 'actor_kind', 'actor_id'].map((name) => `x.${name}`),
  ...['id', 'filters', 'destination', 'schedule_id'].map((name) => `x.${name}::text AS ${name}`),
  ...['rows', 'rows_expected', 'bytes', 'late_rows'].map((name) => `x.${name}::double precision AS ${name}`),
  ...['created_at', 'ended_at', 'expires_at', 'due_at'].map(ms),
  'array_to_json(x.columns)::text AS columns',
  "(x.kept AND x.state = 'done' AND coalesce(x.expires_at > now(), false)) AS has_file",
  `${resumableTerm('x')} AS is_resumable`,
  'coalesce(p.email, t.name) AS actor_name',
].join(', ');

/** Exports with their requester, a person or a token of the account, if it still exists. */
export const JOB_TABLES = `exports x
  LEFT JOIN people p ON x.actor_kind = 'person' AND p.id::text = x.actor_id
  LEFT JOIN management_tokens t ON x.actor_kind = 'token' AND t.account_id = x.account_id AND t.token_id = x.actor_id`;

export function jobOf(accountId: string, row: JobRow): ExportJob {
  const at = (time: number | null): Date | null => (time === null ? null : new Date(time));
  return {
    id: row.id,
    accountId,
    ...(row.environment === null ? {} : { environment: row.environment }),
    format: row.format,
    filters: JSON.parse(row.filters) as Record<string, string>,
    ...(row.columns === null ? {} : { columns: JSON.parse(row.columns) as string[] }),
    bom: row.bom,
    destination: JSON.parse(row.destination) as ExportDestination,
    state: row.state,
    rows: row.rows,
    rowsExpected: row.rows_expected,
    bytes: row.bytes,
    sha256: row.sha256,
    cursor: row.cursor,
    error: row.error,
    by: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    createdAt: new Date(row.created_at_ms),
    endedAt: at(row.ended_at_ms),
    expiresAt: at(row.expires_at_ms),
    hasFile: row.has_file,
    isResumable: row.is_resumable,
    ...(row.schedule_id === null || row.due_at_ms === null
      ? {}
      : { schedule: { id: row.schedule_id, dueAt: new Date(row.due_at_ms), lateRows: row.late_rows } }),
  };
}
