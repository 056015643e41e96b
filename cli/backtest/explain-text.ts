/**
 * Re-evaluation of recorded calls: finding their policies, and the reports of `weir backtest` and `weir explain`. The evaluation itself
 * is in src/authoring/backtest.
 */
import { askedRules, explainedConditions, type ExplainedStage } from '../../src/authoring/index.js';
import type { CompiledPolicy, RecordedDecision, StageSnapshot } from '../../src/core/index.js';

/** The reasons of a decision as text: rules, their conditions and facts; no user-written text. */
export function explainText(
  record: RecordedDecision,
  stages: readonly ExplainedStage[],
  policy: CompiledPolicy | undefined,
  all: boolean,
): string {
  const head = [
    `event        ${record.id}  ${record.type}  ${record.receivedAt}`,
    `policy       ${record.policyDigest?.slice(0, 12) ?? 'none'}  ${record.environment}`,
  ];
  return [...head, ...stages.flatMap((stage) => stageLines(stage, policy, all)), '']
    .join('\n')
    .replace(/[^\P{Cc}\n]/gu, ' ');
}

function stageLines(stage: ExplainedStage, policy: CompiledPolicy | undefined, all: boolean): string[] {
  const { snapshot } = stage;
  const call = snapshot.tool_call === undefined ? '' : ` (tool call ${snapshot.tool_call + 1})`;
  const again = stage.recomputed === null ? 'cannot tell' : stage.recomputed;
  const lines = ['', `stage ${snapshot.stage}${call}   recorded: ${stage.recorded}   recomputed: ${again}`];
  const rules = [...new Set([...snapshot.fired.map(({ rule }) => rule), ...(all ? askedRules(snapshot) : [])])];
  for (const rule of rules) {
    const fired = snapshot.fired.find((one) => one.rule === rule);
    const what = fired === undefined ? 'did not fire' : `${fired.action}${fired.enforced ? '' : ' (not enforced)'}`;
    lines.push(`  ${rule}   ${what}`, ...conditionLines(rule, snapshot, policy));
  }
  if (rules.length === 0) lines.push('  no rule fired');
  if (stage.differs.length > 0) lines.push(`  rules that differ now: ${stage.differs.join(', ')}`);
  if (stage.missing.length > 0) lines.push(`  facts not stored: ${stage.missing.join(', ')}`);
  return lines;
}

function conditionLines(rule: string, snapshot: StageSnapshot, policy: CompiledPolicy | undefined): string[] {
  return explainedConditions(rule, snapshot, policy).map(({ name, truth, leaf }) => {
    const sign = truth === null ? '?' : truth ? '✓' : '✗';
    if (leaf === undefined) return `    ${sign} ${name}`;
    const value = leaf.value === null ? `${leaf.fact} was absent` : `${leaf.fact} = ${leaf.value}`;
    return `    ${sign} ${leaf.text}   ${value}`;
  });
}
