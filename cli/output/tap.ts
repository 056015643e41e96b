import type { ReportCase } from './report-case.js';

/** TAP version 14 (https://testanything.org/tap-version-14-specification.html): a plan, then one line per case. */
export function tap(cases: readonly ReportCase[]): string {
  return ['TAP version 14', `1..${cases.length}`, ...cases.flatMap(caseLines), ''].join('\n');
}

function caseLines({ suite, name, file, line, outcome, message }: ReportCase, index: number): string[] {
  const word = outcome === 'failed' ? 'not ok' : 'ok';
  const skip = outcome === 'skipped' ? ` # SKIP ${oneLine(message ?? '')}` : '';
  const head = `${word} ${index + 1} - ${described(`${suite} ${name}`)}${skip}`.trimEnd();
  if (outcome !== 'failed') return [head];
  const at = file === undefined ? [] : [`  at: ${JSON.stringify(line === undefined ? file : `${file}:${line}`)}`];
  return [head, '  ---', `  message: ${JSON.stringify(message ?? '')}`, ...at, '  ...'];
}

/** Escapes `#` and `\`, which have a meaning in a description. */
function described(text: string): string {
  return oneLine(text).replace(/[\\#]/g, '\\$&');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
