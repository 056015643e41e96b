import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PluginCatalog } from '../../src/core/index.js';
import { projectSchemas } from './project-schemas.js';

/** A schema that differs from the one generated from the files and plugins, with its correct text. */
export interface StaleSchema {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/**
 * Finds the schemas of a folder that `weir schema write` would change.
 *
 * @param root absolute path of the policies folder
 * @param folder absolute path of the folder with the schemas
 */
export async function staleSchemas(
  root: string,
  folder: string,
  catalog: PluginCatalog,
): Promise<{ readonly names: readonly string[]; readonly stale: readonly StaleSchema[] }> {
  const schemas = Object.entries(await projectSchemas(root, catalog));
  const stale: StaleSchema[] = [];
  for (const [name, schema] of schemas) {
    const file = path.join(folder, name);
    const text = `${JSON.stringify(schema, null, 1)}\n`;
    if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) stale.push({ name, file, text });
  }
  return { names: schemas.map(([name]) => name), stale };
}

/** Counts the outdated schemas in the policies folder; 0 if it has no schemas. */
export async function countStaleSchemas(root: string, catalog: () => Promise<PluginCatalog>): Promise<number> {
  const folder = path.join(root, '_schema');
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere ? (await staleSchemas(root, folder, await catalog())).stale.length : 0;
}
