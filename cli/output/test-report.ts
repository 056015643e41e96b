import { z } from 'zod';
import {
  DETECTOR_MODES,
  type EnvironmentCoverage,
  type PolicyTestResult,
  type TestFailure,
} from '../../src/authoring/index.js';
import type { PolicyProblem } from '../../src/core/index.js';
import type { Colours } from './colour.js';
import type { ReportCase } from './report-case.js';
import { required } from '../../src/core/index.js';

const failure = z.object({ field: z.string(), expected: z.string(), actual: z.string(), why: z.array(z.string()) });
const place = z.object({ file: z.string(), line: z.int(), column: z.int() });

/** The JSON output of `weir test`. */
export const TEST_REPORT = z.object({
  schemaVersion: z.literal(1),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  results: z.array(
    place.extend({
      id: z.string(),
      environment: z.string(),
      detectors: z.enum(DETECTOR_MODES),
      status: z.enum(['passed', 'failed', 'skipped']),
      durationMs: z.number().optional(),
      failures: z.array(failure),
      because: z.string().optional(),
    }),
  ),
  coverage: z
    .array(
      z.object({
        environment: z.string(),
        percent: z.number(),
        seen: z.int(),
        total: z.int(),
        rules: z.array(place.extend({ id: z.string(), fired: z.boolean() })),
        exceptions: z.array(place.extend({ id: z.string(), used: z.boolean() })),
        conditions: z.array(
          place.extend({
            name: z.string(),
            text: z.string(),
            seenTrue: z.boolean(),
            seenFalse: z.boolean(),
            /** Null if the condition cannot be unknown. */
            seenUnknown: z.boolean().nullable(),
          }),
        ),
      }),
    )
    .optional(),
  updated: z
    .array(z.object({ file: z.string(), tests: z.array(z.string()) }))
    .optional()
    .describe('With --update: files with the ids of the tests that were rewritten.'),
});
export type TestReport = z.infer<typeof TEST_REPORT>;

/** The report in the format of the JSON output. */
export function testReport(
  results: readonly PolicyTestResult[],
  coverage: readonly EnvironmentCoverage[] | undefined,
  updated?: TestReport['updated'],
): TestReport {
  const count = (status: PolicyTestResult['status']): number => results.filter((one) => one.status === status).length;
  return {
    schemaVersion: 1,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    results: results.map((result) => ({
      id: result.id,
      environment: result.environment,
      file: result.file,
      line: result.line,
      column: result.column,
      detectors: result.mode,
      status: result.status,
      ...(result.durationMs !== undefined && { durationMs: result.durationMs }),
      failures: result.status === 'skipped' ? [] : result.failures.map(failureReport),
      ...(result.status === 'skipped' && { because: result.because }),
    })),
    ...(coverage !== undefined && { coverage: coverage.map(coverageReport) }),
    ...(updated !== undefined && { updated }),
  };
}

function failureReport({ field, expected, actual, why }: TestFailure): z.infer<typeof failure> {
  return { field, expected, actual, why: [...why] };
}

function coverageReport({ environment, percent, seen, total, rules, exceptions, leaves }: EnvironmentCoverage) {
  const at = ({ file, line, column }: { file: string; line: number; column: number }) => ({ file, line, column });
  return {
    environment,
    percent,
    seen,
    total,
    rules: rules.map((rule) => ({ id: rule.id, fired: rule.fired, ...at(rule.at) })),
    exceptions: exceptions.map((exception) => ({ id: exception.id, used: exception.used, ...at(exception.at) })),
    conditions: leaves.map((leaf) => ({
      name: leaf.name,
      text: leaf.text,
      seenTrue: leaf.seenTrue,
      seenFalse: leaf.seenFalse,
      seenUnknown: leaf.seenUnknown ?? null,
      ...at(leaf.at),
    })),
  };
}

/** One case per test and environment, for JUnit and TAP. */
export function testCases(results: readonly PolicyTestResult[]): ReportCase[] {
  return results.map((result) => ({
    suite: result.file,
    name: `${result.id} (${result.environment})`,
    file: result.file,
    line: result.line,
    outcome: result.status,
    ...(result.durationMs !== undefined && { durationMs: result.durationMs }),
    ...(result.status === 'failed' && { message: failureLines(result).join('\n') }),
    ...(result.status === 'skipped' && { message: result.because }),
  }));
}

/** The rule for failed tests in code scanning. */
export const FAILED_TEST = {
  text: 'A policy test failed',
  help: 'weir test',
  level: 'error',
} as const;

/** Failed tests at their places in the files, for annotations and code scanning. */
export function testFindings(results: readonly PolicyTestResult[]): PolicyProblem[] {
  return results
    .filter(({ status }) => status === 'failed')
    .map((result) => ({
      code: 'failed-test',
      level: 'error',
      message: [`${result.id} (${result.environment})`, ...failureLines(result)].join('\n'),
      file: result.file,
      line: result.line,
      column: result.column,
      length: 1,
    }));
}

/** The report as text: failed tests with their reasons, other tests in one line each. */
export function prettyTests(results: readonly PolicyTestResult[], paint: Colours): string {
  const lines: string[] = [];
  for (const file of new Set(results.map((result) => result.file))) {
    lines.push(paint.bold(file));
    for (const group of grouped(results.filter((result) => result.file === file)))
      lines.push(...groupLines(group, paint));
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Groups the results of one test with the same status, across environments and rows; failures stay separate. */
function grouped(results: readonly PolicyTestResult[]): PolicyTestResult[][] {
  const groups = new Map<string, PolicyTestResult[]>();
  for (const result of results) {
    const key =
      result.status === 'failed' ? `${result.id} ${result.environment}` : `${testOf(result)} ${result.status}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()];
}

function testOf({ id }: PolicyTestResult): string {
  return id.replace(/\[\d+\]$/, '');
}

function groupLines(group: readonly PolicyTestResult[], paint: Colours): string[] {
  const first = required(group[0], 'a result');
  const environments = paint.dim([...new Set(group.map(({ environment }) => environment))].join(', '));
  const rows = new Set(group.map(({ id }) => id)).size;
  const name = rows > 1 ? `${testOf(first)} (${rows} rows)` : first.id;
  switch (first.status) {
    case 'passed':
      return [`  ${paint.green('✓')} ${name}  ${environments}`];
    case 'skipped':
      return [`  ${paint.yellow('-')} ${name}  ${environments}  skipped: ${first.because}`];
    case 'failed':
      return [
        `  ${paint.red('✗')} ${first.id}  ${environments}`,
        ...failureLines(first).map((line) => `      ${line}`),
        `      ${paint.dim(`${first.file}:${first.line}`)}`,
      ];
  }
}

function failureLines(result: PolicyTestResult): string[] {
  if (result.status !== 'failed') return [];
  return result.failures.flatMap(({ field, expected, actual, why }) => [
    `${field}  expected ${expected}, got ${actual}`,
    ...why.map((line) => `  ${line}`),
  ]);
}

/** Coverage as text: the gaps with their places. */
export function prettyCoverage(coverage: readonly EnvironmentCoverage[], paint: Colours): string {
  const lines = coverage.flatMap((one) => {
    const gaps = one.leaves.flatMap((leaf) => {
      const missing = [
        leaf.seenTrue ? [] : ['true'],
        leaf.seenFalse ? [] : ['false'],
        leaf.seenUnknown === false ? ['unknown'] : [],
      ].flat();
      if (missing.length === 0) return [];
      return [
        `    ${leaf.name} ${leaf.text}  never ${missing.join(', ')}  ${paint.dim(`${leaf.at.file}:${leaf.at.line}`)}`,
      ];
    });
    const silent = one.rules.filter(({ fired }) => !fired);
    const unused = one.exceptions.filter(({ used }) => !used);
    const complete = one.seen === one.total && silent.length === 0 && unused.length === 0;
    const head = `${one.percent} % of conditions seen true, false and unknown (${one.seen} of ${one.total})`;
    return [
      `${paint.bold(one.environment)}  ${complete ? paint.green(head) : paint.yellow(head)}, ${one.rules.length - silent.length} of ${one.rules.length} rules fired`,
      ...silent.map(({ id, at }) => `    ${id}  never fired  ${paint.dim(`${at.file}:${at.line}`)}`),
      ...unused.map(({ id, at }) => `    ${id}  exception never used  ${paint.dim(`${at.file}:${at.line}`)}`),
      ...gaps,
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}
