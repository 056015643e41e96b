import { z } from 'zod';
import {
  describeFact,
  leavesOf,
  describeLeaf,
  readFact,
  type CompiledPolicy,
  type OfflineJudgement,
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

/** What `weir try --json` prints. */
export const TRY_REPORT = z.object({
  schemaVersion: z.literal(1),
  environment: z.string(),
  stage: z.string(),
  action: z.enum(['allow', 'redact', 'block']),
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
    .describe('Only under --show-content: what was found.'),
  /** Those that are masked, as they would leave. */
  texts: z.array(z.object({ path: z.string(), text: z.string() })),
  trace: z
    .array(
      z.object({
        rule: z.string(),
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

/** What to tell besides the verdict. */
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
    texts: texts.filter(({ changed }) => changed).map(({ path, text }) => ({ path, text })),
    ...(trace && { trace: traceOf(policy, stage, judged) }),
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

/** Every finding with the words that it is about. */
function contentOf({ outcomes, texts }: OfflineJudgement) {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'failed'
      ? []
      : outcome.findings.map(({ detector, code, segment, start, end }) => {
          const { path, original } = texts[segment]!;
          return { detector, code, path, start, end, text: original.slice(start, end) };
        }),
  );
}

function traceOf(policy: CompiledPolicy, stage: Stage, { decision, facts }: OfflineJudgement) {
  const leaves = leavesOf(policy, stage);
  return policy.rules
    .filter((rule) => rule.stage === stage)
    .map(({ id }) => ({
      rule: id,
      conditions: leaves
        .filter(({ name }) => name.startsWith(`${id}#`))
        .map((leaf) => {
          const { file, line } = policy.sources.leaves[leaf.name]!.at;
          return {
            name: leaf.name,
            text: describeLeaf(leaf),
            truth: decision.leaves[leaf.name] ?? null,
            fact: describeFact(readFact(facts, leaf.fact)),
            file,
            line,
          };
        }),
    }));
}

/** The verdict for a person. */
export function verdictPretty(
  policy: CompiledPolicy,
  stage: Stage,
  judged: OfflineJudgement,
  paint: Colours,
  { trace, showContent }: VerdictDetails,
): string {
  const { decision, redactions, texts } = judged;
  const colour = decision.action === 'block' ? paint.red : decision.action === 'redact' ? paint.yellow : paint.green;
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
  if (decision.action === 'redact') {
    lines.push(`  masked: ${redactions.map(({ type, count }) => `${type} × ${count}`).join(', ')}`);
    for (const { path, text, changed } of texts) if (changed) lines.push(`${paint.dim(path)}`, text);
  }
  if (trace) lines.push(...traceLines(policy, stage, judged, paint));
  return lines.map((line) => `${line}\n`).join('');
}

function traceLines(policy: CompiledPolicy, stage: Stage, judged: OfflineJudgement, paint: Colours): string[] {
  const matched = new Set(judged.decision.fired.map(({ rule }) => rule));
  return traceOf(policy, stage, judged).flatMap(({ rule, conditions }) => [
    `${rule}  ${matched.has(rule) ? 'matched' : paint.dim('did not match')}`,
    ...conditions.map(({ text, truth, fact, file, line }) => {
      const mark = truth === true ? paint.green('true   ') : truth === false ? 'false  ' : paint.yellow('unknown');
      return `  ${mark}  ${text}    ${fact}  ${paint.dim(`${file}:${line}`)}`;
    }),
  ]);
}
