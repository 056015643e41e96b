import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPostgresBinaries } from '../test/support/postgres.js';
import { root } from './shipped-policy.js';

interface PackagesApart {
  ensurePackages(folder: string): Promise<void>;
  requireOfTests(name: string): unknown;
}

/**
 * A package that stands with the tests, and is installed when it is not there. The service is built without those packages, so
 * neither are their types: who asks says what it uses.
 */
export async function packageOfTests<T>(name: string): Promise<T> {
  const { ensurePackages, requireOfTests } = await packagesApart();
  await ensurePackages('test');
  return requireOfTests(name) as T;
}

/** The programs of the PostgreSQL on this machine; where there is none, of the one that stands with the tests. */
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
