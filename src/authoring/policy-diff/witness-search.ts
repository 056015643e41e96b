import { judgeStage, type StageToJudge } from '../../core/judge/index.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { Stage } from '../../core/model/fact.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import {
  comparePolicies,
  settingsAtRest,
  type CompareOptions,
  type PolicyComparison,
  type VerdictChange,
} from './compare-verdicts.js';
import { describeRequest } from './describe-request.js';
import { renamedRules } from './changed-rules.js';
import { possible } from './invariants.js';
import { differInRulesAlone, inputFor, type Setting } from './request.js';
import { sliceOf } from './slice-of.js';
import { directionOf, verdictOf } from './verdict.js';

/**
 * Compares many versions of one policy with the policy itself, and searches for requests that are judged differently. Fast for versions
 * that differ in a few rules.
 */
export class WitnessSearch {
  private readonly rests = new Map<Stage, Promise<ReadonlyMap<string, Setting>>>();
  /** Slices of the policy, cached by their names, because many versions differ in the same few rules. */
  private readonly slices = new Map<string, CompiledPolicy>();

  constructor(
    private readonly base: CompiledPolicy,
    private readonly options: CompareOptions,
  ) {}

  /**
   * Compares a version with the policy. If it differs only in the given rules and exceptions, these are compared first: a request for
   * which they decide alike is judged alike by the complete policies. A request for which they differ is then judged by both complete
   * policies. Variables that only other rules read are set to values with which as few rules as possible fire.
   *
   * @param owners rule ids, and `exception:<id>`; if empty, the complete policies are compared
   */
  async against(next: CompiledPolicy, owners: readonly string[]): Promise<PolicyComparison> {
    if (!this.differsInRulesAlone(next, owners)) return comparePolicies(this.base, next, this.options);
    const names = this.withTheirs(owners, next);
    const slices = [this.baseSlice(names), sliceOf(next, names)] as const;
    const few = await comparePolicies(...slices, this.options);
    if (few.changes.length === 0) return few;
    const changes: VerdictChange[] = [];
    for (const change of few.changes) changes.push(...(await this.inWhole(change, next, names)));
    if (changes.length > 0) return { ...few, changes };
    // `isAlike` compares decisions by rule id, which is only valid if no rule was renamed.
    const isRenamed = renamedRules(this.base, next).size > 0;
    const isAlike = (...asked: [StageToJudge, StageToJudge]): Promise<boolean> => decideAlike(slices, asked);
    return comparePolicies(this.base, next, { ...this.options, ...(!isRenamed && { isAlike }) });
  }

  private baseSlice(names: ReadonlySet<string>): CompiledPolicy {
    const key = JSON.stringify([...names]);
    const slice = this.slices.get(key) ?? sliceOf(this.base, names);
    this.slices.set(key, slice);
    return slice;
  }

  private differsInRulesAlone(next: CompiledPolicy, owners: readonly string[]): boolean {
    const { base } = this;
    // The default of a policy that blocks depends on all rules.
    if (owners.length === 0 || base.default === 'block') return false;
    return differInRulesAlone(base, next);
  }

  /** Adds the exceptions that name a rule, and the rules that an exception names. */
  private withTheirs(owners: readonly string[], next: CompiledPolicy): ReadonlySet<string> {
    const names = new Set(owners);
    const exceptions = [...this.base.exceptions, ...next.exceptions];
    for (const { id, rules } of exceptions) {
      if (owners.includes(exceptionRuleName(id))) for (const rule of rules) names.add(rule);
    }
    for (const { id, rules } of exceptions) {
      if (rules.some((rule) => names.has(rule))) names.add(exceptionRuleName(id));
    }
    return names;
  }

  private async inWhole(
    { stage, request, rules }: VerdictChange,
    next: CompiledPolicy,
    names: ReadonlySet<string>,
  ): Promise<VerdictChange[]> {
    const { base } = this;
    const { nowMs } = this.options;
    const own = request.whole.settings;
    const whole = { stage, settings: new Map([...(await this.atRest(stage)), ...own]) };
    const before = inputFor(whole, base, nowMs);
    const decision = await judgeStage(base, before);
    // Unchanged rules without effect in the base have no effect in the other version, so they are left out.
    const taking = [...decision.fired, ...decision.excepted].map(({ rule }) => rule);
    const part = sliceOf(next, this.withTheirs([...names, ...taking], next));
    const after = inputFor(whole, part, nowMs);
    const isPossible = possible(base, next);
    if (!isPossible(before.facts) || !isPossible(after.facts)) return [];
    const old = verdictOf(decision, before.facts, new Map());
    const now = verdictOf(await judgeStage(part, after), after.facts, new Map());
    const direction = directionOf(old, now);
    if (direction === undefined) return [];
    const described = describeRequest(whole, base, nowMs, new Set(own.keys()));
    return [{ stage, direction, before: old, after: now, request: described, rules }];
  }

  private atRest(stage: Stage): Promise<ReadonlyMap<string, Setting>> {
    const known = this.rests.get(stage) ?? settingsAtRest(this.base, stage, this.options);
    this.rests.set(stage, known);
    return known;
  }
}

/**
 * Whether the slices of two policies decide alike, including the effect of each fired rule. Then the complete policies decide alike,
 * because all other rules are equal.
 */
async function decideAlike(
  policies: readonly [CompiledPolicy, CompiledPolicy],
  [before, after]: readonly [StageToJudge, StageToJudge],
): Promise<boolean> {
  const { leaves: _before, ...old } = await judgeStage(policies[0], before);
  const { leaves: _after, ...now } = await judgeStage(policies[1], after);
  return JSON.stringify(old) === JSON.stringify(now);
}
