import { z } from 'zod';
import { describeLeaf, describeValues, leavesOf, type OfflineJudgement } from '../../src/authoring/index.js';
import {
  type CompiledPolicy,
  DECISION_ACTIONS,
  type DecisionAction,
  masksTexts,
  readFact,
  required,
  type Stage,
} from '../../src/core/index.js';
import type { Colours } from './colour.js';

const fired = z.object({
  rule: z.string(),
  action: z.string(),
  enforced: z.boolean(),
  unavailable: z.boolean(),
  severity: z.string(),
  message: z.string(),
});

/** The JSON output of `weir try`. */
export const TRY_REPORT = z.object({
  schemaVersion: z.literal(1),
  environment: z.string(),
  stage: z.string(),
  action: z.enum(DECISION_ACTIONS),
  reason: z.string().optional(),
  unavailable: z.boolean(),
  missing: z.array(z.string()),
  violations: z.array(fired),
  exceptions: z.array(z.string()),
  redactions: z.array(z.object({ type: z.string(), count: z.int() })),
  findings: z.array(z.object({ detector: z.string(), code: z.string(), count: z.int() })),
  content: z
    .array(
      z.object({
        detector: z.string(),
        code: z.string(),
        path: z.string(),
        start: z.int(),
        end: z.int(),
        text: z.string(),
      }),
    )
    .optional()
    .describe('The findings with the matched texts; only with --show-content.'),
  /** The masked texts as they would be forwarded. */
  texts: z.array(z.object({ path: z.string(), text: z.string() })),
  dropped: z.array(z.string()).describe('Paths of texts in removed conversation turns.'),
  trace: z
    .array(
      z.object({
        rule: z.string(),
        stage: z.string(),
        toolCall: z.int().optional().describe('Index of the new tool call, at stage `tool`.'),
        matched: z.boolean(),
        conditions: z.array(
          z.object({
            name: z.string(),
            text: z.string(),
            truth: z.boolean().nullable(),
            fact: z.string(),
            file: z.string(),
            line: z.int(),
          }),
        ),
      }),
    )
    .optional(),
});

/** Optional parts of the output. */
export interface VerdictDetails {
  readonly trace: boolean;
  readonly showContent: boolean;
}

export function verdictJson(
  policy: CompiledPolicy,
  stage: Stage,
  judged: OfflineJudgement,
  { trace, showContent }: VerdictDetails,
): z.infer<typeof TRY_REPORT> {
  const { decision, redactions, texts } = judged;
  return {
    schemaVersion: 1,
    environment: policy.environment,
    stage,
    action: decision.action,
    ...(decision.reason !== undefined && { reason: decision.reason }),
    unavailable: decision.unavailable,
    missing: [...decision.missing],
    violations: decision.fired.map(({ rule, action, enforced, unavailable, severity, message }) => ({
      rule,
      action,
      enforced,
      unavailable,
      severity,
      message,
    })),
    exceptions: [...decision.exceptions],
    redactions: redactions.map(({ type, count }) => ({ type, count })),
    findings: findingCounts(judged),
    ...(showContent && { content: contentOf(judged) }),
    texts: texts
      .filter(({ changed, dropped }) => changed && dropped !== true)
      .map(({ path, text }) => ({ path, text })),
    dropped: texts.filter(({ dropped }) => dropped).map(({ path }) => path),
    ...(trace && { trace: traceOf(policy, judged) }),
  };
}

function findingCounts({ outcomes }: OfflineJudgement): { detector: string; code: string; count: number }[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'failed') return [];
    const counts = new Map<string, number>();
    for (const { code } of outcome.findings) counts.set(code, (counts.get(code) ?? 0) + 1);
    return [...counts].map(([code, count]) => ({ detector: outcome.detector, code, count }));
  });
}

/** Every finding with its matched text. */
function contentOf({ outcomes, texts }: OfflineJudgement) {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'failed'
      ? []
      : outcome.findings.map(({ detector, code, segment, start, end }) => {
          const { path, original } = required(texts[segment], 'a segment');
          return { detector, code, path, start, end, text: original.slice(start, end) };
        }),
  );
}

/** Every rule of the evaluated stages, with its conditions; at stage tool, once per tool call. */
function traceOf(policy: CompiledPolicy, { stages }: OfflineJudgement) {
  return stages.flatMap(({ stage, toolCall, facts, decision }) => {
    const leaves = leavesOf(policy, stage);
    const fired = new Set(decision.fired.map(({ rule }) => rule));
    return policy.rules
      .filter((rule) => rule.stage === stage)
      .map(({ id }) => ({
        rule: id,
        stage,
        ...(toolCall === undefined ? {} : { toolCall }),
        matched: fired.has(id),
        conditions: leaves
          .filter(({ name }) => name.startsWith(`${id}#`))
          .map((leaf) => {
            const { file, line } = required(policy.sources.leaves[leaf.name], leaf.name).at;
            return {
              name: leaf.name,
              text: describeLeaf(leaf),
              truth: decision.leaves[leaf.name] ?? null,
              fact: describeValues(leaf, (name) => readFact(facts, name)),
              file,
              line,
            };
          }),
      }));
  });
}

const COLOURS = {
  allow: 'green',
  redact: 'yellow',
  block: 'red',
} as const satisfies Readonly<Record<DecisionAction, keyof Colours>>;

/** The verdict as text for a terminal. */
export function verdictPretty(
  policy: CompiledPolicy,
  stage: Stage,
  judged: OfflineJudgement,
  paint: Colours,
  { trace, showContent }: VerdictDetails,
): string {
  const { decision, redactions, texts } = judged;
  const colour = paint[COLOURS[decision.action]];
  const why = decision.unavailable ? `outage: ${decision.missing.join(', ')} did not answer` : decision.reason;
  const lines = [
    `${colour(decision.action)}${why === undefined ? '' : `  ${why}`}  ${paint.dim(`${policy.environment}, stage ${stage}`)}`,
  ];
  for (const { rule, action, enforced, severity, message, softenedBy, exception } of decision.fired) {
    const soft = enforced ? '' : paint.dim(`  reported only: ${exception ?? softenedBy ?? 'monitor'}`);
    lines.push(`  ${rule}  ${action}  ${severity}  ${message}${soft}`);
  }
  const found = findingCounts(judged).map(({ detector, code, count }) => `${detector}/${code} × ${count}`);
  if (found.length > 0) lines.push(`  found: ${found.join(', ')}`);
  if (showContent) {
    for (const { detector, code, path, start, end, text } of contentOf(judged))
      lines.push(`    ${detector}/${code}  ${path} ${start}-${end}  ${JSON.stringify(text)}`);
  }
  for (const outcome of judged.outcomes) {
    if (outcome.status === 'failed') lines.push(`  ${outcome.detector} did not answer (${outcome.reason})`);
  }
  if (masksTexts(decision.action)) {
    lines.push(`  masked: ${redactions.map(({ type, count }) => `${type} × ${count}`).join(', ')}`);
    for (const { path, text, changed, dropped } of texts) {
      if (dropped === true) lines.push(`${paint.dim(path)}  ${paint.dim('removed')}`);
      else if (changed) lines.push(paint.dim(path), text);
    }
  }
  if (trace) lines.push(...traceLines(policy, judged, paint));
  return lines.map((line) => `${line}\n`).join('');
}

function traceLines(policy: CompiledPolicy, judged: OfflineJudgement, paint: Colours): string[] {
  return traceOf(policy, judged).flatMap(({ rule, matched, conditions }) => [
    `${rule}  ${matched ? 'matched' : paint.dim('did not match')}`,
    ...conditions.map(({ text, truth, fact, file, line }) => {
      const mark = truth === true ? paint.green('true   ') : truth === false ? 'false  ' : paint.yellow('unknown');
      return `  ${mark}  ${text}    ${fact}  ${paint.dim(`${file}:${line}`)}`;
    }),
  ]);
}
