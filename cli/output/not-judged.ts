import type { NotJudged } from '../input/compiled-project.js';
import { github } from './github.js';
import { junit } from './junit.js';
import type { ReportCase } from './report-case.js';
import { problemSarif } from './sarif.js';
import { tap } from './tap.js';

/**
 * Machine-readable reports of tests that could not be run: each error as a failed case or as a finding. An empty report would count as
 * one without failures.
 *
 * @param title of the test suites
 * @returns undefined for text formats, because stderr has the errors, and for JSON, which contains only results
 */
export function notJudgedReport(format: string, title: string, { message, problems }: NotJudged): string | undefined {
  switch (format) {
    case 'junit':
      return junit(title, cases(message, problems));
    case 'tap':
      return tap(cases(message, problems));
    case 'sarif':
      return problemSarif(problems);
    case 'github':
      return github(problems);
    default:
      return undefined;
  }
}

const cases = (summary: string, problems: NotJudged['problems']): ReportCase[] =>
  problems.map(({ code, level, message, hint, file, line }) => ({
    suite: file,
    name: `${code} ${message}`,
    file,
    line,
    // Warnings do not prevent a run, so they count as passed.
    outcome: level === 'error' ? 'failed' : 'passed',
    message: [`${summary}: ${message}`, `${file}:${line}`, ...(hint === undefined ? [] : [hint])].join('\n'),
  }));
