import { judgeStage } from '../../core/judge/index.js';
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
import { possible } from './invariants.js';
import { inputFor, type Setting } from './request.js';
import { sliceOf } from './slice-of.js';
import { directionOf, verdictOf } from './verdict.js';

/** Parts of a policy in which an edit of rules, exceptions and lists shows. */
const RULE_PARTS: ReadonlySet<string> = new Set<keyof CompiledPolicy>(['exceptions', 'lists', 'rules', 'stages']);

/** Looks for requests that tell many versions of one policy from it, each of which differs in few rules. */
export class WitnessSearch {
  private readonly rests = new Map<Stage, Promise<ReadonlyMap<string, Setting>>>();

  constructor(
    private readonly base: CompiledPolicy,
    private readonly options: CompareOptions,
  ) {}

  /**
   * Compares a version with the policy. Where it differs in the given rules and exceptions alone, only they are searched:
   * a request by which they answer alike is judged alike, whatever the others say. A request by which they do not is then
   * judged by both whole policies, with everything at rest that only the others read.
   *
   * @param owners rule ids, and `exception:<id>`; with none of them the policies are compared as a whole
   */
  async against(next: CompiledPolicy, owners: readonly string[]): Promise<PolicyComparison> {
    if (!this.differsInRulesAlone(next, owners)) return comparePolicies(this.base, next, this.options);
    const names = this.withTheirs(owners, next);
    const few = await comparePolicies(sliceOf(this.base, names), sliceOf(next, names), this.options);
    if (few.changes.length === 0) return few;
    const changes: VerdictChange[] = [];
    for (const change of few.changes) changes.push(...(await this.inWhole(change, next)));
    return changes.length > 0 ? { ...few, changes } : comparePolicies(this.base, next, this.options);
  }

  private differsInRulesAlone(next: CompiledPolicy, owners: readonly string[]): boolean {
    const { base } = this;
    // What a default refuses hangs on all rules.
    if (owners.length === 0 || base.default === 'block') return false;
    const parts = Object.keys({ ...base, ...next }) as (keyof CompiledPolicy)[];
    return parts.every((part) => base[part] === next[part] || RULE_PARTS.has(part));
  }

  /** With the exceptions that name a rule, and the rules that an exception names. */
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

  private async inWhole({ stage, request, rules }: VerdictChange, next: CompiledPolicy): Promise<VerdictChange[]> {
    const { base } = this;
    const { nowMs } = this.options;
    const own = request.whole.settings;
    const whole = { stage, settings: new Map([...(await this.atRest(stage)), ...own]) };
    const [before, after] = [inputFor(whole, base, nowMs), inputFor(whole, next, nowMs)];
    const isPossible = possible([...base.facts, ...next.facts]);
    if (!isPossible(before.facts) || !isPossible(after.facts)) return [];
    const old = verdictOf(await judgeStage(base, before), before.facts, new Map());
    const now = verdictOf(await judgeStage(next, after), after.facts, new Map());
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
