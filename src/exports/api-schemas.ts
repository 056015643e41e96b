import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';
import { EVENT_COLUMN_NAMES, EXPORT_FORMATS } from '../events/index.js';
import { EXPORT_STATES, type ExportJob } from './export-job.js';

const MAX_FILTERS = 40;

const FILTERS = z
  .record(z.string().min(1).max(200), z.string().min(1).max(1_000))
  .refine((filters) => Object.keys(filters).length <= MAX_FILTERS, `must be at most ${MAX_FILTERS}`)
  .describe('As in the query string of `GET /v1/events`; all of them must match.');

const COLUMNS = z
  .array(z.enum(EVENT_COLUMN_NAMES))
  .min(1)
  .refine((names) => new Set(names).size === names.length, 'must be different columns')
  .describe('Columns of CSV and Parquet, in this order; all of them when absent.');

export const NEW_EXPORT = z
  .strictObject({
    format: z.enum(EXPORT_FORMATS),
    filters: FILTERS.optional(),
    columns: COLUMNS.optional(),
    bom: z.boolean().optional().describe('CSV that begins with a byte order mark, by which Excel knows UTF-8.'),
    destination: z
      .strictObject({ kind: z.literal('download') })
      .optional()
      .describe('`download`, which is the default: the service keeps the file for a while.'),
  })
  .meta({ id: 'NewExport' });

export const EXPORT_JOB = z
  .strictObject({
    id: z.uuid(),
    state: z.enum(EXPORT_STATES),
    format: z.enum(EXPORT_FORMATS),
    filters: z.record(z.string(), z.string()),
    columns: z.array(z.string()).nullable(),
    bom: z.boolean(),
    destination: z.strictObject({ kind: z.literal('download') }),
    environment: z.enum(ENVIRONMENTS).nullable().describe('The only one that whoever asked may see; null: all.'),
    rows: z.int().describe('Events that are in the file.'),
    rows_expected: z.int().nullable().describe('Null before they are counted, and with free text.'),
    bytes: z.int(),
    sha256: z.string().nullable().describe('Of the whole file, when it is done.'),
    cursor: z.string().nullable().describe('How far it has come.'),
    error: z.string().nullable().describe('Why it failed, for people.'),
    by: z.strictObject({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    created_at: z.string(),
    ended_at: z.string().nullable(),
    expires_at: z.string().nullable().describe('When the file is deleted.'),
    has_file: z.boolean().describe('`GET /v1/exports/{id}/file` has it.'),
  })
  .meta({ id: 'Export' });

export const EXPORT_LIST = z.strictObject({ data: z.array(EXPORT_JOB) }).meta({ id: 'Exports' });

export function exportView(job: ExportJob): z.infer<typeof EXPORT_JOB> {
  return {
    id: job.id,
    state: job.state,
    format: job.format,
    filters: { ...job.filters },
    columns: job.columns === undefined ? null : [...job.columns],
    bom: job.bom,
    destination: job.destination,
    environment: job.environment ?? null,
    rows: job.rows,
    rows_expected: job.rowsExpected,
    bytes: job.bytes,
    sha256: job.sha256,
    cursor: job.cursor,
    error: job.error,
    by: job.by,
    created_at: job.createdAt.toISOString(),
    ended_at: job.endedAt?.toISOString() ?? null,
    expires_at: job.expiresAt?.toISOString() ?? null,
    has_file: job.hasFile,
  };
}
