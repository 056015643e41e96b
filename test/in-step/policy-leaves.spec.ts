import { PLUGINS } from '../../plugins/index.js';
import {
  comparePolicies,
  isTouched,
  LEAF_CLASSES,
  mutantsOf,
  policyChanges,
  policySchemas,
  unshownWeakenings,
} from '../../src/authoring/index.js';
import { compilePolicy, type CompiledPolicy } from '../../src/core/index.js';
import {
  changedLeaf,
  changedList,
  FULL_POLICY,
  LISTS_INSIDE,
  OTHER_VALUES,
  PLAIN_TEXT,
  type Plain,
} from '../support/full-policy.js';
import { sampled } from '../support/sampled.js';
import { leavesOfSchema, type Schema } from '../support/schema-leaves.js';

const NOW_MS = Date.parse('2026-11-21T00:00:00Z');
const SCHEMA = policySchemas(PLUGINS, { detectors: new Map(), budgets: [], lists: [], conditions: [] })[
  'policy.v1.json'
] as Schema;
const LEAVES = leavesOfSchema(SCHEMA);

function problemsOr(document: Plain): CompiledPolicy | string {
  const { policy, problems } = compilePolicy({
    environment: 'production',
    files: [
      { path: 'production/policy.yaml', text: JSON.stringify(document) },
      { path: '_shared/base.yaml', text: PLAIN_TEXT },
    ],
    plugins: PLUGINS,
  });
  return policy ?? problems.map(({ message, hint }) => `${message} ${hint}`).join('; ');
}

function compiled(document: Plain): CompiledPolicy {
  const policy = problemsOr(document);
  if (typeof policy === 'string') throw new Error(policy);
  return policy;
}

/** @returns undefined for a document that is no longer a valid policy after the removal */
function compiledOrNot(document: Plain): CompiledPolicy | undefined {
  const policy = problemsOr(document);
  return typeof policy === 'string' ? undefined : policy;
}

/** The results of the three gates for a change. */
async function gates(base: CompiledPolicy, next: CompiledPolicy) {
  const changes = policyChanges(base, next, NOW_MS);
  const comparison = await comparePolicies(base, next, { plugins: PLUGINS, nowMs: NOW_MS, maxRequests: 300 });
  const shown = (direction: string): boolean => comparison.changes.some((one) => one.direction === direction);
  const beside = unshownWeakenings(changes, comparison);
  return {
    diff: { weaker: shown('weaker') || beside.length > 0, stricter: shown('stricter'), failsBeside: beside.length > 0 },
    plan: changes,
    mutate: mutantsOf(new Map([['production', next]])).filter((mutant) => isTouched(mutant, changes)),
  };
}

describe('The table of leaves', () => {
  it('has a class for every leaf of the policy schema, and for nothing else', () => {
    expect(Object.keys(LEAF_CLASSES).sort()).toEqual([...LEAVES].sort());
  });

  it('has a reason for each class', () => {
    expect(Object.entries(LEAF_CLASSES).filter(([, { why }]) => !/^[A-Z].{10,}\.$/.test(why))).toEqual([]);
  });

  it('has alternative values for each leaf that is not neutral', () => {
    const ordered = LEAVES.filter((leaf) => LEAF_CLASSES[leaf]!.order.words !== 'neither weaker nor stricter');
    expect(ordered.filter((leaf) => OTHER_VALUES[leaf] === undefined)).toEqual([]);
  });
});

const base = compiled(FULL_POLICY as unknown as Plain);
const casesOf = (others: typeof OTHER_VALUES) =>
  Object.entries(others).flatMap(([name, { weaker, stricter, either }]) => [
    ...(weaker === undefined ? [] : [[name, 'weaker', weaker.value] as const]),
    ...(stricter === undefined ? [] : [[name, 'stricter', stricter.value] as const]),
    ...(either === undefined ? [] : [[name, 'incomparable', either.value] as const]),
  ]);
const cases = casesOf(OTHER_VALUES);

describe.each(sampled(cases, 6))('A change that makes the leaf %s %s', (leaf, direction, value) => {
  it('is detected by diff, plan and mutate', async () => {
    const { diff, plan, mutate } = await gates(base, compiled(changedLeaf(leaf, value as Plain)));
    expect(plan).not.toEqual([]);
    expect(mutate).not.toEqual([]);
    if (direction === 'stricter') {
      expect(diff.stricter || plan.some(({ effect }) => effect === 'stricter')).toBe(true);
      expect(diff.failsBeside).toBe(false);
    } else {
      expect(diff.weaker).toBe(true);
      if (direction === 'weaker')
        expect(plan.some(({ weaker }) => weaker) || LEAF_CLASSES[leaf]!.comparedBy !== 'values').toBe(true);
    }
  });
});

describe.each(casesOf(LISTS_INSIDE))('A change that makes the list %s %s', (name, direction, value) => {
  it('is shown by a request, planned and mutated, although a condition names the list inside some or flow', async () => {
    const { diff, plan, mutate } = await gates(base, compiled(changedList(name, value)));
    expect(plan).toEqual([expect.objectContaining({ what: 'list', id: name, effect: direction })]);
    expect(mutate.map(({ leaf, part }) => [leaf, part])).toContainEqual(['lists.*', `list ${name}`]);
    expect(diff).toEqual({ weaker: direction === 'weaker', stricter: direction === 'stricter', failsBeside: false });
  });
});

/** Names of other things, of which no wrong value can be made up. */
const NOT_MADE_UP = [
  'budgets[].window.timezone',
  'detectors.*.plugin',
  'detectors.*(regex).patterns.*[].group',
  'detectors.*(remote).service',
  'detectors.*(remote).format',
  'detectors.*(remote).path',
  'detectors.*(remote).language',
  'detectors.*(remote).offsets',
];

describe('The mutants', () => {
  it('include a wrong value of every leaf that is not neutral, in the policy before or after a change of the leaf', () => {
    const mutated = (policy: CompiledPolicy): string[] =>
      mutantsOf(new Map([['production', policy]])).map(({ leaf }) => leaf);
    const before = mutated(base);
    expect(before.filter((leaf) => !LEAVES.includes(leaf))).toEqual([]);
    const found = cases.filter(
      ([leaf, , value]) => before.includes(leaf) || mutated(compiled(changedLeaf(leaf, value as Plain))).includes(leaf),
    );
    const leaves = new Set(found.map(([leaf]) => leaf));
    expect(Object.keys(OTHER_VALUES).filter((leaf) => !leaves.has(leaf))).toEqual(NOT_MADE_UP);
  });

  it('differ in their descriptions, so that no mutant takes the place of another one', () => {
    const versions = mutantsOf(new Map([['production', base]])).map((mutant) => [mutant.id, mutant.versions.length]);
    expect(versions.filter(([, count]) => count !== 1)).toEqual([]);
  });
});

/** The path of every nested value, as its keys. */
function placesIn(value: Plain, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [
    [...at, key],
    ...placesIn((value as Record<string | number, Plain>)[key], [...at, key]),
  ]);
}

/** The full policy without the leaf or subtree at one path. */
function without(place: readonly (string | number)[]): Plain {
  const copy = structuredClone(FULL_POLICY) as unknown as Plain;
  let at = copy as Record<string | number, Plain>;
  for (const step of place.slice(0, -1)) at = at[step] as Record<string | number, Plain>;
  const last = place.at(-1)!;
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}

/** Values that equal the default, so that removing them has no effect. */
const AS_BY_DEFAULT = [
  'detectors.words.lists.SECRET.whole_words',
  'detectors.hid.patterns.HID.0.case_sensitive',
  'detectors.hid.patterns.HID.0.group',
  'detectors.far.language',
  'detectors.far.offsets',
];
/** Leaves that do not affect any judgement according to the table. */
const FOR_NOBODY =
  /(?:\.title|\.severity|\.message|\.detail|\.label|\.batch|\.(?:formerly|tags)(?:\.0)?|^overrides(?:\.0)?)$/;

describe('The removal of a part of a policy', () => {
  it('weakens the policy according to the gate, or else the reverse change does', async () => {
    const hidden: string[] = [];
    const removed = sampled(placesIn(FULL_POLICY as unknown as Plain), 6);
    for (const place of removed) {
      const name = place.join('.');
      const next = compiledOrNot(without(place));
      if (next === undefined || next.canonical === base.canonical) continue;
      if (FOR_NOBODY.test(name) || AS_BY_DEFAULT.includes(name)) continue;
      const fails = async (from: CompiledPolicy, to: CompiledPolicy): Promise<boolean> =>
        (await gates(from, to)).diff.weaker;
      if (!(await fails(base, next)) && !(await fails(next, base))) hidden.push(name);
    }
    // No rule distinguishes these scores.
    const alike = ['detectors.words.lists.SECRET.score', 'detectors.hid.patterns.HID.0.score'];
    expect(hidden).toEqual(alike.filter((name) => removed.some((place) => place.join('.') === name)));
  });
});
