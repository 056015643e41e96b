/**
 * Decodes Braille patterns (U+2800 to U+28FF): as uncontracted Braille (Unified English Braille, grade 1), as computer Braille with one
 * pattern per ASCII character, and as one byte per pattern.
 */

const FIRST = 0x2800;
/** The first six dots; in computer Braille, the seventh makes a letter a capital. */
const SIX_DOTS = 0x3f;
const SEVENTH_DOT = 0x40;

const LETTERS = new Map(
  [...'a\u2801b\u2803c\u2809d\u2819e\u2811f\u280bg\u281bh\u2813i\u280aj\u281ak\u2805l\u2807m\u280dn\u281do\u2815p\u280fq\u281fr\u2817s\u280et\u281eu\u2825v\u2827w\u283ax\u282dy\u283dz\u2835'.matchAll(/(.)(.)/gu)]
    .map(([, letter = '', sign = '']) => [dots(sign), letter] as const),
); // prettier-ignore
/** The letters that are digits after the number sign, from 0 to 9. */
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
/** Combines two patterns into one number, unique for any two characters. */
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
/** The letter sign, which ends a number. */
const LETTER = 0x30;

/** ASCII characters by pattern, as in computers and embossers (North American Braille Computer Code). */
const OF_COMPUTERS = ' A1B\'K2L@CIF/MSP"E3H9O6R^DJG>NTQ,*5<-U8V.%[$+X!&;:4\\0Z7(_?W]#Y)=';

/**
 * Decodes grade 1.
 * @param capitals whether to read letters without a capital sign as capitals, because the text may have been written without these signs
 */
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
      // A comma or point does not end a number.
      isNumber &&= pattern === 0x02 || pattern === 0x32;
      large = 0;
      text += MARKS.get(pattern) ?? ' ';
    } else if (isNumber && DIGITS.includes(letter)) text += String(DIGITS.indexOf(letter));
    else {
      isNumber = false;
      text += capitals || large > 0 || (pattern & SEVENTH_DOT) !== 0 ? letter.toUpperCase() : letter;
      // One capital sign applies to one letter, two signs apply to a word.
      if (large === 1) large = 0;
    }
  }
  return text;
}

/** Decodes each pattern as one ASCII character. */
export function brailleOfComputers(row: string): string {
  return eachPattern(row, (pattern) => OF_COMPUTERS.charAt(pattern & SIX_DOTS));
}

/** Decodes each pattern as one byte. */
export function brailleBytes(row: string): string {
  return eachPattern(row, (pattern) => String.fromCharCode(pattern));
}

function eachPattern(row: string, read: (pattern: number) => string): string {
  return Array.from(row, (sign) => (dots(sign) < 0 || dots(sign) > 0xff ? sign : read(dots(sign)))).join('');
}

/** The number of a pattern, 0 to 255; outside this range for any other character. */
function dots(sign: string): number {
  return sign.charCodeAt(0) - FIRST;
}
