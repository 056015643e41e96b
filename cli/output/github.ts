import type { PolicyProblem } from '../../src/core/index.js';

/** Annotations of GitHub Actions: workflow commands, one line each (docs.github.com, "Workflow commands"). */
export function github(problems: readonly PolicyProblem[]): string {
  return problems.map(annotation).join('');
}

function annotation({ level, code, message, hint, file, line, column, length }: PolicyProblem): string {
  const properties = { file, line, col: column, endColumn: column + length, title: code };
  const head = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
  return `::${level} ${head.join(',')}::${data(hint === undefined ? message : `${message} (${hint})`)}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
