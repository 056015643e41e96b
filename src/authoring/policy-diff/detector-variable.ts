import { readPath } from '../../core/facts/read-path.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { ReadLeaf } from './read-leaves.js';
import { findingFacts, findingsUnder, type RawFinding, type Setting, type Variable } from './request.js';
import { aroundLimits } from './scalar-values.js';
import { representatives, subsetsOf } from './subsets.js';

/** One policy, with the conditions and redactions of one stage that concern one detector. */
export interface DetectorReader {
  readonly policy: CompiledPolicy;
  readonly leaves: readonly ReadLeaf[];
  /** For each redact rule of the stage, the codes of this detector that the rule masks. */
  readonly masks: readonly { readonly rule: string; readonly codes: readonly string[] }[];
}

/**
 * Every state of a detector that some policy distinguishes: kinds of codes, counts, scores, and that it is unavailable. Impossible
 * states (a count without types, a score below the minimum) do not occur, because facts are computed from findings.
 */
export function detectorVariable(key: string, readers: readonly DetectorReader[]): Variable {
  const kinds = codeKinds(key, readers);
  const scores = scoreCandidates(key, readers);
  const { sets, sampled } = subsetsOf(kinds.map(({ item }) => item));
  const states = sets.flatMap((codes) =>
    countStates(key, codes, readers).flatMap((counted) => withScores(counted, scores)),
  );
  const possible = states.filter((findings) => isSeen(findings, key, readers));
  const kept = representatives(possible, (findings) => signature(findings, key, readers));
  const alike = new Map(kinds.map(({ item, alike: others }) => [item, others]));
  return {
    name: key,
    sampled,
    settings: [
      ...kept.map(({ item }): Setting => ({
        part: { kind: 'findings', detector: key, findings: item },
        alike: item.length === 1 ? (alike.get(item[0]!.code) ?? []) : [],
      })),
      { part: { kind: 'down', source: key, roots: [key], reason: 'failed' }, alike: [] },
    ],
  };
}

function aspectOf(leaf: ReadLeaf): { readonly aspect: string; readonly code: string } {
  const [, aspect = '', ...code] = leaf.fact.split('.');
  return { aspect, code: code.join('.') };
}

/** Groups codes that no condition and no redaction distinguishes; the code with the lowest minimum score represents its group. */
function codeKinds(key: string, readers: readonly DetectorReader[]) {
  const bindings = readers.map(({ policy }) => policy.detectors.find((binding) => binding.key === key));
  const codes = [...new Set(bindings.flatMap((binding) => binding?.codes ?? []))];
  const least = new Map(
    codes.map((code) => [code, Math.min(...bindings.flatMap((binding) => binding?.minScore[code] ?? []), 1)]),
  );
  codes.sort((a, b) => least.get(a)! - least.get(b)! || (a < b ? -1 : 1));
  // Computed once, because a detector may have hundreds of codes and lists many entries.
  const roles = readers.flatMap(({ leaves }) => leaves.map(roleIn));
  const masks = readers.flatMap((reader) => reader.masks.map((mask) => new Set(mask.codes)));
  const looks = bindings.map((binding) => new Set(binding?.codes));
  return representatives(codes, (code) =>
    JSON.stringify([
      ...roles.map((role) => role(code)),
      ...masks.map((mask) => mask.has(code)),
      ...looks.map((look) => look.has(code)),
      bindings.some((binding) => binding?.minScore[code] !== bindings[0]?.minScore[code])
        ? bindings.map((binding) => binding?.minScore[code])
        : 0,
    ]),
  );
}

/** How a condition treats a code. In `all_of` each code is a kind of its own. */
function roleIn(leaf: ReadLeaf): (code: string) => string | boolean {
  const { aspect, code: counted } = aspectOf(leaf);
  if (aspect === 'counts') return (code) => counted === code;
  if (aspect !== 'types') return () => false;
  const values = new Set<unknown>(Array.isArray(leaf.value) ? leaf.value : [leaf.value]);
  return (code) => values.has(code) && (leaf.op === 'all_of' ? code : true);
}

/** Lists of codes, one per finding: each code once, and more often so that counts are around the limits of conditions on counts. */
function countStates(key: string, codes: readonly string[], readers: readonly DetectorReader[]): string[][] {
  const leaves = readers.flatMap((reader) => reader.leaves);
  const limitsOf = (fact: string): number[] =>
    leaves
      .filter((leaf) => leaf.fact === fact)
      .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
      .filter((value) => typeof value === 'number');
  let states: string[][] = [[...codes]];
  for (const code of codes) {
    const times = aroundLimits(limitsOf(`${key}.counts.${code}`), 'integer', { min: 2, max: 1_000 });
    states = states.flatMap((state) => [state, ...times.map((count) => [...state, ...repeated(code, count - 1)])]);
  }
  const totals = aroundLimits(limitsOf(`${key}.count`), 'integer', { min: 1, max: 1_000 });
  const free = codes.find((code) => limitsOf(`${key}.counts.${code}`).length === 0) ?? codes[0];
  if (free === undefined) return states;
  return states.flatMap((state) => [
    state,
    ...totals
      .filter((total) => total > state.length)
      .map((total) => [...state, ...repeated(free, total - state.length)]),
  ]);
}

function repeated(code: string, times: number): string[] {
  return Array.from({ length: times }, () => code);
}

function scoreCandidates(key: string, readers: readonly DetectorReader[]): number[] {
  const limits = readers
    .flatMap(({ leaves }) => leaves.filter((leaf) => aspectOf(leaf).aspect === 'score'))
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => typeof value === 'number');
  const bindings = readers.flatMap(({ policy }) => policy.detectors.find((binding) => binding.key === key) ?? []);
  const [first] = bindings;
  const moved = Object.keys(first?.minScore ?? {}).flatMap((code) => {
    const scores = bindings.map((binding) => binding.minScore[code]);
    return scores.every((score) => score === scores[0]) ? [] : scores.filter((score) => score !== undefined);
  });
  return [...new Set([1, ...aroundLimits(limits, 'number', { min: 0, max: 1 }), ...moved])];
}

function withScores(codes: readonly string[], scores: readonly number[]): RawFinding[][] {
  if (codes.length === 0) return [[]];
  return scores.map((score) => codes.map((code) => ({ code, score })));
}

/** Whether some policy counts each of these findings; a state with an uncounted finding equals the state without this finding. */
function isSeen(findings: readonly RawFinding[], key: string, readers: readonly DetectorReader[]): boolean {
  return findings.every((finding) => readers.some(({ policy }) => findingsUnder([finding], key, policy).length > 0));
}

function signature(findings: readonly RawFinding[], key: string, readers: readonly DetectorReader[]): string {
  return JSON.stringify(
    readers.map(({ policy, leaves, masks }) => {
      const facts = findingFacts(findings, key, policy);
      const counted = new Set(findingsUnder(findings, key, policy).map(({ code }) => code));
      return [
        leaves.map((leaf) => leaf.truth(readPath(facts, leaf.fact.split('.').slice(1)))),
        masks.map(({ codes }) => codes.filter((code) => counted.has(code))),
      ];
    }),
  );
}
