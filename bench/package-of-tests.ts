import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPostgresBinaries } from '../test/support/postgres.js';
import { root } from './shipped-policy.js';

interface PackagesApart {
  ensurePackages(folder: string): Promise<void>;
  requireOfTests(name: string): unknown;
}

/**
 * A package of the tests, which is installed if missing. The service is built without these packages and their types, so callers
 * declare the part that they use.
 */
export async function packageOfTests<T>(name: string): Promise<T> {
  const { ensurePackages, requireOfTests } = await packagesApart();
  await ensurePackages('test');
  return requireOfTests(name) as T;
}

/** Folder of the PostgreSQL programs on this machine, or else of the PostgreSQL package of the tests, which is installed if missing. */
export async function postgresBinaries(): Promise<string | undefined> {
  const found = findPostgresBinaries();
  if (found !== undefined) return found;
  const { ensurePackages } = await packagesApart();
  await ensurePackages('test');
  return findPostgresBinaries();
}

async function packagesApart(): Promise<PackagesApart> {
  return (await import(pathToFileURL(join(root(), 'scripts', 'packages-apart.mjs')).href)) as PackagesApart;
}
