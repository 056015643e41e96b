/** Microseconds for a Unicode class, such as `\p{L}`: its table has hundreds of ranges. */
const CLASS_MICROS = 150;
/**
 * Without regard to case, RE2 adds each character of a range with its other cases, so that a wide range takes milliseconds. It does so only
 * between the first and the last character that has another case, and not for a range that contains all of these.
 */
const FOLDED_CHARACTER_MICROS = 0.04;
const FIRST_WITH_CASE = 0x41;
const LAST_WITH_CASE = 0x1e943;

/** What matters outside of classes: a quotation, an escape, flags, the other ends of groups, and the beginning of a class. */
const TOKEN = /\\Q[^]*?(?:\\E|$)|\\[^]|\(\?([imsU]*)(?:-([imsU]+))?([:)])|[()]|\[\^?/g;
const CHARACTER = String.raw`\\x\{[0-9A-Fa-f]+\}|\\x[0-9A-Fa-f]{2}|\\[0-7]{1,3}|\\[^]|[^\\]`;
const NAMED = String.raw`\\[pP](?:\{[^}]*\}|[^])|\\[dDsSwW]`;
/** The next element of a class: a named class, or a character that may begin a range. */
const ELEMENT = new RegExp(String.raw`\[:[^]*?:\]|${NAMED}|(${CHARACTER})(?:-(?!\])(${CHARACTER}))?`, 'uy');
const UNICODE_CLASS = /^\\[pP]/;
/** The letters of escapes for control characters. */
const CONTROL = /[afnrtv]/;

/**
 * Estimates the time to compile an expression of the RE2 syntax from its text, in microseconds. A few classes or ranges can take as long as
 * thousands of other characters, so neither the length of an expression nor the size of its program limits this time.
 *
 * @param ignoresCase whether the whole expression is compiled without regard to case
 */
export function expressionCost(source: string, ignoresCase: boolean): number {
  let micros = source.length;
  let folds = ignoresCase;
  /** Whether case is ignored after each of the open groups. */
  const after: boolean[] = [];
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token !== null; token = TOKEN.exec(source)) {
    const [text, on, off, end] = token;
    if (text.startsWith('[')) {
      const read = readClass(source, TOKEN.lastIndex);
      micros += read.classes * CLASS_MICROS + (folds ? read.folded * FOLDED_CHARACTER_MICROS : 0);
      TOKEN.lastIndex = read.end;
    } else if (text === ')') folds = after.pop() ?? folds;
    else if (UNICODE_CLASS.test(text)) micros += CLASS_MICROS;
    else if (text.startsWith('(')) {
      if (end !== ')') after.push(folds);
      if (off?.includes('i') === true) folds = false;
      else if (on?.includes('i') === true) folds = true;
    }
  }
  return micros;
}

/** The costly elements of a class. */
interface ClassElements {
  /** The position after the class. */
  readonly end: number;
  readonly classes: number;
  /** The number of characters in its ranges that RE2 compares with other cases. */
  readonly folded: number;
}

/** @param start the position after the opening bracket */
function readClass(source: string, start: number): ClassElements {
  let [end, classes, folded] = [start, 0, 0];
  // A bracket directly after the opening one is a character of the class.
  while (end < source.length && (source[end] !== ']' || end === start)) {
    ELEMENT.lastIndex = end;
    const element = ELEMENT.exec(source);
    if (element === null) return { end: source.length, classes, folded };
    const [text, first, last] = element;
    if (UNICODE_CLASS.test(text)) classes++;
    if (first !== undefined && last !== undefined) folded += foldedBetween(codeOf(first), codeOf(last));
    end = ELEMENT.lastIndex;
  }
  return { end: end + 1, classes, folded };
}

function foldedBetween(first: number, last: number): number {
  if (first <= FIRST_WITH_CASE && last >= LAST_WITH_CASE) return 0;
  return Math.max(0, Math.min(last, LAST_WITH_CASE) - Math.max(first, FIRST_WITH_CASE) + 1);
}

/** The code of a character of a class. */
function codeOf(text: string): number {
  if (text[0] !== '\\') return text.codePointAt(0)!;
  if (text[1] === 'x') return Number.parseInt(text.replace(/^\\x\{?/, ''), 16);
  if (/^\\[0-7]/.test(text)) return Number.parseInt(text.slice(1), 8);
  return CONTROL.test(text) ? 0 : text.codePointAt(1)!;
}
