import fc from 'fast-check';
import { atOnce } from '../steps/steps.js';
import { decodedRunsOf } from './decoded-runs.js';
import { joinedCells, joinedLetters, joinedLines, joinedStrings } from './split-values.js';
import { signsOf, type TextSigns } from './text-signs.js';

const [ONE, OTHER] = ['aB3dE6gH9', 'jK2mN5pQ8'];
const LINE_SIGNS = ['\n', '\r\n', '\u2028', '</b>', '<!-- -->', ']]>', "'+'", '\\" + \\"', '"; x += "', '\u001b[0m', '\\e[1m', '**', '*', '~~', '`', '[/b]', '](/x)', '[^1]', '${""}', '{/* */}', '\\-', '\\,', '}{', '$$']; // prettier-ignore
const CELL_SIGNS = ['\t', '|', ' | ', '","', "', '", '\\",\\"', '`,\n`', '</td><td>', '</TD>\n<TD class="x">', '<br>', '<BR />']; // prettier-ignore
/** All signs of hidden values, whether the text has them or not. */
const ALL_SIGNS = Object.fromEntries(
  Object.keys(atOnce(signsOf(''))).map((sign) => [sign, true]),
) as unknown as TextSigns;

const texts = (signs: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...signs, ONE, OTHER, 'word', ' ', '.', '"', "'", ',', '<', '\\', '-'), { maxLength: 12 })
    .map((pieces) => pieces.join(''));

describe('A value that is split within a text', () => {
  it.each(LINE_SIGNS)('is joined over a separator of lines or marks: %j', (sign) => {
    expect(atOnce(joinedLines(`${ONE}${sign}${OTHER}`, 0))).not.toEqual([]);
  });

  it.each(CELL_SIGNS)('is joined over a separator of cells: %j', (sign) => {
    expect(atOnce(joinedCells(`"${ONE}${sign}${OTHER}"`, 0))).not.toEqual([]);
  });

  // The added characters never belong to a separator or a value, but make the text pass the check for the characters of separators.
  it('is joined over every separator, whatever other characters the text has', () => {
    const both = texts([...LINE_SIGNS, ...CELL_SIGNS]);
    fc.assert(
      fc.property(fc.oneof(both, texts(['~~', 'x'])), (text) => {
        expect(atOnce(joinedLines(text, 0))).toEqual(atOnce(joinedLines(`${text}!\u001b`, 0)));
      }),
    );
    fc.assert(
      fc.property(fc.oneof(both, texts(['","', ', '])), (text) => {
        expect(atOnce(joinedCells(text, 0))).toEqual(atOnce(joinedCells(`${text}\n|`, 0)));
      }),
    );
  });

  it('is longer than nine characters: nothing is joined or decoded in a shorter text', () => {
    const pieces = [...LINE_SIGNS, ...CELL_SIGNS, 'a.b', '001', '+AEA-', '=?u?q?', '?=', '\u2801', '\u202e', '\u{e0120}', 'begin 64', '&#9', '\\/', 'join(']; // prettier-ignore
    const short = fc.oneof(texts(pieces), fc.string({ unit: 'binary' })).map((text) => text.slice(0, 9));
    fc.assert(
      fc.property(short, (text) => {
        for (const join of [joinedLines, joinedCells, joinedStrings, joinedLetters])
          expect(atOnce<readonly unknown[]>(join(text, 0))).toEqual([]);
        expect(atOnce(decodedRunsOf(text, ALL_SIGNS))).toEqual([]);
      }),
    );
  });
});
