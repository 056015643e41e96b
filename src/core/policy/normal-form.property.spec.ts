import fc from 'fast-check';
import { evaluate } from '../decision/evaluate.js';
import { FACTS, NOW_MS } from '../decision/testdata/judge.js';
import { Unknown, type FactValue } from '../model/fact.js';
import { normalForm, type Condition, type Leaf } from './condition-tree.js';
import { DETECTORS, head, policyOf } from './testdata/sample-policy.js';

/** Kleene's three-valued logic, implemented directly: an independent evaluation of the same tree. */
type Tri = true | false | null;
type Tree = { all: Tree[] } | { any: Tree[] } | { not: Tree } | { leaf: number };

const LEAVES = 4;
const not = (value: Tri): Tri => (value === null ? null : !value);
function kleene(tree: Tree, values: readonly Tri[]): Tri {
  if ('leaf' in tree) return values[tree.leaf]!;
  if ('not' in tree) return not(kleene(tree.not, values));
  const parts = ('all' in tree ? tree.all : tree.any).map((part) => kleene(part, values));
  const decisive = 'any' in tree;
  if (parts.includes(decisive)) return decisive;
  return parts.includes(null) ? null : !decisive;
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ leaf: fc.nat(LEAVES - 1) }),
    fc.record({ not: tie('tree') }),
    fc.record({ all: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
  ),
}));
const values = fc.array(fc.constantFrom<Tri>(true, false, null), { minLength: LEAVES, maxLength: LEAVES });

/** Leaf n tests whether `metadata.f<n>` is above 5; a fact that was not sent is unknown. */
function whenOf(node: Tree): unknown {
  if ('leaf' in node) return { [`metadata.f${node.leaf}`]: { gt: 5 } };
  if ('not' in node) return { not: whenOf(node.not) };
  return 'all' in node ? { all: node.all.map(whenOf) } : { any: node.any.map(whenOf) };
}

function factsOf(leaves: readonly Tri[]): FactValue {
  const unknown = new Unknown('failed', 'metadata');
  return Object.fromEntries(leaves.map((value, index) => [`f${index}`, value === null ? unknown : value ? 9 : 1]));
}

function policyFor(node: Tree, onUnknown: string) {
  const rule = { id: 't', stage: 'pre', when: whenOf(node), then: { action: 'block' }, on_unknown: onUnknown };
  return policyOf(`${head('', 'staging')}${DETECTORS}rules:\n  - ${JSON.stringify(rule)}\n`, 'staging');
}

describe('negation normal form', () => {
  it('keeps the meaning of a condition in three-valued logic, whether an unknown condition matches or not', async () => {
    await fc.assert(
      fc.asyncProperty(tree, values, async (node, leaves) => {
        const expected = kleene(node, leaves);
        const input = {
          stage: 'pre',
          nowMs: NOW_MS,
          clientMonitor: false,
          facts: { ...FACTS, metadata: factsOf(leaves) },
        } as const;
        const closed = await evaluate(policyFor(node, 'match'), input);
        const open = await evaluate(policyFor(node, 'no_match'), input);
        expect(closed.action).toBe(expected === false ? 'allow' : 'block');
        expect(closed.unavailable).toBe(expected === null);
        expect(open.action).toBe(expected === true ? 'block' : 'allow');
        expect(open.unavailable).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('contains no "not", and is the same for a condition that is negated twice', () => {
    const leaf = (index: number): Leaf => ({
      kind: 'leaf',
      fact: `f${index}`,
      op: ['eq', 'gte', 'any_of', 'some'][index]!,
      value: 1,
      absence: 'unknown',
      clientControlled: false,
      span: { source: { path: '', text: '', lineStarts: [0] }, start: 0, end: 0 },
    });
    const conditionOf = (node: Tree): Condition => {
      if ('leaf' in node) return leaf(node.leaf);
      if ('not' in node) return { kind: 'not', item: conditionOf(node.not) };
      return 'all' in node
        ? { kind: 'all', items: node.all.map(conditionOf) }
        : { kind: 'any', items: node.any.map(conditionOf) };
    };
    fc.assert(
      fc.property(tree, (node) => {
        const condition = conditionOf(node);
        const normal = normalForm(condition);
        expect(JSON.stringify(normal)).not.toContain('"kind":"not"');
        expect(normalForm({ kind: 'not', item: { kind: 'not', item: condition } })).toEqual(normal);
      }),
    );
  });
});
