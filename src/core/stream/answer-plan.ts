import type { BoundDetector } from '../detection/bind.js';
import { engineLeaves, factsOfLeaf, type EngineLeaf } from '../policy/engine-rules.js';
import { RULE_ACTIONS } from '../model/actions.js';
import type { CompiledPolicy, CompiledRule } from '../model/compiled-policy.js';
import { isSameThroughout, onceTrueStays } from './stream-invariant-facts.js';
import { FREE_TOOLS, planTools, type ToolPlan } from './tool-plan.js';
import { memoizeByObject } from '../model/memoize.js';

/** How a policy's rules affect streamed answers. */
export interface AnswerPlan {
  /**
   * - `pass`: no rule can change an answer; it is forwarded as it arrives.
   * - `guard`: text is forwarded as soon as no rule can change it any more.
   * - `hold`: there is no verdict before the answer is complete, because later text can reverse it.
   */
  readonly mode: 'pass' | 'guard' | 'hold';
  /** Enforced rules of stage `post`. */
  readonly rules: readonly CompiledRule[];
  /** By detector key, the codes that these rules test or mask. */
  readonly codes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly tools: ToolPlan;
}

/** Whether the rule enforces something, at least for some callers. */
function enforces(rule: CompiledRule): boolean {
  return !rule.monitor && RULE_ACTIONS[rule.action].enforces;
}

const planOf = memoizeByObject((policy: CompiledPolicy) =>
  memoizeByObject((detectors: readonly BoundDetector[]) => makePlan(policy, detectors)),
);

/** Derives from a policy how answers can be streamed under it. Done once per policy and list of detectors. */
export function planAnswer(policy: CompiledPolicy, detectors: readonly BoundDetector[]): AnswerPlan {
  return planOf(policy)(detectors);
}

function makePlan(policy: CompiledPolicy, detectors: readonly BoundDetector[]): AnswerPlan {
  const none = { rules: [], codes: new Map(), tools: FREE_TOOLS };
  if (policy.monitor) return { mode: 'pass', ...none };
  if (policy.default === 'block') return { mode: 'hold', ...none };
  const rules = policy.rules.filter((rule) => rule.stage === 'post' && enforces(rule));
  const toolRules = policy.rules.filter((rule) => rule.stage === 'tool' && enforces(rule));
  if (rules.length === 0 && toolRules.length === 0) return { mode: 'pass', ...none };
  const streamed = new Set(detectors.filter(({ stream }) => stream !== undefined).map(({ binding }) => binding.key));
  const ids = new Set(rules.map(({ id }) => id));
  const conditions = policy.stages.post.asWritten.filter(({ name }) => ids.has(name ?? ''));
  const softening = policy.stages.post.exceptions;
  const guardable =
    conditions.every(({ conditions: tree }) => engineLeaves(tree).every((leaf) => onlyGrows(leaf, streamed))) &&
    softening.every(({ conditions: tree }) => engineLeaves(tree).flatMap(factsOfLeaf).every(isSameThroughout));
  const codes = codesOfRules(rules, detectors);
  if (!guardable || [...codes.keys()].some((key) => !streamed.has(key))) return { mode: 'hold', ...none };
  return { mode: 'guard', rules, codes, tools: planTools(policy, detectors, toolRules) };
}

function onlyGrows(leaf: EngineLeaf, streamed: ReadonlySet<string>): boolean {
  return !mayBecomeTrue(leaf) || onceTrueStays(leaf, streamed);
}

/** Whether a leaf can become true while an answer arrives. */
export function mayBecomeTrue(leaf: EngineLeaf): boolean {
  return !factsOfLeaf(leaf).every(isSameThroughout);
}

function codesOfRules(
  rules: readonly CompiledRule[],
  detectors: readonly BoundDetector[],
): Map<string, ReadonlySet<string>> {
  const codes = new Map<string, Set<string>>();
  const add = (key: string, more: readonly string[]): void => {
    const known = codes.get(key) ?? new Set();
    for (const code of more) known.add(code);
    codes.set(key, known);
  };
  for (const { evidence, redact } of rules) {
    for (const { detector, codes: named } of evidence) {
      const all = detectors.find(({ binding }) => binding.key === detector)?.binding.codes ?? [];
      add(detector, named === 'all' ? all : named);
    }
    for (const { detector, code } of redact?.targets ?? []) add(detector, [code]);
  }
  return codes;
}
