import type { LintFinding } from '../../src/authoring/index.js';
import { formatProblems } from '../../src/core/index.js';
import type { Colours } from './colour.js';
import { github } from './github.js';
import { junit } from './junit.js';
import type { ReportCase } from './report-case.js';
import { lintSarif } from './sarif.js';
import { tap } from './tap.js';

export type LintFormat = 'pretty' | 'compact' | 'json' | 'sarif' | 'junit' | 'tap' | 'github';

export interface LintOutput {
  readonly findings: readonly LintFinding[];
  readonly fixed: readonly LintFinding[] | undefined;
  readonly summary: object;
  /** Texts by path, for code frames. */
  readonly sources: ReadonlyMap<string, string>;
  readonly paint: Colours;
}

/** The findings as text in one of the formats. Only machine-readable formats include ignored ones. */
export function lintText(format: LintFormat, output: LintOutput): string {
  const { findings, fixed, summary } = output;
  const open = findings.filter(({ ignored }) => ignored === undefined);
  switch (format) {
    case 'pretty':
      return pretty(open, output);
    case 'compact':
      return open.map(compactLine).join('');
    case 'json':
      return `${JSON.stringify({ schemaVersion: 1, findings, ...(fixed && { fixed }), summary }, null, 2)}\n`;
    case 'sarif':
      return lintSarif(findings);
    case 'junit':
      return junit('weir lint', cases(findings, output.sources));
    case 'tap':
      return tap(cases(findings, output.sources));
    case 'github':
      return github(open);
  }
}

function pretty(findings: readonly LintFinding[], { sources, paint, fixed = [] }: LintOutput): string {
  const repaired = fixed.map(({ code, file, line, message }) => `fixed[${code}]: ${message} (${file}:${line})\n`);
  const frames = findings.map((finding) => {
    const lines = formatProblems([finding], sources).split('\n');
    const more = [finding.fixable ? 'fix: weir lint --fix' : '', `docs: weir lint --explain ${finding.code}`];
    return [
      ...lines.map((line, index) => painted(line, index, finding, paint)),
      paint.dim(`      = ${more.filter((part) => part !== '').join('    = ')}`),
      '',
    ].join('\n');
  });
  return [...repaired, ...frames].map((part) => `${part}\n`.replace(/\n\n\n$/, '\n\n')).join('');
}

function painted(line: string, index: number, { level }: LintFinding, paint: Colours): string {
  const tone = level === 'error' ? paint.red : paint.yellow;
  if (index === 0) return line.replace(/^[^:]*/, (head) => paint.bold(tone(head)));
  if (index === 1) return paint.dim(line);
  const [, margin, pointer, hint = ''] = /^( *\| *)(\^+)(.*)$/.exec(line) ?? [];
  if (margin === undefined || pointer === undefined) return line;
  return `${paint.dim(margin)}${tone(pointer)}${paint.green(hint)}`;
}

/** `file:line:column: level[code] message`, one line per finding, as compilers print it. */
function compactLine({ file, line, column, level, code, message, hint }: LintFinding): string {
  const more = hint === undefined ? '' : ` (${hint})`;
  return `${file}:${line}:${column}: ${level}[${code}] ${message}${more}`.replace(/[\r\n]+/g, ' ') + '\n';
}

/** One failed case per finding, and one passed case per file without findings, so that a report is never empty. */
function cases(findings: readonly LintFinding[], sources: ReadonlyMap<string, string>): ReportCase[] {
  const clean = [...sources.keys()].filter((file) => !findings.some((finding) => finding.file === file)).sort();
  return [
    ...findings.map(({ code, level, file, line, message, hint, ignored }): ReportCase => {
      const place = { suite: file, name: `${code} ${message}`, file, line };
      if (ignored !== undefined) return { ...place, outcome: 'skipped', message: ignored };
      const text = `${level}[${code}]: ${message}\n${file}:${line}${hint === undefined ? '' : `\n${hint}`}`;
      return { ...place, outcome: 'failed', message: text };
    }),
    ...clean.map((file): ReportCase => ({ suite: file, name: 'no findings', file, outcome: 'passed' })),
  ];
}
