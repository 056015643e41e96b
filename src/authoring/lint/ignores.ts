import { Lexer } from 'yaml';
import { timeOf } from '../../core/policy/operator-values.js';
import type { LintFinding } from './finding.js';
import { LINT_CODES, isAdjustable } from './lint-codes.js';

/** A comment `# weir-ignore G131: reason (until 2027-01-01)`. */
export interface IgnoreComment {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** Offsets of the comment in its file. */
  readonly start: number;
  readonly end: number;
  readonly codes: readonly string[];
  readonly reason: string;
  /** The time at which it expires, in milliseconds since the epoch; NaN for a day that does not exist. */
  readonly untilMs?: number;
  /** True if its line contains nothing else: then it applies to the next line that is not a comment. */
  readonly alone: boolean;
  /** The line to which it applies. */
  readonly target: number;
}

const MARK = /^#\s*weir-ignore\b:?\s*/;
const CODES = /^([GT]\d{3}(?:\s*,\s*[GT]\d{3})*)\s*:?\s*/;
const UNTIL = /\s*\(until (\d{4}-\d{2}-\d{2})\)\s*$/;
const DAY_MS = 86_400_000;

/** Finds the ignore comments of a YAML file; a `#` inside a string is not a comment. */
export function ignoreComments(file: string, text: string): IgnoreComment[] {
  if (!text.includes('weir-ignore')) return [];
  const found: IgnoreComment[] = [];
  const lines = text.split('\n');
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    // The lexer marks documents and scalars with control characters that are not in the text.
    const length = token === '\u0002' || token === '\u001f' || token === '\u0018' ? 0 : token.length;
    if (MARK.test(token)) found.push(readComment(file, text, lines, offset, token.trimEnd()));
    offset += length;
  }
  return found;
}

function readComment(
  file: string,
  text: string,
  lines: readonly string[],
  start: number,
  comment: string,
): IgnoreComment {
  const before = text.slice(0, start).split('\n');
  const line = before.length;
  const column = before.at(-1)!.length + 1;
  const rest = comment.replace(MARK, '');
  const codes = CODES.exec(rest)?.[1]?.split(/\s*,\s*/) ?? [];
  const words = rest.replace(CODES, '');
  const until = UNTIL.exec(words)?.[1];
  const untilMs = until === undefined ? undefined : (timeOf(until) ?? Number.NaN) + DAY_MS;
  const alone = before.at(-1)!.trim() === '';
  let target = line;
  if (alone) for (target = line + 1; /^\s*(?:#.*)?$/.test(lines[target - 1] ?? 'end');) target += 1;
  return {
    file,
    line,
    column,
    length: comment.length,
    start,
    end: start + comment.length,
    codes,
    reason: words.replace(UNTIL, '').trim(),
    alone,
    target,
    ...(untilMs !== undefined && { untilMs }),
  };
}

/** Whether a check ran completely on a file. Only then a comment that suppresses none of its findings is without effect. */
type HasRun = (file: string, code: string) => boolean;

/**
 * Applies ignore comments: suppressed findings are marked with the reason. Comments that suppress nothing, have no reason or have
 * expired are findings themselves. Problems that prevent a policy from compiling cannot be suppressed.
 */
export function applyIgnores(
  findings: readonly LintFinding[],
  comments: readonly IgnoreComment[],
  { nowMs, hasRun }: { readonly nowMs: number; readonly hasRun: HasRun },
): LintFinding[] {
  const used = new Set<IgnoreComment>();
  const marked = findings.map((finding) => {
    const comment = comments.find((one) => suppresses(one, finding, nowMs));
    if (comment === undefined) return finding;
    used.add(comment);
    return { ...finding, ignored: comment.reason };
  });
  const rest = comments.filter((comment) => !used.has(comment));
  return [
    ...marked,
    ...comments.flatMap((comment) => complaintsAbout(comment, nowMs)),
    ...rest.flatMap((comment) => complaintsAboutUnused(comment, findings, { nowMs, hasRun })),
  ];
}

function suppresses(comment: IgnoreComment, finding: LintFinding, nowMs: number): boolean {
  if (!concerns(comment, finding) || comment.reason === '' || !isAdjustable(finding.code)) return false;
  return !isOver(comment, nowMs);
}

function isOver({ untilMs }: IgnoreComment, nowMs: number): boolean {
  return untilMs !== undefined && !(nowMs < untilMs);
}

function concerns({ file, target, codes }: IgnoreComment, finding: LintFinding): boolean {
  return finding.file === file && finding.line === target && codes.includes(finding.code);
}

const FORM = '# weir-ignore G131: reason (until 2027-01-01)';

/** The mistakes of a comment, whether it suppresses a finding or not. */
function complaintsAbout(comment: IgnoreComment, nowMs: number): LintFinding[] {
  if (comment.codes.length === 0) return [complaint(comment, 'G320', 'this ignore comment names no rule', FORM)];
  if (comment.reason === '') {
    return [complaint(comment, 'G321', 'this ignore comment gives no reason and has no effect', FORM)];
  }
  if (!isOver(comment, nowMs)) return [];
  return [complaint(comment, 'G322', 'this ignore comment has expired', 'remove it or set a new date')];
}

function complaintsAboutUnused(
  comment: IgnoreComment,
  findings: readonly LintFinding[],
  { nowMs, hasRun }: { readonly nowMs: number; readonly hasRun: HasRun },
): LintFinding[] {
  const { file, codes } = comment;
  if (complaintsAbout(comment, nowMs).length > 0) return [];
  const firm = findings.find((finding) => concerns(comment, finding));
  if (firm !== undefined) {
    const message = `${firm.code} cannot be ignored: it keeps the policy from compiling`;
    return [complaint(comment, 'G320', message, 'repair it')];
  }
  // A check that did not run might find what the comment suppresses.
  const isOpen = codes.some((code) => isAdjustable(code) && !hasRun(file, code));
  const unknown = codes.find((code) => !Object.hasOwn(LINT_CODES, code));
  if (unknown !== undefined) {
    return [complaint(comment, 'G320', `there is no rule ${unknown}`, 'remove it', { fixable: !isOpen })];
  }
  if (isOpen) return [];
  return [complaint(comment, 'G320', 'this ignore comment suppresses nothing', 'remove it', { fixable: true })];
}

function complaint(
  { file, line, column, length }: IgnoreComment,
  code: 'G320' | 'G321' | 'G322',
  message: string,
  hint: string,
  { fixable } = { fixable: false },
): LintFinding {
  return { code, level: code === 'G321' ? 'error' : 'warning', file, line, column, length, message, hint, fixable };
}
