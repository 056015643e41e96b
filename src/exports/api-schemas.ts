import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';
import { FILE_COLUMN_NAMES, EXPORT_FORMATS } from '../events/index.js';
import { EXPORT_STATES, type ExportJob } from './export-job.js';

const MAX_FILTERS = 40;
/** The maximum of all names and values in UTF-8: as much as the query string of a request. With it, every valid order fits into a body. */
const MAX_FILTER_KIB = 16;

export const FILTERS = z
  .record(z.string().min(1).max(200), z.string().min(1).max(1_000))
  .refine((filters) => Object.keys(filters).length <= MAX_FILTERS, `must be at most ${MAX_FILTERS}`)
  .refine(
    (filters) => Buffer.byteLength(Object.entries(filters).flat().join('')) <= MAX_FILTER_KIB * 1024,
    `must have at most ${MAX_FILTER_KIB} KiB together`,
  )
  .describe(
    `Filters, with the names and values of the query string of \`GET /v1/events\`; events must match all filters. At most ${MAX_FILTERS}, with at most ${MAX_FILTER_KIB} KiB together.`,
  );

export const COLUMNS = z
  .array(z.enum(FILE_COLUMN_NAMES))
  .min(1)
  .max(FILE_COLUMN_NAMES.length)
  .refine((names) => new Set(names).size === names.length, 'must be different columns')
  .describe('Columns of CSV and Parquet, in this order; all of them when absent.');

const BUCKET = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
  .describe('Name of the bucket.');
const REGION = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be the name of a region');
const PREFIX = z
  .string()
  .max(500)
  .regex(/^(?!\/)(?!.*\.\.)[\w!.*'()/=-]*$/, 'must be letters, digits, / and - . _ ! * = ( )')
  .describe('Prefix of the object name, such as `weir/`.');
const ENDPOINT = z.string().max(300).describe('URL of an S3-compatible service. Default: Amazon S3 in the region.');
const CREDENTIAL = z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII');

const NEW_BUCKET = z
  .strictObject({
    kind: z.literal('s3'),
    bucket: BUCKET,
    prefix: PREFIX.optional(),
    region: REGION,
    endpoint: ENDPOINT.optional(),
    credentials: z
      .strictObject({
        access_key_id: CREDENTIAL.min(4),
        secret_access_key: CREDENTIAL,
        session_token: CREDENTIAL.optional(),
      })
      .describe(
        'Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can no longer be resumed after a failure, or until the schedule is deleted, and never shown again.',
      ),
  })
  .describe('The file is written to a bucket of an S3-compatible service.');

export const NEW_DESTINATION = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('download') }).describe('The service stores the file for a while.'),
  NEW_BUCKET,
]);

/** A bucket to be tested. */
export const TRIED_BUCKET = NEW_BUCKET.meta({ id: 'TriedBucket' });

export const BUCKET_TRIAL = z
  .strictObject({
    ok: z.boolean().describe('Whether an object of one byte could be written and deleted.'),
    problem: z.string().nullable().describe('Human-readable description of the failure.'),
    object: z.string().describe('Name of the test object, which remains if it could not be deleted.'),
  })
  .meta({ id: 'BucketTrial' });

export const DESTINATION = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('download') }),
  z.strictObject({
    kind: z.literal('s3'),
    bucket: z.string(),
    prefix: z.string(),
    region: z.string(),
    endpoint: z.string().nullable(),
    access_key_ends: z.string().describe('The last four characters of the access key id.'),
  }),
]);

export const BOM = z.boolean().describe('Begin CSV with a byte order mark, so that Excel reads it as UTF-8.');

export const NEW_EXPORT = z
  .strictObject({
    format: z.enum(EXPORT_FORMATS),
    filters: FILTERS.optional(),
    columns: COLUMNS.optional(),
    bom: BOM.optional(),
    destination: NEW_DESTINATION.optional().describe('Destination of the file; `download` when absent.'),
  })
  .meta({ id: 'NewExport' });

export const BY = z.strictObject({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() });

export const EXPORT_CHANGE = z
  .strictObject({
    paused: z.boolean().describe('True pauses the export, false resumes a paused or failed export.'),
  })
  .meta({ id: 'ExportChange' });

export const EXPORT_JOB = z
  .strictObject({
    id: z.uuid(),
    state: z.enum(EXPORT_STATES),
    format: z.enum(EXPORT_FORMATS),
    filters: z.record(z.string(), z.string()),
    columns: z.array(z.string()).nullable(),
    bom: z.boolean(),
    destination: DESTINATION,
    environment: z
      .enum(ENVIRONMENTS)
      .nullable()
      .describe('The only environment whose events the requester may see; null if all.'),
    rows: z.int().describe('Number of events in the file so far.'),
    rows_expected: z
      .int()
      .nullable()
      .describe(
        'Expected number of rows; null until the rows are counted, and always null if a filter searches free text.',
      ),
    bytes: z.int(),
    sha256: z.string().nullable().describe('SHA-256 of the complete file.'),
    cursor: z.string().nullable().describe('Position of the export among the events.'),
    error: z
      .string()
      .nullable()
      .describe('Human-readable reason for the failure, or, before the end, why the export began again.'),
    by: BY,
    created_at: z.string(),
    ended_at: z.string().nullable(),
    expires_at: z
      .string()
      .nullable()
      .describe('Time when the file is deleted, or when a failed export can no longer be resumed.'),
    has_file: z.boolean().describe('Whether `GET /v1/exports/{id}/file` returns the file.'),
    resumable: z
      .boolean()
      .describe('Whether the export has failed and `PATCH` with `paused: false` continues it after its last row.'),
    schedule: z
      .strictObject({
        id: z.uuid(),
        due_at: z
          .string()
          .describe('Time at which the run was due; the file contains events received before this time.'),
        late_rows: z
          .int()
          .nullable()
          .describe(
            'Number of matching events of the same period that were stored after the file was written; null if they were not counted.',
          ),
      })
      .nullable()
      .describe('The schedule that started the export; null without a schedule.'),
  })
  .meta({ id: 'Export' });

export const EXPORT_LIST = z.strictObject({ data: z.array(EXPORT_JOB) }).meta({ id: 'Exports' });

export function destinationView(destination: ExportJob['destination']): z.infer<typeof DESTINATION> {
  if (destination.kind === 'download') return destination;
  const { kind, bucket, prefix, region, endpoint, accessKeyEnds } = destination;
  return { kind, bucket, prefix, region, endpoint: endpoint ?? null, access_key_ends: accessKeyEnds };
}

export function exportView(job: ExportJob): z.infer<typeof EXPORT_JOB> {
  return {
    id: job.id,
    state: job.state,
    format: job.format,
    filters: { ...job.filters },
    columns: job.columns === undefined ? null : [...job.columns],
    bom: job.bom,
    destination: destinationView(job.destination),
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
    resumable: job.isResumable,
    schedule: scheduleView(job.schedule),
  };
}

function scheduleView(schedule: ExportJob['schedule']): z.infer<typeof EXPORT_JOB>['schedule'] {
  if (schedule === undefined) return null;
  return { id: schedule.id, due_at: schedule.dueAt.toISOString(), late_rows: schedule.lateRows };
}
