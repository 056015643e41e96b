import { z } from 'zod';
import {
  POLICY_CHANGE,
  requestLine,
  unshownWeakenings,
  verdictLine,
  type PolicyChange as WrittenChange,
  type PolicyComparison,
  type VerdictChange,
} from '../../src/authoring/index.js';
import type { Environment } from '../../src/core/index.js';
import type { Colours } from './colour.js';
import type { PolicyChange } from './policy-changes.js';
import { plural } from './plural.js';
import { searchLines } from './verdict-changes.js';
import { required } from '../../src/core/index.js';

/** The differences of one environment between two revisions. */
export interface EnvironmentDiff {
  readonly environment: Environment;
  readonly state: 'changed' | 'unchanged' | 'added' | 'removed';
  readonly changes: readonly PolicyChange[];
  /** The changed parts, each classified as weaker or not; empty if one side has no policy. */
  readonly written: readonly WrittenChange[];
  /** Absent if no search was requested, or if one side has no policy. */
  readonly comparison?: PolicyComparison;
}

const verdict = z.object({
  action: z.string(),
  reason: z.string().optional(),
  unavailable: z.boolean(),
  enforced: z.array(z.string()),
  reported: z.array(z.string()),
  masked: z.array(z.string()),
  exceptions: z.array(z.string()),
});

/** The JSON output of `weir diff`. */
export const DIFF_REPORT = z.object({
  schemaVersion: z.literal(1),
  base: z.object({ revision: z.string(), commit: z.string() }),
  weaker: z.int(),
  stricter: z.int(),
  other: z.int(),
  weakerParts: z
    .int()
    .describe(
      'Number of changed parts of the policies that are or may be weaker, but for which no request shows the difference.',
    ),
  environments: z.array(
    z.object({
      environment: z.string(),
      state: z.enum(['changed', 'unchanged', 'added', 'removed']),
      changes: z.array(
        z.object({
          part: z.string(),
          file: z.string().optional(),
          line: z.int().optional(),
          lines: z.array(z.object({ kind: z.enum(['-', '+']), text: z.string() })),
        }),
      ),
      parts: z.array(POLICY_CHANGE),
      weakerParts: z
        .array(z.string())
        .describe(
          'Parts of the policy that are or may be weaker, such as `budget team`, but for which no request shows the difference.',
        ),
      verdicts: z.array(
        z.object({
          stage: z.string(),
          direction: z.enum(['weaker', 'stricter', 'other']),
          rules: z.array(z.string()),
          before: verdict,
          after: verdict,
          request: z.object({
            facts: z.record(z.string(), z.json()),
            findings: z.record(z.string(), z.array(z.object({ code: z.string(), score: z.number() }))),
            unavailable: z.array(z.string()),
            at: z.string().optional(),
            monitorMode: z.boolean().optional(),
            alike: z.record(z.string(), z.array(z.string())),
          }),
        }),
      ),
      searched: z.array(
        z.object({
          stage: z.string(),
          requests: z.int(),
          complete: z.boolean(),
          enumerated: z.array(z.string()),
          sampled: z.array(z.string()),
          openFacts: z.array(z.string()),
        }),
      ),
    }),
  ),
});

/** Number of requests shown per environment and direction without `--all`. */
const SHOWN = 5;
const WORDS = { weaker: 'WEAKER', stricter: 'STRICTER', other: 'OTHER' } as const;

export function countOf(diffs: readonly EnvironmentDiff[], direction: VerdictChange['direction']): number {
  return diffs.flatMap(({ comparison }) => comparison?.changes ?? []).filter((one) => one.direction === direction)
    .length;
}

/** Changed parts that are weaker, or may be, without a request that shows it. Empty if no requests were searched for. */
export function weakerParts({ written, comparison }: EnvironmentDiff): WrittenChange[] {
  return comparison === undefined ? [] : unshownWeakenings(written, comparison);
}

export function countOfParts(diffs: readonly EnvironmentDiff[]): number {
  return diffs.reduce((sum, one) => sum + weakerParts(one).length, 0);
}

const partName = ({ what, id }: WrittenChange): string => `${what} ${id}`;

/** A changed part as text, such as `budget team: limit.usd $50 → $500`. */
function partLine(part: WrittenChange): string {
  const details = part.details.length === 0 ? part.change : part.details.join(' · ');
  return `${partName(part)}: ${part.change === 'removed' ? `removed, ${details}` : details}`;
}

/** The label of a changed part that no request shows. */
function partWord({ effect }: WrittenChange): 'WEAKER' | 'NOT COMPARABLE' {
  return effect === 'incomparable' ? 'NOT COMPARABLE' : 'WEAKER';
}

export function diffJson(
  base: { readonly name: string; readonly commit: string },
  diffs: readonly EnvironmentDiff[],
): unknown {
  return {
    schemaVersion: 1,
    base: { revision: base.name, commit: base.commit },
    weaker: countOf(diffs, 'weaker'),
    stricter: countOf(diffs, 'stricter'),
    other: countOf(diffs, 'other'),
    weakerParts: countOfParts(diffs),
    environments: diffs.map(({ environment, state, changes, written, comparison, ...rest }) => ({
      environment,
      state,
      parts: written,
      weakerParts: weakerParts({
        environment,
        state,
        changes,
        written,
        ...rest,
        ...(comparison && { comparison }),
      }).map(partName),
      changes: changes.map(({ part, at, lines }) => ({ part, ...(at && { file: at.file, line: at.line }), lines })),
      verdicts: (comparison?.changes ?? []).map(
        ({ request: { whole: _whole, stage: _stage, ...request }, ...change }) => ({
          ...change,
          request,
        }),
      ),
      searched: (comparison?.searched ?? []).map(({ changedRules: _changed, openRules: _open, ...report }) => report),
    })),
  };
}

export function diffPretty(diffs: readonly EnvironmentDiff[], paint: Colours, all: boolean): string {
  const lines: string[] = [];
  for (const one of diffs) {
    const { environment, state, changes, comparison } = one;
    if (state === 'unchanged') {
      lines.push(`${paint.bold(environment)}  no change`);
      continue;
    }
    lines.push(`${paint.bold(environment)}${state === 'changed' ? '' : `  ${state}`}`);
    for (const { part, at, lines: changed } of state === 'changed' ? changes : []) {
      lines.push(`  ${part}${at === undefined ? '' : `  ${paint.dim(`${at.file}:${at.line}`)}`}`);
      for (const { kind, text } of changed)
        lines.push(`    ${kind === '-' ? paint.red(`- ${text}`) : paint.green(`+ ${text}`)}`);
    }
    for (const part of weakerParts(one)) {
      lines.push(`  ${paint.red(partWord(part))}  ${partLine(part)}`, ...part.why.map((why) => `          ${why}`));
    }
    if (comparison !== undefined) lines.push(...witnessLines(comparison, paint, all));
  }
  return lines.map((line) => `${line}\n`).join('');
}

function witnessLines(
  { changes, searched, changedDetectors, texts }: PolicyComparison,
  paint: Colours,
  all: boolean,
): string[] {
  const lines = (['weaker', 'stricter', 'other'] as const).flatMap((direction) => {
    const own = changes.filter((one) => one.direction === direction);
    const word = direction === 'weaker' ? paint.red(WORDS[direction]) : paint.yellow(WORDS[direction]);
    const hidden = all ? 0 : Math.max(0, own.length - SHOWN);
    return [
      ...own
        .slice(0, own.length - hidden)
        .map((one) => `  ${word}  ${one.stage}: ${requestLine(one.request)}  ${paint.bold(verdictLine(one))}`),
      ...(hidden === 0 ? [] : [`  … ${hidden} more (--all)`]),
    ];
  });
  const none = changes.length === 0 && searched.length > 0 ? ['  no request is judged differently'] : [];
  return [...lines, ...none, ...searchLines(searched, changedDetectors, texts).map((line) => `  ${paint.dim(line)}`)];
}

/** Workflow commands of GitHub Actions: one annotation per environment, set of rules and direction, each with one example request. */
export function diffGithub(diffs: readonly EnvironmentDiff[]): string {
  const lines = diffs.flatMap((diff) => {
    const { environment, state, changes, comparison } = diff;
    if (state === 'removed') return [`::error title=weir diff::the environment ${environment} was removed`];
    const groups = new Map<string, VerdictChange[]>();
    for (const change of comparison?.changes ?? []) {
      if (change.direction === 'other') continue;
      const key = `${change.direction} ${change.rules.join()}`;
      groups.set(key, [...(groups.get(key) ?? []), change]);
    }
    const parts = weakerParts(diff).map((part) => {
      const title = property(`${part.effect === 'incomparable' ? 'not comparable' : 'weaker'} in ${environment}`);
      return `::error title=${title}::${message([partLine(part), ...part.why].join('; '))}`;
    });
    const requests = [...groups.values()].map((group) => {
      const one = required(group[0], 'a change');
      const at = changes.find(({ part }) => one.rules.some((rule) => part === `rules.${rule}`))?.at ?? changes[0]?.at;
      const place = at === undefined ? '' : `file=${property(at.file)},line=${at.line},`;
      const kind = one.direction === 'weaker' ? 'error' : 'notice';
      const title = property(`${one.direction} in ${environment}`);
      const more = group.length === 1 ? '' : ` and ${group.length - 1} more`;
      const text = `${one.rules.join(', ')}: ${verdictLine(one)} for ${requestLine(one.request)}${more}`;
      return `::${kind} ${place}title=${title}::${message(text)}`;
    });
    return [...parts, ...requests];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Escapes a value as in https://docs.github.com/actions/reference/workflow-commands-for-github-actions. */
function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The report as a comment for a pull request. */
export function diffMarkdown(diffs: readonly EnvironmentDiff[], all: boolean): string {
  const lines = ['## What changes', '', ...countLines(diffs)];
  for (const diff of diffs) {
    const { environment, state, changes, comparison } = diff;
    lines.push(`### ${environment}${state === 'changed' ? '' : `: ${state}`}`, '');
    if (state === 'changed') {
      lines.push(
        '```diff',
        ...changes.flatMap(({ part, lines: own }) => [`  ${part}`, ...own.map(({ kind, text }) => `${kind} ${text}`)]),
        '```',
        '',
      );
    }
    const parts = weakerParts(diff);
    if (parts.length > 0) {
      lines.push('| | part | why |', '|---|---|---|');
      for (const part of parts)
        lines.push(`| **${partWord(part).toLowerCase()}** | ${cell(partLine(part))} | ${cell(part.why.join(' '))} |`);
      lines.push('');
    }
    const shown = comparison?.changes ?? [];
    if (shown.length > 0) {
      lines.push('| | stage | request | verdict |', '|---|---|---|---|');
      for (const one of all ? shown : shown.slice(0, 20)) {
        lines.push(
          `| **${one.direction}** | ${one.stage} | ${cell(requestLine(one.request))} | ${cell(verdictLine(one))} |`,
        );
      }
      if (!all && shown.length > 20) lines.push(`| | | … ${shown.length - 20} more | |`);
      lines.push('');
    }
    if (comparison !== undefined)
      lines.push(
        ...searchLines(comparison.searched, comparison.changedDetectors, comparison.texts).map(
          (line) => `- ${cell(line)}`,
        ),
        '',
      );
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/** A summary such as `**2 weaker requests**, 0 stricter, 1 other`; empty if no requests were searched for. */
function countLines(diffs: readonly EnvironmentDiff[]): string[] {
  if (diffs.every(({ comparison }) => comparison === undefined)) return [];
  const [weaker, parts] = [countOf(diffs, 'weaker'), countOfParts(diffs)];
  const words = [plural(weaker, 'weaker request'), ...(parts === 0 ? [] : [plural(parts, 'weaker part')])].join(', ');
  const head = weaker + parts === 0 ? words : `**${words}**`;
  return [`${head}, ${countOf(diffs, 'stricter')} stricter, ${countOf(diffs, 'other')} other`, ''];
}

/** Escapes a table cell: texts of a policy must not end a row, hide the rest of the report or embed an image. */
function cell(text: string): string {
  return text.replaceAll(/[&<>|`[\]\\@]|[\r\n]+/g, (letter) =>
    /\s/.test(letter) ? ' ' : `&#${letter.charCodeAt(0)};`,
  );
}
