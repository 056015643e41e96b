import type { JsonValue } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { STAGES } from '../../core/model/fact.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import { classOf, leafName, leafValues, shownChange, shownValue, type LeafValue } from '../policy-leaves/index.js';
import type { Mutation } from './mutation.js';
import { brokenPatterns } from './broken-patterns.js';

/** Settings for which `mutate-rules.ts` makes the mutants. */
const ELSEWHERE = /^(?:default|mode|client_monitor_mode|media|unread\..*|unmaskable\..*)$/;

/** Mutants of each leaf of budgets, prices, detectors and settings that the files set, and of each removed budget. */
export function leafMutants(policy: CompiledPolicy): Mutation[] {
  const leaves = leafValues(policy).filter(({ leaf }) => !ELSEWHERE.test(leaf));
  return [...leaves.flatMap((leaf) => mutantsOfLeaf(leaf, policy)), ...removedBudgets(policy)];
}

function mutantsOfLeaf(leaf: LeafValue, policy: CompiledPolicy): Mutation[] {
  const at = placeOf(leafName(leaf), policy);
  if (at === undefined || leaf.value === undefined) return [];
  if (leaf.leaf === 'detectors.*.min_score') return scoreMutants(leaf, at, policy);
  return mistakesIn(leaf, leaf.value).map((wrong) => mutantOf(leaf, wrong, at));
}

/** One mutant for each code with its own score in the files, or one for all codes together. */
function scoreMutants(leaf: LeafValue, at: SourcePlace, { sources }: CompiledPolicy): Mutation[] {
  const scores = leaf.value as Readonly<Record<string, number>>;
  const name = leafName(leaf);
  const written = Object.keys(scores).flatMap((code) => {
    const place = sources.settings[`${name}.${code}`];
    return place === undefined ? [] : [{ code, place }];
  });
  const wrong = (score: number): number => (score < 1 ? 1 : 0);
  if (written.length === 0) {
    const all = Object.fromEntries(Object.entries(scores).map(([code, score]) => [code, wrong(score)]));
    return [{ ...mutantOf(leaf, all, at), text: `${name} becomes ${Object.values(all)[0]}` }];
  }
  return written.map(({ code, place }) => {
    const next = wrong(scores[code]!);
    const text = `${name}.${code}: ${scores[code]} becomes ${next}`;
    return { ...mutantOf(leaf, { ...scores, [code]: next }, place), text };
  });
}

/** Values that could be written by mistake instead of this value. */
function mistakesIn({ leaf }: LeafValue, value: JsonValue): JsonValue[] {
  const name = leaf.slice(leaf.lastIndexOf('.') + 1);
  if (leaf.includes('(regex)') && name === 'pattern' && typeof value === 'string') return brokenPatterns(value);
  if (leaf.includes('(keywords)') && name === 'words') {
    const words = value as readonly JsonValue[];
    return words.length < 2 ? [] : words.map((word) => words.filter((other) => other !== word));
  }
  const wrong = classOf(leaf).order.mistake(value);
  return wrong === undefined || JSON.stringify(wrong) === JSON.stringify(value) ? [] : [wrong];
}

function mutantOf(leaf: LeafValue, wrong: JsonValue, at: SourcePlace): Mutation {
  const { comparedBy, why } = classOf(leaf.leaf);
  const isList = Array.isArray(wrong);
  const change = isList
    ? shownChange(leaf.leaf, leaf.value, wrong)
    : `${shownText(leaf.leaf, leaf.value)} becomes ${shownText(leaf.leaf, wrong)}`;
  return {
    text: `${leafName(leaf)}: ${change}`,
    at,
    leaf: leaf.leaf,
    owners: [],
    stages: STAGES,
    part: `${leaf.what} ${leaf.id}`,
    why,
    ...(leaf.what === 'detector' && comparedBy !== 'values' && { isOfDetector: true as const }),
    ...(comparedBy === 'values' && { isBeyondTexts: true as const }),
    apply: (base) => sameLeaf(leaf, base)?.with(wrong) ?? base,
  };
}

function shownText(leaf: string, value: JsonValue | undefined): string {
  return typeof value === 'object' ? JSON.stringify(value) : shownValue(leaf, value);
}

function sameLeaf(leaf: LeafValue, policy: CompiledPolicy): LeafValue | undefined {
  const name = leafName(leaf);
  return leafValues(policy).find((one) => leafName(one) === name);
}

function removedBudgets(policy: CompiledPolicy): Mutation[] {
  return policy.budgets.flatMap(({ id }) => {
    const at = placeOf(`budgets.${id}`, policy);
    if (at === undefined) return [];
    return [
      {
        text: `remove the budget ${id}`,
        at,
        leaf: 'budgets[].id',
        owners: [],
        stages: STAGES,
        part: `budget ${id}`,
        why: 'The budget no longer counts or refuses calls.',
        isBeyondTexts: true,
        apply: (base: CompiledPolicy) => ({ ...base, budgets: base.budgets.filter((one) => one.id !== id) }),
      } satisfies Mutation,
    ];
  });
}

/** The position of a leaf in the files, or of the nearest part above it; undefined if the files do not set it. */
function placeOf(name: string, { sources }: CompiledPolicy): SourcePlace | undefined {
  const exact = sources.settings[name];
  if (exact !== undefined || !/^(?:detectors|budgets)\./.test(name)) return exact;
  // A pattern may be written as a plain string, without the list and the map around it.
  const shorter = name.replace(/(?:\[0\])?\.pattern$/, '');
  return sources.settings[shorter] ?? sources.settings[name.replace(/\.words$/, '')];
}
