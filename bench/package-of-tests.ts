import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
  const program = pathToFileURL(join(root(), 'scripts', 'packages-apart.mjs')).href;
  const { ensurePackages, requireOfTests } = (await import(program)) as PackagesApart;
  await ensurePackages('test');
  return requireOfTests(name) as T;
}
