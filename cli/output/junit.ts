import type { ReportCase } from './report-case.js';

/**
 * JUnit XML in the schema of Jenkins (junit-10.xsd of its xunit plugin): one `testsuite` per `suite`, in the order in which the suites
 * first appear. A case has no attribute for its location, so the text of a failure ends with it. Times are seconds.
 *
 * @param name the command of the report, such as `weir test`
 */
export function junit(name: string, cases: readonly ReportCase[]): string {
  const suites = new Map<string, ReportCase[]>();
  for (const one of cases) suites.set(one.suite, [...(suites.get(one.suite) ?? []), one]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(name)}"${totals(cases)}${time(cases)}>`,
    ...[...suites].flatMap(([suite, members]) => [
      `  <testsuite name="${escaped(suite)}"${totals(members)}${skipped(members)}${time(members)}${fileOf(members)}>`,
      ...members.flatMap(caseLines),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function totals(cases: readonly ReportCase[]): string {
  return ` tests="${cases.length}" failures="${countOf(cases, 'failed')}" errors="0"`;
}

/** The attribute `skipped` with the number of skipped cases; the schema allows this attribute only for a suite. */
function skipped(cases: readonly ReportCase[]): string {
  return ` skipped="${countOf(cases, 'skipped')}"`;
}

function time(cases: readonly ReportCase[]): string {
  return ` time="${seconds(cases.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0))}"`;
}

/** The file of a suite, if all of its cases are in one file. */
function fileOf(cases: readonly ReportCase[]): string {
  const [file, ...others] = new Set(cases.map((one) => one.file));
  return file === undefined || others.length > 0 ? '' : ` file="${escaped(file)}"`;
}

function countOf(cases: readonly ReportCase[], outcome: ReportCase['outcome']): number {
  return cases.filter((one) => one.outcome === outcome).length;
}

function caseLines({ suite, name, file, line, outcome, message, durationMs }: ReportCase): string[] {
  const took = durationMs === undefined ? '' : ` time="${seconds(durationMs)}"`;
  const open = `    <testcase name="${escaped(name)}" classname="${escaped(suite)}"${took}`;
  if (outcome === 'passed') return [`${open}/>`];
  const summary = escaped((message ?? '').split('\n', 1)[0] ?? '');
  const place = file === undefined ? '' : `\nat ${file}${line === undefined ? '' : `:${line}`}`;
  const inner =
    outcome === 'skipped'
      ? `      <skipped message="${summary}"/>`
      : `      <failure message="${summary}">${escaped(`${message ?? ''}${place}`)}</failure>`;
  return [`${open}>`, inner, '    </testcase>'];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML 1.0, which cannot represent most control characters and lone surrogates. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}
