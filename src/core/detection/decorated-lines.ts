/** A range of a text. Half-open. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Maximum distance at which the lines around a word are read. */
const LOOK = 160;
const LINE_ENDS = '\\r\\n\\u2028\\u2029';

/** The mark of a comment before the end of a line. */
const COMMENT = new RegExp(`(?:^|[ \\t${LINE_ENDS}])(?:#|\\/\\/)[ \\t][^${LINE_ENDS}]*$`);
/** The mark of a comment at the start of the next line; also matches quotation marks of mails. */
const HEAD = /[>|*#/]/;
/** A class with its package, as in annotations of Java: `@lombok.Data`. */
const CLASS = /^@(?:[a-z]\w{0,40}\.){1,8}[A-Z][a-z]/;
/** The arguments of a decorator. */
const ARGUMENTS = /^[ \t]{0,4}\(/;
/** The next line begins with another decorator, or with the declaration that it decorates. */
const DECLARATION =
  /^[ \t]{0,40}(?:\r?\n|\r)[ \t]{0,40}(?:@|(?:async|def|class|export|public|private|protected|function|fun)[ \t]\w)/;
const WORD = /^[^\p{L}\p{N}]{0,8}\p{L}+$/u;
/** The rest of a line without further words. */
const NO_MORE = new RegExp(`^[ \\t]{0,40}["'\\u0060>)\\]}.,;:!?]{0,4}[ \\t]{0,40}(?:[${LINE_ENDS}]|$)`);

/**
 * Whether a word that begins with `@` may be the rest of an e-mail address that begins at the end of the previous line. Decorators,
 * annotations and names of accounts also begin a line with `@`, and the line before them often ends with an ordinary word.
 *
 * @param sign the line end between the two words, and the marks at the start of the next line
 */
export function mayContinueAddress(text: string, sign: string, before: Range, behind: Range): boolean {
  const word = text.slice(before.from, before.to);
  if (word.includes('@') || CLASS.test(text.slice(behind.from, behind.to))) return false;
  const rest = text.slice(behind.to, behind.to + LOOK);
  if (ARGUMENTS.test(rest) || DECLARATION.test(rest)) return false;
  // A comment ends with its line.
  if (!HEAD.test(sign) && COMMENT.test(text.slice(Math.max(0, before.to - LOOK), before.to))) return false;
  return !WORD.test(word) || NO_MORE.test(rest);
}
