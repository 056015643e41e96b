/**
 * The open database: a `SqlRunner` for the hot path and an EntityManager for the rest, on PostgreSQL or on the
 * embedded PGlite. It knows tables and migrations, and no feature.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager, MikroORM } from '@mikro-orm/core';
import { DatabaseUnusable, toDatabaseError } from './database-error.js';
import type { DatabaseOptions, PostgresPoolOptions } from './database-options.js';
import { lockDataDir } from './embedded/data-dir-lock.js';
import { EmbeddedDatabase } from './embedded/embedded-database.js';
import { EmbeddedRunner } from './embedded/embedded-runner.js';
import { openEmbeddedOrm, openPostgresOrm } from './orm.js';
import { assertDurable, readPostgresSettings } from './postgres/postgres-checks.js';
import { PostgresRunner } from './postgres/postgres-runner.js';
import type { SqlRunner } from './sql-runner.js';

export class Database {
  private readonly finishers: (() => Promise<void>)[] = [];
  private closing?: Promise<void>;

  constructor(
    readonly kind: DatabaseOptions['kind'],
    readonly sql: SqlRunner,
    readonly orm: MikroORM,
    private readonly shutDown: () => Promise<void>,
  ) {}

  /** A fresh EntityManager for one unit of work. */
  entities(): EntityManager {
    return this.orm.em.fork();
  }

  /** Runs `finish` before the connections close, latest registration first: queues empty themselves here. */
  beforeClose(finish: () => Promise<void>): void {
    this.finishers.push(finish);
  }

  /** @throws DatabaseUnavailable when the database does not answer. */
  async ping(): Promise<void> {
    await this.sql.query('SELECT 1 AS one');
  }

  /** Lets everybody finish, then closes. Calling it again waits for the same end. */
  close(): Promise<void> {
    this.closing ??= this.finishAndShutDown();
    return this.closing;
  }

  private async finishAndShutDown(): Promise<void> {
    for (const finish of this.finishers.toReversed()) {
      await finish();
    }
    await this.orm.close(true);
    await this.shutDown();
  }
}

/**
 * Opens the database that the options name. Runs no migration: see `migrate` and `prepareTables`.
 *
 * @throws DatabaseUnusable when the data directory is taken, or the PostgreSQL may lose acknowledged data.
 * @throws DatabaseUnavailable when it cannot be reached.
 */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  switch (options.kind) {
    case 'embedded':
      return openEmbedded(options.dataDir);
    case 'postgres':
      return openPostgres(options.postgres);
  }
}

async function openEmbedded(dataDir: string): Promise<Database> {
  const directory = join(dataDir, 'db');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDataDir(dataDir);
  try {
    return await embedded(await EmbeddedDatabase.open(directory), () => lock.release());
  } catch (error) {
    lock.release();
    throw error instanceof DatabaseUnusable ? error : toDatabaseError(error);
  }
}

async function embedded(database: EmbeddedDatabase, release: () => void): Promise<Database> {
  try {
    const orm = await openEmbeddedOrm(database);
    return new Database('embedded', new EmbeddedRunner(database), orm, async () => {
      await database.close();
      release();
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openPostgres(options: PostgresPoolOptions): Promise<Database> {
  let opened: MikroORM | undefined;
  try {
    const { orm, pool } = await openPostgresOrm(options, async (client) => {
      assertDurable(await readPostgresSettings({ query: async (sql) => (await client.query(sql)).rows }));
    });
    opened = orm;
    const database = new Database('postgres', new PostgresRunner(pool), orm, async () => undefined);
    assertDurable(await readPostgresSettings(database.sql));
    return database;
  } catch (error) {
    await opened?.close(true);
    throw error instanceof DatabaseUnusable ? error : toDatabaseError(error);
  }
}
