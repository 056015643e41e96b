import { parseOperatorName } from '../decision/policy-runtime.js';
import { comparedFact, factsOfLeaf, type EngineLeaf } from '../policy/engine-rules.js';

/** Facts that are the same at the first and at the last character of an answer. */
const STREAM_INVARIANT_FACTS: ReadonlySet<string> = new Set([
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
/** Whether a fact is the same at the first and at the last character of an answer. */
export function isSameThroughout({ fact }: Pick<EngineLeaf, 'fact'>): boolean {
  return STREAM_INVARIANT_FACTS.has(fact);
}

/** Comparisons that stay true once they are true, whatever the later findings are. */
const GROWING: Readonly<Record<string, ReadonlySet<string>>> = {
  types: new Set(['any_of', 'all_of']),
  count: new Set(['gt', 'gte']),
  score: new Set(['gt', 'gte']),
  counts: new Set(['gt', 'gte']),
};

/** Whether a leaf tests findings in such a way that more findings cannot make it false. */
export function onceTrueStays(leaf: EngineLeaf, detectors: ReadonlySet<string>): boolean {
  const { fact, path, operator } = leaf;
  const isComparedWithSteady = comparedFact(leaf) === undefined || factsOfLeaf(leaf).slice(1).every(isSameThroughout);
  if (!isComparedWithSteady) return false;
  const kind = path?.split('.')[0] ?? '';
  return detectors.has(fact) && Object.hasOwn(GROWING, kind) && GROWING[kind]!.has(parseOperatorName(operator).op);
}
