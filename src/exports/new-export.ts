/** Creates an export in the database, requested by a person or by a schedule. */
import type { Actor } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import type { SqlExecutor, SqlRow } from '../database/index.js';
import { ExportRefused } from './export-errors.js';
import type { ExportOrder } from './export-job.js';
import type { S3Credentials } from '../object-storage/index.js';
import { seal, unseal } from './sealed.js';

/** Maximum number of queued and running exports per account. */
export const MAX_OPEN = 20;

/** Returns the key that encrypts the credentials of an account. */
export type SealingKey = (accountId: string) => Promise<Uint8Array>;

/** The owner of a bucket's credentials: an export, or the schedule that requests it. */
interface Owner {
  readonly accountId: string;
  readonly id: string;
  readonly scheduleId?: string | null;
}

export interface NewExportRow {
  readonly accountId: string;
  readonly id: string;
  readonly environment: Environment | undefined;
  readonly order: ExportOrder;
  readonly by: Pick<Actor, 'kind' | 'id'>;
  readonly createdAtMs: number;
  readonly sealed: Uint8Array | null;
  readonly schedule?: { readonly id: string; readonly dueAtMs: number };
}

/**
 * Locks the exports and schedules of an account: one transaction at a time counts or changes them. The process that writes a file does not
 * take this lock.
 *
 * @param id an export to lock against that process as well
 */
export async function lockExports(transaction: SqlExecutor, accountId: string, id?: string): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`exports ${accountId}`]);
  if (id !== undefined) await lockRow(transaction, { accountId, id });
}

async function lockRow(transaction: SqlExecutor, { accountId, id }: Pick<Owner, 'accountId' | 'id'>): Promise<void> {
  await transaction.query(
    'SELECT 1 AS one FROM exports WHERE account_id = $1::uuid AND id = $2::uuid FOR NO KEY UPDATE',
    [accountId, id],
  );
}

export async function openExports(transaction: SqlExecutor, accountId: string): Promise<number> {
  const [open] = await transaction.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM exports WHERE account_id = $1::uuid AND state IN ('queued', 'running')`,
    [accountId],
  );
  return open?.n ?? 0;
}

/** @param more exports to be opened in addition to those that are open in this transaction @throws ExportRefused */
export async function checkRoom(transaction: SqlExecutor, accountId: string, more: number): Promise<void> {
  if ((await openExports(transaction, accountId)) + more <= MAX_OPEN) return;
  throw new ExportRefused(`${MAX_OPEN} exports are already queued or running`);
}

export async function insertExport(transaction: SqlExecutor, row: NewExportRow): Promise<void> {
  const { accountId, id, environment, order, by, createdAtMs, sealed, schedule } = row;
  const { format, filters, columns, bom, destination } = order;
  await transaction.query(
    `INSERT INTO exports (account_id, id, environment, format, filters, columns, bom, destination, state, rows, bytes,
       stored, parts, kept, actor_kind, actor_id, created_at, credentials, schedule_id, due_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5::json, $6::text[], $7, $8::json, 'queued', 0, 0, 0, 0, false, $9, $10,
       $11::timestamptz, $12::bytea, $13::uuid, $14::timestamptz)`,
    [
      ...[accountId, id, environment ?? null, format, JSON.stringify(filters), columns ?? null, bom],
      ...[JSON.stringify(destination), by.kind, by.id, new Date(createdAtMs).toISOString(), sealed],
      ...(schedule === undefined ? [null, null] : [schedule.id, new Date(schedule.dueAtMs).toISOString()]),
    ],
  );
}

/**
 * Deletes all stored parts of a file. A process that adds a part locks the export first: so the export is locked here before the deletion,
 * which otherwise would not see a part that is committed meanwhile. The caller ends the job, so that no part is added later.
 */
export async function dropParts(
  transaction: SqlExecutor,
  { accountId, id }: Pick<Owner, 'accountId' | 'id'>,
): Promise<void> {
  await lockRow(transaction, { accountId, id });
  const key = [accountId, id];
  await transaction.query('DELETE FROM export_parts WHERE account_id = $1::uuid AND export_id = $2::uuid', key);
}

/** Details of an order for the admin audit log: of its filters, only the names. */
export function orderDetails({ format, destination, filters }: ExportOrder) {
  return { format, destination: destination.kind, filters: Object.keys(filters) };
}

export async function sealCredentials(
  credentials: S3Credentials | undefined,
  owner: Owner,
  key: SealingKey,
): Promise<Uint8Array | null> {
  return credentials === undefined
    ? null
    : seal(JSON.stringify(credentials), await key(owner.accountId), sealedFor(owner));
}

/** @param sealed in base64 */
export async function unsealCredentials(
  sealed: string | null,
  owner: Owner,
  key: SealingKey,
): Promise<S3Credentials | null> {
  if (sealed === null) return null;
  const text = unseal(Buffer.from(sealed, 'base64'), await key(owner.accountId), sealedFor(owner));
  return text === null ? null : (JSON.parse(text) as S3Credentials);
}

const sealedFor = ({ accountId, id, scheduleId }: Owner): string =>
  scheduleId === undefined || scheduleId === null
    ? `weir export ${accountId} ${id}`
    : `weir export schedule ${accountId} ${scheduleId}`;

/** A row with encrypted credentials in base64. */
export interface SealedRow extends SqlRow {
  readonly credentials: string | null;
}
