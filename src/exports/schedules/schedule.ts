import type { ActorKind } from '../../admin-audit/index.js';
import type { Environment } from '../../core/index.js';
import type { SqlRow } from '../../database/index.js';
import type { ExportFormat } from '../../events/index.js';
import type { ExportDestination, ExportOrder, ExportState } from '../export-job.js';
import type { Due } from './due-times.js';

/** The export that a schedule requests repeatedly. */
export interface ScheduleFields {
  readonly name: string;
  readonly due: Due;
  readonly order: ExportOrder;
}

export interface ExportSchedule extends ScheduleFields {
  readonly id: string;
  readonly accountId: string;
  /** Set if the creator may see one environment only. */
  readonly environment?: Environment;
  readonly isPaused: boolean;
  /** Human-readable reason why the service paused the schedule. */
  readonly problem: string | null;
  /** The existing files contain all matching events received before this time. */
  readonly coveredTo: Date;
  readonly nextAt: Date;
  readonly lastRun: {
    readonly id: string;
    readonly state: ExportState;
    readonly error: string | null;
    readonly dueAt: Date;
  } | null;
  readonly by: { readonly kind: ActorKind; readonly id: string | null; readonly name: string | null };
  readonly createdAt: Date;
}

export interface ScheduleRow extends SqlRow {
  readonly id: string;
  readonly environment: Environment | null;
  readonly name: string;
  readonly due: string;
  readonly format: ExportFormat;
  readonly filters: string;
  readonly columns: string | null;
  readonly bom: boolean;
  readonly destination: string;
  readonly paused: boolean;
  readonly problem: string | null;
  readonly covered_to_ms: number;
  readonly next_at_ms: number;
  readonly created_at_ms: number;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly run_id: string | null;
  readonly run_state: ExportState | null;
  readonly run_error: string | null;
  readonly run_due_ms: number | null;
}

const ms = (column: string, as: string): string =>
  `floor(extract(epoch FROM ${column}) * 1000)::double precision AS ${as}_ms`;

export const SCHEDULE_COLUMNS = [
  ...['environment', 'name', 'format', 'bom', 'paused', 'problem', 'actor_kind', 'actor_id'].map((name) => `s.${name}`),
  ...['id', 'due', 'filters', 'destination'].map((name) => `s.${name}::text AS ${name}`),
  ...['covered_to', 'next_at', 'created_at'].map((name) => ms(`s.${name}`, name)),
  'array_to_json(s.columns)::text AS columns',
  'coalesce(p.email, t.name) AS actor_name',
  'r.id::text AS run_id, r.state AS run_state, r.error AS run_error',
  ms('r.due_at', 'run_due'),
].join(', ');

/** Schedules with the responsible person or token, if it still exists, and the last run. */
export const SCHEDULE_TABLES = `export_schedules s
  LEFT JOIN people p ON s.actor_kind = 'person' AND p.id::text = s.actor_id
  LEFT JOIN management_tokens t ON s.actor_kind = 'token' AND t.account_id = s.account_id AND t.token_id = s.actor_id
  LEFT JOIN LATERAL (SELECT x.id, x.state, x.error, x.due_at FROM exports x
    WHERE x.account_id = s.account_id AND x.schedule_id = s.id ORDER BY x.due_at DESC LIMIT 1) r ON true`;

export function scheduleOf(accountId: string, row: ScheduleRow): ExportSchedule {
  return {
    id: row.id,
    accountId,
    ...(row.environment === null ? {} : { environment: row.environment }),
    name: row.name,
    due: JSON.parse(row.due) as Due,
    order: {
      format: row.format,
      filters: JSON.parse(row.filters) as Record<string, string>,
      ...(row.columns === null ? {} : { columns: JSON.parse(row.columns) as string[] }),
      bom: row.bom,
      destination: JSON.parse(row.destination) as ExportDestination,
    },
    isPaused: row.paused,
    problem: row.problem,
    coveredTo: new Date(row.covered_to_ms),
    nextAt: new Date(row.next_at_ms),
    lastRun:
      row.run_id === null || row.run_state === null || row.run_due_ms === null
        ? null
        : { id: row.run_id, state: row.run_state, error: row.run_error, dueAt: new Date(row.run_due_ms) },
    by: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    createdAt: new Date(row.created_at_ms),
  };
}
