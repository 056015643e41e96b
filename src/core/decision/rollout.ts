import type { FactValue } from '../model/fact.js';
import type { CompiledRule } from '../model/compiled-policy.js';

/** Buckets per rule: a share can be set in steps of a hundredth of a percent. */
const BUCKETS = 10_000;

/**
 * Whether a rule with `rollout` is enforced for a key: by a hash of key and rule, so that a key stays on its side, other
 * rules cut the keys elsewhere, and raising the share only adds keys. A call without a key id counts as inside.
 */
export function isInRollout({ id, rolloutPercent }: CompiledRule, keyId: FactValue | undefined): boolean {
  if (rolloutPercent === undefined || typeof keyId !== 'string') return true;
  return fnv1a(`${id}\n${keyId}`) % BUCKETS < rolloutPercent * (BUCKETS / 100);
}

/** FNV-1a, 32 bit, over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/): spreads, does not protect. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV move in step for short texts that differ at the end; mixing the high ones in undoes that.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
