import type { ReportCase } from './report-case.js';

/**
 * JUnit XML as CI systems read it (https://github.com/testmoapp/junitxml): one `testsuite` per `suite`, in the order in
 * which the suites first appear. Times are seconds.
 *
 * @param name what made the report, such as `weir test`
 */
export function junit(name: string, cases: readonly ReportCase[]): string {
  const suites = new Map<string, ReportCase[]>();
  for (const one of cases) suites.set(one.suite, [...(suites.get(one.suite) ?? []), one]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(name)}"${totals(cases)}>`,
    ...[...suites].flatMap(([suite, members]) => [
      `  <testsuite name="${escaped(suite)}"${totals(members)}>`,
      ...members.flatMap(caseLines),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function totals(cases: readonly ReportCase[]): string {
  const count = (outcome: ReportCase['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  const ms = cases.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  return ` tests="${cases.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}" time="${seconds(ms)}"`;
}

function caseLines({ suite, name, file, line, outcome, message, durationMs }: ReportCase): string[] {
  const place = [
    file === undefined ? '' : ` file="${escaped(file)}"`,
    line === undefined ? '' : ` line="${line}"`,
    durationMs === undefined ? '' : ` time="${seconds(durationMs)}"`,
  ].join('');
  const open = `    <testcase name="${escaped(name)}" classname="${escaped(suite)}"${place}`;
  if (outcome === 'passed') return [`${open}/>`];
  const summary = escaped((message ?? '').split('\n', 1)[0] ?? '');
  const inner =
    outcome === 'skipped'
      ? `      <skipped message="${summary}"/>`
      : `      <failure message="${summary}">${escaped(message ?? '')}</failure>`;
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

/** Text for XML 1.0, which has no way to write most control characters and no lone surrogate. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (letter) => ENTITIES[letter]!);
}
