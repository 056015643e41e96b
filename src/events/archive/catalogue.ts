/** The database's records of parts: their objects, their events, and their state. */
import { randomUUID } from 'node:crypto';
import type { Environment } from '../../core/index.js';
import type { SqlExecutor, SqlParameter, SqlRow } from '../../database/index.js';
import type { Week } from '../partitions.js';

/**
 * An SQL condition: an event that is missing from the log is also missing from the archive, because no part of the account covers its
 * id. True for a null id.
 *
 * @param account an SQL expression, like `id`
 */
export const notArchived = (account: string, id: string): string =>
  `NOT EXISTS (SELECT 1 FROM archive_parts p WHERE p.account_id = ${account} AND p.state = 'archived'
    AND p.first_id <= ${id} AND p.last_id >= ${id})`;

/** An SQL condition: events of a week's part are archived. @param entry the alias of its entry in `event_weeks` */
export const inArchive = (entry: string): string =>
  `EXISTS (SELECT 1 FROM archive_parts p WHERE p.account_id = ${entry}.account_id AND p.environment = ${entry}.environment
    AND p.week = ${entry}.week AND p.state = 'archived')`;

export type PartState = 'writing' | 'written' | 'archived' | 'restored' | 'deleting';

/** The events of an account and an environment in one week. */
export interface PartOwner {
  readonly accountId: string;
  readonly environment: Environment;
  readonly week: string;
}

export interface ArchivePart extends PartOwner {
  readonly id: string;
  readonly state: PartState;
  readonly key: string;
  readonly firstId: string;
  readonly lastId: string;
  readonly events: number;
  readonly bytes: number;
  /** Digest of the object; null until the object has been read back. */
  readonly sha256: string | null;
  readonly digest: string | null;
  readonly rowsSum: string | null;
  /** RFC 3339: the time until which a restored part stays in the log. */
  readonly keepUntil: string | null;
}

interface PartRow extends SqlRow {
  readonly account_id: string;
  readonly id: string;
  readonly environment: Environment;
  readonly week: string;
  readonly state: PartState;
  readonly object_key: string;
  readonly first_id: string;
  readonly last_id: string;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly digest: string | null;
  readonly rows_sum: string | null;
  readonly keep_until: string | null;
}

const SELECTED = `SELECT p.account_id::text AS account_id, p.id::text AS id, p.environment, p.week, p.state, p.object_key,
  p.first_id::text AS first_id, p.last_id::text AS last_id, p.events, p.bytes::double precision AS bytes, p.sha256, p.digest,
  p.rows_sum, to_char(p.keep_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS keep_until
  FROM archive_parts p`;

/**
 * Parts in the order of their events.
 *
 * @param where conditions on `p`
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function partsWhere(
  sql: SqlExecutor,
  where: string,
  parameters: readonly SqlParameter[] = [],
): Promise<ArchivePart[]> {
  const rows = await sql.query<PartRow>(`${SELECTED} WHERE ${where} ORDER BY p.first_id, p.id`, parameters);
  return rows.map((row) => ({
    ...{ accountId: row.account_id, environment: row.environment, week: row.week, id: row.id, state: row.state },
    ...{ key: row.object_key, firstId: row.first_id, lastId: row.last_id, events: row.events, bytes: row.bytes },
    ...{ sha256: row.sha256, digest: row.digest, rowsSum: row.rows_sum, keepUntil: row.keep_until },
  }));
}

export interface NewPart extends PartOwner {
  readonly firstId: string;
  readonly lastId: string;
  readonly events: number;
  readonly rowsSum?: string | undefined;
}

/** Records a part that is about to be written. @throws DatabaseError | DatabaseUnavailable */
export async function notePart(sql: SqlExecutor, part: NewPart): Promise<ArchivePart> {
  const id = randomUUID();
  const { accountId, environment, week, firstId, lastId, events, rowsSum = null } = part;
  const key = `${accountId}/${environment}/${week.replace('events_w', '')}/${id}.parquet`;
  await sql.query(
    `INSERT INTO archive_parts (account_id, id, environment, week, state, object_key, first_id, last_id, events, rows_sum,
       created_at, state_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, 'writing', $5, $6::uuid, $7::uuid, $8::integer, $9, now(), now())`,
    [accountId, id, environment, week, key, firstId, lastId, events, rowsSum],
  );
  return {
    ...{ accountId, environment, week, id, key, firstId, lastId, events, rowsSum },
    ...{ state: 'writing', bytes: 0, sha256: null, digest: null, keepUntil: null },
  };
}

/** The properties of an object that was read back. */
export interface ReadBack {
  readonly bytes: number;
  readonly sha256: string;
  readonly digest: string;
}

/** @returns whether the part was in the state `from`, and is in `to` now; @throws DatabaseError | DatabaseUnavailable */
export async function movePart(
  sql: SqlExecutor,
  { accountId, id }: Pick<ArchivePart, 'accountId' | 'id'>,
  { from, to, readBack }: { readonly from: PartState; readonly to: PartState; readonly readBack?: ReadBack },
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE archive_parts SET state = $4, state_at = now(), bytes = coalesce($5::text::bigint, bytes),
       sha256 = coalesce($6, sha256), digest = coalesce($7, digest)
     WHERE account_id = $1::uuid AND id = $2::uuid AND state = $3 RETURNING 1 AS one`,
    [
      accountId,
      id,
      from,
      to,
      readBack === undefined ? null : String(readBack.bytes),
      readBack?.sha256 ?? null,
      readBack?.digest ?? null,
    ],
  );
  return rows.length > 0;
}

/** Conditions on `p`: parts of the week in the state. */
export const IN_WEEK = 'p.week = $1 AND p.state = $2';

/** Runs as the owner of the tables: lists weeks with restored parts, which stay in the log for now. */
export async function weeksKeptInLog(maintenance: SqlExecutor): Promise<ReadonlySet<string>> {
  const rows = await maintenance.query<{ week: string }>(
    `SELECT DISTINCT week FROM archive_parts WHERE state = 'restored' AND keep_until > now()`,
  );
  return new Set(rows.map(({ week }) => week));
}

/** Runs as the owner of the tables: lists a week's parts that are neither archived nor being deleted. */
export function openPartsOf(maintenance: SqlExecutor, { table }: Pick<Week, 'table'>): Promise<ArchivePart[]> {
  return partsWhere(maintenance, `p.week = $1 AND p.state IN ('writing', 'written')`, [table]);
}
