import {
  namedLeaves,
  type CompiledPolicy,
  type JsonValue,
  type RecordedDecision,
  type StageSnapshot,
} from '../../src/core/index.js';
import type { Explained } from '../commands/explain.js';

const MAX_VALUE = 60;

/** Why a call was decided as it was, for people: rules, their conditions, and the facts that are no one's words. */
export function explainText(
  record: RecordedDecision,
  stages: readonly Explained[],
  policy: CompiledPolicy | undefined,
  all: boolean,
): string {
  const head = [
    `event        ${record.id}  ${record.type}  ${record.receivedAt}`,
    `policy       ${record.policyDigest?.slice(0, 12) ?? 'none'}  ${record.environment}`,
  ];
  return [...head, ...stages.flatMap((stage, index) => stageLines(record.stages[index]!, stage, policy, all)), '']
    .join('\n')
    .replace(/[^\P{Cc}\n]/gu, ' ');
}

function stageLines(
  snapshot: StageSnapshot,
  stage: Explained,
  policy: CompiledPolicy | undefined,
  all: boolean,
): string[] {
  const call = stage.toolCall === null ? '' : ` (tool call ${stage.toolCall + 1})`;
  const again = stage.recomputed === null ? 'cannot tell' : stage.recomputed;
  const lines = ['', `stage ${stage.stage}${call}   recorded: ${stage.recorded}   recomputed: ${again}`];
  const rules = [...new Set([...stage.fired.map(({ rule }) => rule), ...(all ? rulesOf(snapshot) : [])])];
  for (const rule of rules) {
    const fired = stage.fired.find((one) => one.rule === rule);
    const what = fired === undefined ? 'did not fire' : `${fired.action}${fired.enforced ? '' : ' (not enforced)'}`;
    lines.push(`  ${rule}   ${what}`, ...conditionLines(rule, snapshot, policy));
  }
  if (rules.length === 0) lines.push('  no rule fired');
  if (stage.differs.length > 0) lines.push(`  differs now: ${stage.differs.join(', ')}`);
  if (stage.missing.length > 0) lines.push(`  not kept: ${stage.missing.join(', ')}`);
  return lines;
}

function rulesOf({ leaves }: StageSnapshot): string[] {
  return Object.keys(leaves).map((name) => name.slice(0, name.lastIndexOf('#')));
}

function conditionLines(rule: string, snapshot: StageSnapshot, policy: CompiledPolicy | undefined): string[] {
  const known = new Map(
    policy === undefined ? [] : namedLeaves(policy, snapshot.stage).map((leaf) => [leaf.name, leaf]),
  );
  return Object.entries(snapshot.leaves)
    .filter(([name]) => name.startsWith(`${rule}#`))
    .map(([name, truth]) => {
      const sign = truth === null ? '?' : truth ? '✓' : '✗';
      const leaf = known.get(name);
      if (leaf === undefined) return `    ${sign} ${name}`;
      const op = leaf.operator.split(':').at(-1) ?? '';
      return `    ${sign} ${leaf.fact} ${op} ${short(leaf.value)}   ${factText(leaf.fact, snapshot.facts)}`;
    });
}

/** The recorded value of a fact; of what somebody wrote only its shape was recorded. */
function factText(name: string, facts: StageSnapshot['facts']): string {
  let value: JsonValue | undefined = facts;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) break;
    value = (value as { readonly [key: string]: JsonValue })[part];
  }
  return value === undefined ? `${name} was absent` : `${name} = ${short(value)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
