import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/index.js';

/**
 * Fills `dataDir` with a new, empty embedded database. Making one from nothing takes seconds of computing, so the first
 * test that needs one makes a template, kept until PGlite changes, and everybody copies it.
 */
export async function newEmbeddedDataDir(dataDir: string): Promise<void> {
  cpSync(await template(), dataDir, { recursive: true });
}

async function template(): Promise<string> {
  const manifest = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8')) as {
    version: string;
  };
  const cache = join(process.cwd(), 'node_modules/.cache/weir');
  const finished = join(cache, `pglite-${manifest.version}`);
  if (existsSync(finished)) {
    return finished;
  }
  const draft = `${finished}.${process.pid}.draft`;
  mkdirSync(draft, { recursive: true });
  await (await openDatabase({ kind: 'embedded', dataDir: draft })).close();
  for (const name of ['weir.lock', 'weir.pid']) {
    rmSync(join(draft, name), { force: true });
  }
  try {
    renameSync(draft, finished);
  } catch {
    // Another test was faster; its template is as good.
    rmSync(draft, { recursive: true, force: true });
  }
  return finished;
}
