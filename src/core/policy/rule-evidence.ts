import type { CompiledRule } from '../model/compiled-policy.js';
import type { RedactSpec } from '../model/decision.js';
import type { Stage } from '../model/fact.js';
import type { BoundSource } from './bind-detectors.js';
import type { Leaf } from './condition-tree.js';

type Evidence = CompiledRule['evidence'];

/** Operators that are true because of findings; others can be true without any. */
const POSITIVE = new Set(['eq', 'in', 'any_of', 'all_of', 'contains', 'gt', 'gte', 'exists']);

/**
 * The findings that make a rule match: the codes that its conditions name, all findings of a detector whose count or score they read,
 * and the codes it redacts. Sorted by detector.
 */
export function evidenceOf(
  leaves: readonly Leaf[],
  targets: RedactSpec['targets'],
  lists: ReadonlyMap<string, readonly (string | number)[]>,
): Evidence {
  const byDetector = new Map<string, Set<string> | 'all'>();
  const add = (detector: string, codes: readonly string[] | 'all'): void => {
    const known = byDetector.get(detector) ?? new Set<string>();
    byDetector.set(detector, codes === 'all' ? codes : known);
    if (known !== 'all' && codes !== 'all') for (const code of codes) known.add(code);
  };
  for (const { detector, code } of targets) add(detector, [code]);
  for (const leaf of leaves) {
    if (leaf.detector !== undefined && POSITIVE.has(leaf.op)) add(leaf.detector, codesOf(leaf, lists));
  }
  return [...byDetector]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([detector, codes]) => ({ detector, codes: codes === 'all' ? codes : [...codes].sort() }));
}

function codesOf(
  { fact, value }: Leaf,
  lists: ReadonlyMap<string, readonly (string | number)[]>,
): readonly string[] | 'all' {
  const [, aspect, code] = fact.split('.');
  if (aspect === 'counts' && code !== undefined) return [fact.slice(fact.indexOf('.counts.') + '.counts.'.length)];
  if (aspect !== 'types') return 'all';
  if (typeof value === 'string') return [value];
  if (typeof value === 'object' && 'fact' in value) return 'all';
  if (typeof value === 'object' && 'list' in value) return lists.get(value.list)?.map(String) ?? 'all';
  return Array.isArray(value) ? value.map(String) : 'all';
}

/** The general subject of a rule, shown with a violation. */
export function categoryOf(
  stage: Stage,
  leaves: readonly Leaf[],
  targets: RedactSpec['targets'],
  detectors: readonly BoundSource[],
): string {
  if (stage === 'tool') return 'tool_use';
  const first = targets[0]?.detector ?? leaves.find((leaf) => leaf.detector !== undefined)?.detector;
  const source = detectors.find(({ binding }) => binding.key === first);
  if (source !== undefined) return source.plugin.meta.family;
  return leaves.some((leaf) => leaf.ledger !== undefined) ? 'budget' : 'policy';
}
