import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';
import { ERASURE_STATES, type Erasure } from './erasure-job.js';
import { PLACE_NAMES, PLACES } from './places.js';

const MOST_TERMS = 10;
const VALUE = z
  .string()
  .min(1)
  .max(1_000)
  .refine((value) => !value.includes('\0'), 'must contain no NUL character');

export const NEW_ERASURE = z
  .strictObject({
    metadata: z
      .record(z.string().min(1).max(200), VALUE)
      .refine((terms) => Object.keys(terms).length <= MOST_TERMS, `must be at most ${MOST_TERMS}`)
      .optional()
      .describe('Metadata values of the calls, by dotted path, such as `"user.id": "42"`.'),
    session: VALUE.optional().describe('Id of a session, as the client sent it.'),
    token: z
      .string()
      .regex(/^\[\w{1,100}_[bcdfghjklmnpqrstvwxz]{14}\]$/, 'must be a token of a redaction, such as [EMAIL_…]')
      .optional()
      .describe('A token by which redaction with `tokens: stable` replaced a value of the person.'),
    value: z
      .strictObject({ type: z.string().regex(/^\w{1,100}$/), text: VALUE })
      .optional()
      .describe('A value of the person, with its finding code, such as `EMAIL`; its token is searched for.'),
    app: z.uuid().optional().describe('Only events of this app.'),
    environment: z.enum(ENVIRONMENTS).optional().describe('Only events of this environment.'),
    because: VALUE.max(500)
      .optional()
      .describe('Reason, stored in the certificate and in the admin audit log; it must not contain personal data.'),
    dry_run: z.boolean().optional().describe('Only count, without changing anything.'),
  })
  .meta({ id: 'NewErasure' });

const COUNTS = z
  .strictObject(Object.fromEntries(PLACE_NAMES.map((place) => [place, z.int().describe(`${capital(PLACES[place])}.`)])))
  .describe('Number of findings in each place; a dry run only counts them.');

export const ERASURE = z
  .strictObject({
    id: z.uuid(),
    state: z
      .enum(ERASURE_STATES)
      .describe('`waiting`: some matching calls are still open; their events are emptied when the calls end.'),
    dry_run: z.boolean(),
    environment: z.enum(ENVIRONMENTS).nullable(),
    app: z.uuid().nullable(),
    looked_for: z.array(
      z.strictObject({
        kind: z.enum(['metadata', 'session', 'token']),
        path: z.string().nullable().describe('Path of the metadata value; null for other kinds.'),
        fingerprint: z
          .string()
          .describe("HMAC-SHA-256 of the searched value with the account's key; the value itself is not stored."),
      }),
    ),
    because: z.string().nullable(),
    counts: COUNTS,
    open_calls: z.int().describe('Number of open calls that the erasure waits for.'),
    remains: z
      .strictObject({
        vacuumed: z
          .boolean()
          .describe('Whether old versions of the changed rows were removed from the database files.'),
        bucket_files: z
          .int()
          .describe(
            'Number of export files in buckets that may contain data of the person; the owner of the bucket has to delete them.',
          ),
        audit_entries: z
          .int()
          .describe('Number of entries of the append-only admin audit log that name the person in reasons or names.'),
        backups_before: z
          .string()
          .describe(
            'Time when the erasure ended: earlier backups and write-ahead logs contain the erased data until they are deleted.',
          ),
      })
      .nullable()
      .describe(
        'Copies of the data that remain after the erasure; null before the erasure has ended, and for a dry run.',
      ),
    problem: z
      .string()
      .nullable()
      .describe('Why the erasure makes no progress; null while it does, and after it has ended.'),
    database_position: z.string().nullable().describe('Position of the write-ahead log at the end of the erasure.'),
    by: z.strictObject({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    created_at: z.string(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: 'Erasure' });

export const ERASURE_LIST = z.strictObject({ data: z.array(ERASURE) }).meta({ id: 'Erasures' });

export function erasureView(erasure: Erasure): z.infer<typeof ERASURE> {
  const { id, state, environment, app, because, counts, remains, by, endedAt } = erasure;
  return {
    ...{ id, state, environment, app, because, by },
    dry_run: erasure.dryRun,
    looked_for: [...erasure.fingerprints],
    counts: Object.fromEntries(PLACE_NAMES.map((place) => [place, counts[place] ?? 0])),
    open_calls: erasure.openCalls,
    remains:
      remains === null || endedAt === null
        ? null
        : {
            ...{ vacuumed: remains.vacuumed, bucket_files: remains.bucketFiles, audit_entries: remains.auditEntries },
            backups_before: endedAt.toISOString(),
          },
    problem: erasure.problem,
    database_position: erasure.databasePosition,
    created_at: erasure.createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
