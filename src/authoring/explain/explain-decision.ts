import { recordedVerdict, Recomputer, type VerdictName } from '../backtest/index.js';
import { namedLeaves, type RecordedDecision, type StageSnapshot } from '../../core/stored/index.js';
import { changedRules, currentIds } from '../backtest/backtest.js';
import type { JsonValue } from '../../core/model/call.js';
import type { Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

/** One recorded stage, and the new result of the policy that decided it. */
export interface ExplainedStage {
  readonly snapshot: StageSnapshot;
  readonly recorded: VerdictName;
  /** Null if the result cannot be determined. */
  readonly recomputed: VerdictName | null;
  /** Rules that fire in only one of the two evaluations, or fire differently. */
  readonly differs: readonly string[];
  /** The facts that are missing to recompute the stage. */
  readonly missing: readonly string[];
}

export type Reproduced = 'yes' | 'no' | 'cannot tell';

/** @param policy the policy that made the decision; undefined if it is not available */
export async function explainDecision(
  record: RecordedDecision,
  policy: CompiledPolicy | undefined,
): Promise<{ readonly stages: readonly ExplainedStage[]; readonly reproduced: Reproduced }> {
  const recomputer = policy === undefined ? undefined : new Recomputer(policy);
  const current = policy === undefined ? new Map<string, string>() : currentIds(policy);
  const stages: ExplainedStage[] = [];
  for (const snapshot of record.stages) {
    const again = await recomputer?.recompute(record, snapshot);
    stages.push({
      snapshot,
      recorded: recordedVerdict(snapshot),
      recomputed: again?.known === true ? again.verdict : null,
      differs: again?.known === true ? changedRules(snapshot, again, current) : [],
      missing: again?.known === false ? again.missing : [],
    });
  }
  return { stages, reproduced: reproducedBy(stages) };
}

function reproducedBy(stages: readonly ExplainedStage[]): Reproduced {
  const isOther = stages.some(
    ({ recomputed, recorded, differs }) => (recomputed !== null && recomputed !== recorded) || differs.length > 0,
  );
  if (isOther) return 'no';
  return stages.every(({ recomputed }) => recomputed !== null) ? 'yes' : 'cannot tell';
}

/** One condition of a rule, and its result. */
export interface ExplainedCondition {
  readonly name: string;
  /** Null: unknown. */
  readonly truth: boolean | null;
  /** Absent if the policy is not available, or has no such condition. */
  readonly leaf?: {
    /** Such as `pii.types any_of ["EMAIL"]`. */
    readonly text: string;
    readonly fact: string;
    /**
     * The recorded value, truncated, and the value of the compared fact, if any. Of user-written values only type and size are
     * recorded. Null: the fact was absent.
     */
    readonly value: string | null;
    readonly file?: string;
    readonly line?: number;
  };
}

const MAX_VALUE = 60;

/** The conditions of a rule that were evaluated at a stage, in the order of the policy file. */
export function explainedConditions(
  rule: string,
  { stage, leaves, facts }: Pick<StageSnapshot, 'stage' | 'leaves' | 'facts'>,
  policy: CompiledPolicy | undefined,
): ExplainedCondition[] {
  const known = policy === undefined ? undefined : leavesByName(policy, stage);
  return Object.entries(leaves)
    .filter(([name]) => name.startsWith(`${rule}#`))
    .map(([name, truth]) => {
      const leaf = known?.get(name);
      if (leaf === undefined) return { name, truth };
      const op = leaf.operator.split(':').at(-1) ?? '';
      const at = policy?.sources.leaves[name]?.at;
      const text = `${leaf.fact} ${op} ${leaf.compared ?? short(leaf.value)}`;
      const place = at === undefined ? {} : { file: at.file, line: at.line };
      return { name, truth, leaf: { text, fact: leaf.fact, value: recordedValues(leaf, facts), ...place } };
    });
}

function leavesByName(policy: CompiledPolicy, stage: Stage) {
  return new Map(namedLeaves(policy, stage).map((leaf) => [leaf.name, leaf]));
}

function recordedValues(
  { fact, compared }: { readonly fact: string; readonly compared?: string | undefined },
  facts: StageSnapshot['facts'],
): string | null {
  const own = recordedValue(fact, facts);
  if (compared === undefined) return own;
  return `${own ?? 'absent'}; ${compared} = ${recordedValue(compared, facts) ?? 'absent'}`;
}

function recordedValue(name: string, facts: StageSnapshot['facts']): string | null {
  let value: JsonValue | undefined = facts;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) break;
    value = (value as { readonly [key: string]: JsonValue })[part];
  }
  return value === undefined ? null : short(value);
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** Ids of the rules whose conditions were evaluated at a stage. */
export function askedRules({ leaves }: Pick<StageSnapshot, 'leaves'>): string[] {
  return [...new Set(Object.keys(leaves).map((name) => name.slice(0, name.lastIndexOf('#'))))];
}
