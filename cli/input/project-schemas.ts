import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { policySchemas } from '../../src/authoring/index.js';
import type { PluginCatalog } from '../../src/core/index.js';

/**
 * Generates the JSON Schemas for a policies folder. They contain the loaded plugins, and the names of detectors, lists,
 * conditions and budgets that the files of the folder define. Files that cannot be parsed add no names.
 *
 * @param root absolute path of the policies folder
 */
export async function projectSchemas(root: string, catalog: PluginCatalog): Promise<ReturnType<typeof policySchemas>> {
  const found = { detectors: new Map<string, string>(), budgets: new Set<string>(), lists: new Set<string>() };
  const conditions = new Set<string>();
  for (const file of await policyFiles(root)) {
    const document = read(await readFile(file, 'utf8'));
    for (const [key, value] of entriesOf(document['detectors'])) {
      const plugin = entriesOf(value).find(([name]) => name === 'plugin')?.[1];
      if (typeof plugin === 'string') found.detectors.set(key, plugin.replace(/@.*/s, ''));
    }
    for (const [key] of entriesOf(document['lists'])) found.lists.add(key);
    for (const [key] of entriesOf(document['conditions'])) conditions.add(key);
    for (const [, budget] of entriesOf(document['budgets'])) {
      const id = entriesOf(budget).find(([name]) => name === 'id')?.[1];
      if (typeof id === 'string') found.budgets.add(id);
    }
  }
  return policySchemas(catalog, {
    detectors: new Map([...found.detectors].sort()),
    budgets: [...found.budgets].sort(),
    lists: [...found.lists].sort(),
    conditions: [...conditions].sort(),
  });
}

async function policyFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /^[^.].*\.ya?ml$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = parse(text, { version: '1.2', maxAliasCount: 0, logLevel: 'silent' });
    const isPolicy =
      typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Policy';
    return isPolicy ? { ...document } : {};
  } catch {
    return {};
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
