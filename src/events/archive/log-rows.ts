/** Rows of the log as texts: read from a table of events, and inserted into one. */
import type { SqlExecutor } from '../../database/index.js';
import { joinedColumn, joinedValues } from '../append-statement.js';
import type { PartRows } from './part-file.js';

interface ColumnType {
  readonly name: string;
  readonly type: string;
}

/** Makes PostgreSQL write each value in one form, regardless of the settings of the connection. */
export async function inOneForm(transaction: SqlExecutor): Promise<void> {
  await transaction.query(
    `SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, MDY', true),
            set_config('extra_float_digits', '1', true)`,
  );
}

/** The columns of the log. @param table a table of events */
export function columnsOf(sql: SqlExecutor, table: string): Promise<ColumnType[]> {
  return sql.query<{ name: string; type: string }>(
    `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
}

/** The checksum of a row `e`; the checksums of a week are added up. @param text the row as text */
export const rowSum = (text: string): string => `hashtextextended(${text}, 0)::numeric`;
export const ROW_SUM = rowSum('e::text');

/** Approximate size of the rows that one statement reads, in UTF-16 units; a single row may be larger. */
const READ_CHARACTERS = 4 * 1024 * 1024;

export interface Sized {
  readonly id: string;
  readonly characters: number;
}

/**
 * Reads rows as texts, in the order of their ids. Large rows are read a few at a time.
 *
 * @param table a table of events
 * @param events the events to read, all of one account
 * @param columns all columns of the table
 */
export async function readRows(
  sql: SqlExecutor,
  { table, accountId }: { readonly table: string; readonly accountId: string },
  events: readonly Sized[],
  columns: readonly ColumnType[],
): Promise<PartRows> {
  const values: (string | null)[][] = columns.map(() => []);
  const selected = columns.map(({ name }, index) => `e.${name}::text AS c${index}`).join(', ');
  for (const batch of batchesOf(events)) {
    const rows = await sql.query<Record<string, string | null>>(
      `SELECT ${selected} FROM ${table} e WHERE e.account_id = $1::uuid AND e.id = ANY ($2::text[]::uuid[]) ORDER BY e.id`,
      [accountId, batch.map(({ id }) => id)],
    );
    for (const row of rows) columns.forEach((_, index) => values[index]!.push(row[`c${index}`] ?? null));
  }
  return { columns: columns.map(({ name }) => name), values };
}

/** Inserts rows into a table of events. Values for which it has no column are omitted. @throws DatabaseError | DatabaseUnavailable */
export async function insertRows(sql: SqlExecutor, table: string, rows: PartRows): Promise<void> {
  const types = new Map((await columnsOf(sql, table)).map(({ name, type }) => [name, type]));
  const known = rows.columns.flatMap((name, index) => (types.has(name) ? [{ name, index }] : []));
  const count = rows.values[0]?.length ?? 0;
  // Each value is prefixed with a letter, because a single empty value would result in no value.
  const casts = known.map(({ name }) => `substr(r.${name}, 2)::${types.get(name) ?? 'text'}`);
  const statement = `INSERT INTO ${table} (${known.map(({ name }) => name).join(', ')}) SELECT ${casts.join(', ')}
    FROM unnest(${known.map((_, at) => joinedColumn(at)).join(', ')}) AS r (${known.map(({ name }) => name).join(', ')})`;
  const sized = Array.from({ length: count }, (_, row) => ({
    row,
    characters: known.reduce((sum, { index }) => sum + (rows.values[index]![row]?.length ?? 0), 0),
  }));
  for (const batch of batchesOf(sized)) {
    const columns = known.map(({ index }) =>
      batch.map(({ row }) => {
        const value = rows.values[index]![row];
        return value === null || value === undefined ? null : `=${value}`;
      }),
    );
    const size = batch.reduce((sum, { characters }) => sum + characters, 0);
    await sql.query(statement, joinedValues(columns), { size });
  }
}

const BATCH_ROWS = 1_000;

function* batchesOf<T extends { readonly characters: number }>(all: readonly T[]): Generator<readonly T[]> {
  let [batch, characters]: [T[], number] = [[], 0];
  for (const each of all) {
    if (batch.length > 0 && (batch.length >= BATCH_ROWS || characters + each.characters > READ_CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(each);
    characters += each.characters;
  }
  if (batch.length > 0) yield batch;
}
