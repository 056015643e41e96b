/** The effects of pending migrations on a database in use, computed before they run. */
import type { Migration } from '@mikro-orm/migrations';
import type { Database } from './database.js';
import { pendingMigrations } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { effectOf, type StatementEffect } from './statement-effect.js';

export interface PlannedStatement extends StatementEffect {
  /** The size of the table with its partitions and indexes; absent if it does not exist yet. */
  readonly bytes?: number;
  /** An estimate of the time for which other statements are blocked, with a slow disk. */
  readonly seconds: number;
}

export interface PlannedMigration {
  readonly name: string;
  readonly statements: readonly PlannedStatement[];
}

/** The assumed rates, in bytes per second, at which a busy server reads and writes a table. */
const READ_RATE = 100_000_000;
const WRITE_RATE = 20_000_000;

/** Reads the pending migrations and the sizes of their tables. It changes nothing and waits for no lock. */
export async function planMigrations(database: Database): Promise<PlannedMigration[]> {
  const plans: PlannedMigration[] = [];
  for (const name of await pendingMigrations(database)) {
    // The first migration creates all tables, so it cannot block anybody.
    const statements = name === MIGRATIONS[0]!.name ? [] : statementsOf(database, name);
    plans.push({ name, statements: await planStatements(database, statements) });
  }
  return plans;
}

/** Like `planMigrations`, for the statements of a migration that is being written. */
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

/** The size of a table in bytes; undefined if it does not exist. It needs no scope, because it reads no rows. */
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
