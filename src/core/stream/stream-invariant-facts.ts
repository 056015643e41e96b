import { parseOperatorName } from '../decision/policy-runtime.js';
import type { EngineLeaf } from '../policy/engine-rules.js';

/** Facts that are the same at the first and at the last character of an answer. */
export const STREAM_INVARIANT_FACTS: ReadonlySet<string> = new Set([
  'environment',
  'clock',
  'declared_environment',
  'app',
  'key',
  'provider',
  'model',
  'session',
  'metadata',
  'context',
  'request',
  'budgets',
]);
/** What, once true of the findings so far, stays true whatever is found later. */
const GROWING: Readonly<Record<string, ReadonlySet<string>>> = {
  types: new Set(['any_of', 'all_of']),
  count: new Set(['gt', 'gte']),
  score: new Set(['gt', 'gte']),
  counts: new Set(['gt', 'gte']),
};

/** Whether a leaf asks what a detector has found in such a way that more findings cannot make it false. */
export function onceTrueStays({ fact, path, operator }: EngineLeaf, detectors: ReadonlySet<string>): boolean {
  const kind = path?.split('.')[0] ?? '';
  return detectors.has(fact) && Object.hasOwn(GROWING, kind) && GROWING[kind]!.has(parseOperatorName(operator).op);
}
