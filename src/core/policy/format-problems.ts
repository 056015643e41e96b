import type { PolicyProblem } from '../model/compiled-policy.js';

const MAX_LINE = 160;

/**
 * Problems as text with code frames, without colour. Lines of the files are shown as they are, except that control characters become
 * `\u{fffd}` (a policy file must not be able to control the reader's terminal) and long lines are truncated. A file that is not in
 * `sources` has no frame.
 */
export function formatProblems(problems: readonly PolicyProblem[], sources: ReadonlyMap<string, string>): string {
  return problems.map((problem) => formatProblem(problem, sources.get(problem.file))).join('\n');
}

/** The number of problems, as in `2 errors, 1 warning in 2 files`. */
export function countProblems(problems: readonly PolicyProblem[]): string {
  const count = (level: PolicyProblem['level']): string | undefined => {
    const number = problems.filter((problem) => problem.level === level).length;
    return number === 0 ? undefined : plural(number, level);
  };
  const counts = [count('error'), count('warning')].filter((part) => part !== undefined);
  const files = new Set(problems.map((problem) => problem.file)).size;
  return counts.length === 0 ? 'no problems' : `${counts.join(', ')} in ${plural(files, 'file')}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function formatProblem(problem: PolicyProblem, source: string | undefined): string {
  const { level, code, message, file, line, column, hint } = problem;
  const head = `${level}[${code}]: ${clean(message)}`;
  const place = `  --> ${clean(file)}:${line}:${column}`;
  const frame = source === undefined ? undefined : codeFrame(problem, source.split('\n'));
  if (frame !== undefined) return [head, place, ...frame].join('\n');
  return [head, place, ...(hint === undefined ? [] : [`      = ${clean(hint)}`])].join('\n');
}

/** The marked line with one line before and one after; undefined when the file has no such line. */
function codeFrame({ line, column, length, hint }: PolicyProblem, lines: readonly string[]): string[] | undefined {
  const marked = lines[line - 1];
  // Blank lines and binary content get no frame.
  if (marked === undefined || marked.trim() === '' || marked.includes('\0')) return undefined;
  const width = String(line + 1).length;
  const gutter = (label: string): string => `   ${label.padStart(width)} |`;
  const cut = Math.max(0, column - 1 + Math.min(length, 60) - MAX_LINE);
  const show = (number: number): string[] => {
    const text = lines[number - 1];
    if (text === undefined || (number !== line && text.trim() === '')) return [];
    return [`${gutter(String(number))} ${clean(text.slice(cut, cut + MAX_LINE))}`.trimEnd()];
  };
  const carets = '^'.repeat(Math.max(1, Math.min(length, MAX_LINE)));
  const pointer = `${gutter('')} ${' '.repeat(Math.max(0, column - 1 - cut))}${carets}`;
  return [
    ...show(line - 1),
    ...show(line),
    hint === undefined ? pointer : `${pointer} ${clean(hint)}`,
    ...show(line + 1),
  ];
}

function clean(text: string): string {
  return text
    .replace(/\r$/, '')
    .replaceAll('\t', ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}
