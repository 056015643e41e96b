/** The effects of pending migrations on a database in use, computed before they run. */
import type { Migration } from '@mikro-orm/migrations';
import type { Database } from './database.js';
import { pendingMigrations } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { effectOf, type StatementEffect } from './statement-effect.js';

export interface PlannedStatement extends StatementEffect {
  /** Of the table with its parts and indexes; absent where there is none yet. */
  readonly bytes?: number;
  /** How long others may wait, by what disks do that are not fast. */
  readonly seconds: number;
}

export interface PlannedMigration {
  readonly name: string;
  readonly statements: readonly PlannedStatement[];
}

/** Bytes a second at which a server with other work reads and writes a table. */
const READ_RATE = 100_000_000;
const WRITE_RATE = 20_000_000;

/** Looks at the pending migrations and at the sizes of their tables. Changes nothing, and waits for nobody. */
export async function planMigrations(database: Database): Promise<PlannedMigration[]> {
  const plans: PlannedMigration[] = [];
  for (const name of await pendingMigrations(database)) {
    // The first one makes all tables: nobody is there yet to wait.
    const statements = name === MIGRATIONS[0]!.name ? [] : statementsOf(database, name);
    plans.push({ name, statements: await planStatements(database, statements) });
  }
  return plans;
}

/** The same for statements of a migration that is being written. */
export async function planStatements(
  database: Pick<Database, 'sql'>,
  statements: readonly string[],
): Promise<PlannedStatement[]> {
  const planned: PlannedStatement[] = [];
  for (const statement of statements) {
    const effect = effectOf(statement);
    const bytes = effect.table === undefined ? undefined : await sizeOf(database, effect.table);
    planned.push({ ...effect, ...(bytes === undefined ? {} : { bytes }), seconds: secondsOf(effect, bytes) });
  }
  return planned;
}

/** The statements of a migration, without running them. */
export function statementsOf({ orm }: Pick<Database, 'orm'>, name: string): string[] {
  const { class: Class } = MIGRATIONS.find((each) => each.name === name)!;
  const migration: Migration = new Class(orm.em.getDriver() as never, orm.config);
  void migration.up();
  return migration.getQueries().map(String);
}

/** Undefined for a table that is not there. Read by the owner: sizes are no rows. */
async function sizeOf({ sql }: Pick<Database, 'sql'>, table: string): Promise<number | undefined> {
  const [row] = await sql.query<{ bytes: number | null }>(
    `SELECT (SELECT coalesce(sum(pg_total_relation_size(p.relid)), pg_total_relation_size(t.oid))
             FROM pg_partition_tree(t.oid) p)::double precision AS bytes
     FROM (SELECT to_regclass($1)::oid AS oid) t WHERE t.oid IS NOT NULL`,
    [table],
  );
  return row?.bytes ?? undefined;
}

function secondsOf({ work }: StatementEffect, bytes = 0): number {
  if (work === 'nothing') return 0;
  return bytes / (work === 'reads all' ? READ_RATE : WRITE_RATE);
}
