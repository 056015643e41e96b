import { parse } from 'yaml';

/** The owner of each policy document, by its id: `metadata.owner`. */
export function policyOwners(files: Iterable<readonly [path: string, text: string]>): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [file, text] of files) {
    if (!/\.ya?ml$/.test(file)) continue;
    const { id, owner } = metadataOf(text);
    if (typeof id === 'string' && typeof owner === 'string') owners.set(id, owner);
  }
  return owners;
}

function metadataOf(text: string): { readonly id?: unknown; readonly owner?: unknown } {
  try {
    const document: unknown = parse(text, { version: '1.2', maxAliasCount: 0, logLevel: 'silent' });
    const metadata =
      typeof document === 'object' && document !== null && 'metadata' in document ? document.metadata : {};
    return typeof metadata === 'object' && metadata !== null ? metadata : {};
  } catch {
    return {};
  }
}
