import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, openDatabase, type Database } from '../../src/database/index.js';

/**
 * Fills `dataDir` with a new, empty embedded database. Creating one takes seconds of CPU time, so the first test that needs one creates
 * a template, which is cached until the PGlite version changes, and all tests copy it.
 */
export async function newEmbeddedDataDir(dataDir: string): Promise<void> {
  cpSync(await emptyTemplate(), dataDir, { recursive: true });
}

/**
 * Fills `dataDir` with a new embedded database that has all tables but no rows. The template is cached until the sources of the
 * migrations or of the isolation of accounts change.
 */
export async function newMigratedDataDir(dataDir: string): Promise<void> {
  // The migrations read the functions of the ledger from their files.
  const patterns = ['src/database/{migrations,isolation}/**/*.ts', 'src/budgets/ledger/functions/*.sql'];
  const sources = globSync(patterns, { exclude: (path) => path.endsWith('.spec.ts') });
  const hash = createHash('sha256').update(process.env['WEIR_TEST_ISOLATION'] ?? '');
  for (const path of sources.sort()) hash.update(readFileSync(path));
  const name = `${pgliteName()}-migrated-${hash.digest('hex').slice(0, 16)}`;
  const made = await template(name, async (draft) => {
    await newEmbeddedDataDir(draft);
    return open(draft, migrate);
  });
  cpSync(made, dataDir, { recursive: true });
}

function emptyTemplate(): Promise<string> {
  return template(pgliteName(), (draft) => open(draft, () => undefined));
}

function pgliteName(): string {
  const manifest = readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8');
  return `pglite-${(JSON.parse(manifest) as { version: string }).version}`;
}

async function open(dataDir: string, work: (database: Database) => unknown): Promise<void> {
  const database = await openDatabase({ kind: 'embedded', dataDir });
  await work(database);
  await database.close();
}

async function template(name: string, make: (draft: string) => Promise<void>): Promise<string> {
  const cache = join(process.cwd(), 'node_modules/.cache/weir');
  const finished = join(cache, name);
  if (existsSync(finished)) {
    return finished;
  }
  const draft = `${finished}.${process.pid}.draft`;
  mkdirSync(draft, { recursive: true });
  await make(draft);
  for (const left of ['weir.lock', 'weir.pid']) {
    rmSync(join(draft, left), { force: true });
  }
  try {
    renameSync(draft, finished);
  } catch {
    // Another test was faster; its template is used instead.
    rmSync(draft, { recursive: true, force: true });
  }
  return finished;
}
