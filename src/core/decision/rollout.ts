import type { FactValue } from '../model/fact.js';
import type { CompiledRule } from '../model/compiled-policy.js';

/** Buckets per rule: a share can be set in steps of a hundredth of a percent. */
const BUCKETS = 10_000;

/**
 * Whether a rule with `rollout` is enforced for a key. A hash of key and rule decides, so the result is stable per key, different rules
 * select different keys, and raising the share only adds keys. For a renamed rule, its oldest id is used, so that
 * the rule selects the same keys as before. Calls without a key id are included.
 */
export function isInRollout({ id, formerly, rolloutPercent }: CompiledRule, keyId: FactValue | undefined): boolean {
  if (rolloutPercent === undefined || typeof keyId !== 'string') return true;
  return fnv1a(`${formerly[0] ?? id}\n${keyId}`) % BUCKETS < rolloutPercent * (BUCKETS / 100);
}

/** FNV-1a, 32 bit, over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/). It distributes keys and is not cryptographic. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV are correlated for short texts that differ only at the end; mixing in the high bits removes that.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
