/** Runs one suite on both databases, so that no result holds for one alone. */
import { rmSync } from 'node:fs';
import {
  migrate,
  openDatabase,
  POSTGRES_DEFAULTS,
  type Database,
  type DatabaseOptions,
} from '../../src/database/index.js';
import { newDatabaseFolder } from './database-folder.js';
import { newMigratedDataDir } from './embedded-template.js';
import { findPostgresBinaries, TestPostgres } from './postgres.js';

export interface TestDatabase {
  readonly kind: Database['kind'];
  /** The open database, all migrations run. One per suite: tests in a suite share it. */
  readonly database: Database;
  /** Another connection to the same tables, as another replica would have; on the embedded database the same one. */
  openAnother(): Promise<Database>;
}

/**
 * Declares `suite` once for PGlite and once for PostgreSQL. `WEIR_TEST_DATABASE=embedded|postgres` picks one. Without PostgreSQL on the
 * machine, the suite for it is skipped with a warning; with `WEIR_TEST_DATABASE=postgres` this throws.
 */
export function eachDatabase(title: string, suite: (current: () => TestDatabase) => void): void {
  const only = process.env['WEIR_TEST_DATABASE'];
  if (only !== 'postgres') {
    declareEmbedded(title, suite);
  }
  if (only !== 'embedded') {
    declarePostgres(title, suite, only === 'postgres');
  }
}

function declareEmbedded(title: string, suite: (current: () => TestDatabase) => void): void {
  describe(`${title} (embedded PGlite)`, () => {
    let dataDir: string;
    let opened: Database | undefined;
    let current: TestDatabase;
    beforeAll(async () => {
      dataDir = newDatabaseFolder('weir-embedded-');
      await newMigratedDataDir(dataDir);
      const database = await openDatabase({ kind: 'embedded', dataDir });
      opened = database;
      await migrate(database);
      current = { kind: 'embedded', database, openAnother: () => Promise.resolve(database) };
    }, 60_000);
    afterAll(async () => {
      await opened?.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    suite(() => current);
  });
}

function declarePostgres(title: string, suite: (current: () => TestDatabase) => void, required: boolean): void {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) {
    if (required) {
      throw new Error('WEIR_TEST_DATABASE=postgres, but there are no PostgreSQL binaries on this machine');
    }
    console.warn(`SKIPPED on PostgreSQL, no binaries found: ${title}`);
    describe.skip(`${title} (PostgreSQL: no binaries found)`, () => suite(() => neverOpen()));
    return;
  }
  describe(`${title} (PostgreSQL)`, () => {
    let postgres: TestPostgres;
    let current: TestDatabase;
    const opened: Database[] = [];
    beforeAll(async () => {
      postgres = await TestPostgres.start(binaries);
      const options = postgresOptions(await postgres.newDatabase());
      const open = async (): Promise<Database> => {
        const database = await openDatabase(options);
        opened.push(database);
        return database;
      };
      const database = await open();
      await migrate(database);
      current = { kind: 'postgres', database, openAnother: open };
    }, 60_000);
    afterAll(async () => {
      await Promise.all(opened.map((database) => database.close()));
      await postgres.stop();
    });
    suite(() => current);
  });
}

/** Long timeouts: a busy machine must not look like an unresponsive database. */
const PATIENT = { callTimeoutMs: 60_000, lockTimeoutMs: 2_000 };

/** Options for a database of the test PostgreSQL. */
export function postgresOptions(databaseUrl: string): DatabaseOptions {
  return { kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, ...PATIENT, databaseUrl } };
}

function neverOpen(): TestDatabase {
  throw new Error('a skipped suite opened its database');
}
