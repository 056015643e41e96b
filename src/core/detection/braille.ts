/**
 * Braille patterns (U+2800 to U+28FF) as letters: uncontracted Braille (Unified English Braille, grade 1), the Braille of
 * computers with one sign for each of ASCII, and a byte in each pattern.
 */

const FIRST = 0x2800;
/** The lowest six dots; the seventh makes a letter a capital where computers write it. */
const SIX_DOTS = 0x3f;
const SEVENTH_DOT = 0x40;

const LETTERS = new Map(
  [...'a\u2801b\u2803c\u2809d\u2819e\u2811f\u280bg\u281bh\u2813i\u280aj\u281ak\u2805l\u2807m\u280dn\u281do\u2815p\u280fq\u281fr\u2817s\u280et\u281eu\u2825v\u2827w\u283ax\u282dy\u283dz\u2835'.matchAll(/(.)(.)/gu)]
    .map(([, letter = '', sign = '']) => [dots(sign), letter] as const),
); // prettier-ignore
/** Those that stand for a digit behind the sign of numbers: 0 is a j. */
const DIGITS = 'jabcdefghi';
const MARKS = new Map([
  [0x02, ','],
  [0x32, '.'],
  [0x24, '-'],
  [0x12, ':'],
  [0x06, ';'],
  [0x16, '!'],
  [0x26, '?'],
  [0x04, "'"],
  [0x0c, '/'],
]);
/** Two patterns as one number, whatever signs they are. */
const pairOf = (first: number, second: number): number => first * 0x20000 + second;
const PAIRS = new Map([
  [pairOf(8, 1), '@'],
  [pairOf(40, 36), '_'],
  [pairOf(56, 36), '_'],
  [pairOf(56, 12), '/'],
  [pairOf(16, 22), '+'],
  [pairOf(16, 54), '='],
  [pairOf(16, 36), '-'],
  [pairOf(8, 20), '~'],
]);
const NUMBER = 0x3c;
const CAPITAL = 0x20;
/** Ends a word of numbers or capitals, or says that a letter is one. */
const LETTER = 0x30;

/** ASCII by its pattern, as computers and embossers have it (North American Braille Computer Code). */
const OF_COMPUTERS = ' A1B\'K2L@CIF/MSP"E3H9O6R^DJG>NTQ,*5<-U8V.%[$+X!&;:4\\0Z7(_?W]#Y)=';

/** Grade 1. @param capitals whether letters are capitals where no sign says so: who leaves these signs out loses them */
export function gradeOne(row: string, capitals: boolean): string {
  let text = '';
  let isNumber = false;
  let large = 0;
  for (let at = 0; at < row.length; at++) {
    const pattern = dots(row.charAt(at));
    if (pattern < 0 || pattern > 0xff) {
      text += row.charAt(at);
      continue;
    }
    const pair = PAIRS.get(pairOf(pattern, dots(row.charAt(at + 1))));
    const letter = LETTERS.get(pattern & SIX_DOTS);
    if (pattern === NUMBER) [isNumber, large] = [true, 0];
    else if (pattern === CAPITAL) large = dots(row.charAt(at - 1)) === CAPITAL ? large + 1 : 1;
    else if (pattern === LETTER) isNumber = false;
    else if (pair !== undefined) {
      [isNumber, large] = [false, 0];
      text += pair;
      at++;
    } else if (letter === undefined) {
      // Numbers go on behind what stands in them.
      isNumber &&= pattern === 0x02 || pattern === 0x32;
      large = 0;
      text += MARKS.get(pattern) ?? ' ';
    } else if (isNumber && DIGITS.includes(letter)) text += String(DIGITS.indexOf(letter));
    else {
      isNumber = false;
      text += capitals || large > 0 || (pattern & SEVENTH_DOT) !== 0 ? letter.toUpperCase() : letter;
      // One sign is for one letter, two are for a word.
      if (large === 1) large = 0;
    }
  }
  return text;
}

/** One sign of ASCII for each pattern. */
export function brailleOfComputers(row: string): string {
  return eachPattern(row, (pattern) => OF_COMPUTERS.charAt(pattern & SIX_DOTS));
}

/** A byte in each pattern; nothing where some are no text. */
export function brailleBytes(row: string): string {
  return eachPattern(row, (pattern) => String.fromCharCode(pattern));
}

function eachPattern(row: string, read: (pattern: number) => string): string {
  return Array.from(row, (sign) => (dots(sign) < 0 || dots(sign) > 0xff ? sign : read(dots(sign)))).join('');
}

/** The number of a pattern; not of 0 to 255 for what is none. */
function dots(sign: string): number {
  return sign.charCodeAt(0) - FIRST;
}
