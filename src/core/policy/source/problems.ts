import { compareText } from '../../model/compare-text.js';
import type { PolicyProblem } from '../../model/compiled-policy.js';
import { WARNING_CODES, type PolicyProblemCode } from '../problem-codes.js';
import { didYouMean } from './did-you-mean.js';
import type { Span } from './node.js';

/**
 * The maximum number of reported problems: readers do not need more, and collecting thousands with their positions would be expensive.
 */
const MAX_PROBLEMS = 1_000;
/** Limits the cost: each suggestion compares a word with all known ones. */
const MAX_SUGGESTIONS = 100;

/**
 * Collects problems up to a limit; the same problem at the same position counts once. Problems over the limit are dropped, but errors
 * among them still count in `hasErrors`.
 */
export class Problems {
  private readonly found = new Map<string, PolicyProblem>();
  private errors = 0;
  private suggestions = 0;

  /** The nearest of the known words, as a hint. Returns none after many suggestions, since the search is slow. */
  suggest(word: string, known: Iterable<string>): string | undefined {
    this.suggestions += 1;
    return this.suggestions > MAX_SUGGESTIONS ? undefined : didYouMean(word, known);
  }

  /** Adds a problem at a position. `message` may quote the policy file, which is not secret, but never a call's content. */
  add(code: PolicyProblemCode, span: Span, message: string, hint?: string): void {
    if (this.isFull(code)) return;
    const { line, column } = positionOf(span);
    this.put({ code, message, file: span.source.path, line, column, length: lengthOf(span), ...withHint(hint) });
  }

  /** Adds a problem of an entire file, or of no file. */
  addFile(code: PolicyProblemCode, file: string, message: string, hint?: string): void {
    if (this.isFull(code)) return;
    this.put({ code, message, file, line: 1, column: 1, length: 1, ...withHint(hint) });
  }

  /** Adds all problems of another collection. */
  takeOver(others: Problems): void {
    for (const [identity, problem] of others.found) this.keep(identity, problem);
  }

  get hasErrors(): boolean {
    return this.errors > 0;
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
    this.keep(identity, { ...problem, level });
  }

  private keep(identity: string, problem: PolicyProblem): void {
    if (this.found.has(identity)) return;
    this.found.set(identity, problem);
    if (problem.level === 'error') this.errors += 1;
  }

  /** Over the limit, the first error is still added. */
  private isFull(code: PolicyProblemCode): boolean {
    return this.found.size >= MAX_PROBLEMS && (this.errors > 0 || WARNING_CODES.has(code));
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
  // Uses the line starts instead of searching the text: with one very long line, each search would read the entire file.
  const nextLine = source.lineStarts[positionOf({ source, start, end }).line];
  const stop = nextLine === undefined ? end : Math.min(end, nextLine - 1);
  return Math.max(1, source.text.slice(start, stop).trimEnd().length);
}
