import type { PolicyProblem } from '../compiled.js';
import { WARNING_CODES, type PolicyProblemCode } from '../problem-codes.js';
import type { Span } from './node.js';

/** Collects everything that is wrong; the same complaint at the same place counts once. */
export class Problems {
  private readonly found = new Map<string, PolicyProblem>();

  /** Notes a problem at a place. `message` may quote the policy file, which is not secret, but never a call's content. */
  add(code: PolicyProblemCode, span: Span, message: string, hint?: string): void {
    const { line, column } = positionOf(span);
    this.put({ code, message, file: span.source.path, line, column, length: lengthOf(span), ...withHint(hint) });
  }

  /** Notes a problem of a file as a whole, or of no file at all. */
  addFile(code: PolicyProblemCode, file: string, message: string, hint?: string): void {
    this.put({ code, message, file, line: 1, column: 1, length: 1, ...withHint(hint) });
  }

  /** Notes everything that others are. */
  takeOver(others: Problems): void {
    for (const [identity, problem] of others.found) if (!this.found.has(identity)) this.found.set(identity, problem);
  }

  get hasErrors(): boolean {
    return [...this.found.values()].some((problem) => problem.level === 'error');
  }

  /** All problems, by file, line, column, then code. */
  sorted(): PolicyProblem[] {
    return [...this.found.values()].sort(
      (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code),
    );
  }

  private put(problem: Omit<PolicyProblem, 'level'> & { code: PolicyProblemCode }): void {
    const level = WARNING_CODES.has(problem.code) ? 'warning' : 'error';
    const identity = [problem.code, problem.file, problem.line, problem.column, problem.message].join('\n');
    if (!this.found.has(identity)) this.found.set(identity, { ...problem, level });
  }
}

function withHint(hint: string | undefined): { hint?: string } {
  return hint === undefined ? {} : { hint };
}

/** Line and column of a span's start, counted from 1; columns in UTF-16 units. */
export function positionOf({ source, start }: Span): { line: number; column: number } {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (source.lineStarts[middle]! <= start) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: start - source.lineStarts[low]! + 1 };
}

/** Length of the part of a span that lies on its first line, at least 1. */
export function lengthOf({ source, start, end }: Span): number {
  const lineEnd = source.text.indexOf('\n', start);
  const stop = lineEnd === -1 ? end : Math.min(end, lineEnd);
  return Math.max(1, source.text.slice(start, stop).trimEnd().length);
}

/** Orders by UTF-16 code units, the same on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
