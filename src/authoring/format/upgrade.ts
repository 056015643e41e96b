import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { newestBuiltIn } from '../../core/policy/built-in/index.js';

/**
 * Replaces each built-in policy that a file extends with its newest version, and changes nothing else. A version that is newer than all
 * versions in this Weir is kept.
 *
 * @param newest the newest version of a built-in policy, if there is one
 */
export function upgradeBuiltIns(
  text: string,
  newest: (name: string) => string | undefined = (name) => newestBuiltIn(name),
): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'silent' });
  const items = isMap(document.contents) ? document.contents.get('extends', true) : undefined;
  if (document.errors.length > 0 || !isSeq(items)) return text;
  let upgraded = text;
  for (const item of [...items.items].reverse()) {
    if (!isScalar(item) || typeof item.value !== 'string' || item.range === undefined || item.range === null) continue;
    const name = item.value;
    const next = newest(name);
    if (next === undefined || versionOf(next) <= versionOf(name)) continue;
    const [start, end] = item.range;
    upgraded = `${upgraded.slice(0, start)}${upgraded.slice(start, end).replace(name, next)}${upgraded.slice(end)}`;
  }
  return upgraded;
}

function versionOf(name: string): number {
  return Number(/@(\d+)$/.exec(name)?.[1] ?? Number.NaN);
}
