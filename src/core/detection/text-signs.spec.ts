import fc from 'fast-check';
import { atOnce } from '../steps/steps.js';
import { decodedRunsOf } from './decoded-runs.js';
import { hides } from './engine/disguises.js';
import { SharedReading } from './engine/shared-reading.js';
import { joinedLetters } from './split-values.js';
import { isSpelt, signsOf, type TextSigns } from './text-signs.js';

const SECRET = `the key is ghp_${'aB3dE5gH7jK9'.repeat(3)} and nothing else`;
const bytes = Buffer.from(SECRET);

const ALL: TextSigns = {
  letters: true,
  groups: true,
  dump: true,
  uuencoded: true,
  selectors: true,
  reversed: true,
  digits: true,
  braille: true,
  shifted: true,
  backwards: true,
  hidden: true,
  encodedWords: true,
  spelt: true,
};
const NONE: readonly string[] = [];
const named = (signs: TextSigns): string[] => Object.entries(signs).flatMap(([name, is]) => (is ? [name] : []));
const grouped = (digits: string, size: number, between = ' '): string =>
  digits.match(new RegExp(`.{1,${size}}`, 'g'))!.join(between);
const dump = (colon: string): string =>
  grouped(bytes.toString('hex'), 32, '\n')
    .split('\n')
    .map((line, index) => `${(index * 16).toString(16).padStart(8, '0')}${colon} ${grouped(line, 4)}  ....`)
    .join('\n');

/** Hidden values, each with its sign. */
const HIDDEN: readonly (readonly [string, keyof TextSigns])[] = [
  [grouped(bytes.toString('base64').replace(/=+$/, ''), 4), 'groups'],
  [dump(':'), 'dump'],
  [dump(' '), 'dump'],
  ['begin 644 a\n#:&D*\n', 'uuencoded'],
  [`x${String.fromCodePoint(...[...bytes].map((byte) => 0xe0100 + byte - 16))}`, 'selectors'],
  [`\u202e${[...SECRET].reverse().join('')}`, 'reversed'],
  [Array.from(bytes, (byte) => String(byte).padStart(3, '0')).join(''), 'digits'],
  [Array.from(bytes, (byte) => byte.toString(8).padStart(3, '0')).join(''), 'digits'],
  [Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join(''), 'digits'],
  [Array.from(bytes, (byte) => String.fromCharCode(0x2800 + byte)).join(''), 'braille'],
  [`ana.bell+${Buffer.from('@', 'utf16le').swap16().toString('base64').replace(/=+$/, '')}-example.com`, 'shifted'],
  [`+${Buffer.from(SECRET, 'utf16le').swap16().toString('base64')}-`, 'shifted'],
  ['ghp_aB3dE5gH7jK9aB3dE5gH7jK9'.split('').reverse().join(''), 'backwards'],
  ['moc.elpmaxe@lleb.ana', 'backwards'],
  [[...'moc.elpmaxe@lleb.ana'].join('\u200d'), 'hidden'],
  [`=?utf-8?B?${bytes.toString('base64').slice(0, 60)}?=`, 'encodedWords'],
  [bytes.toString('base64').replace(/.{9}/g, '$&\u200b'), 'spelt'],
  [bytes.toString('base64').replaceAll('s', '%73'), 'spelt'],
  [bytes.toString('base64').replaceAll('s', '&#115;'), 'spelt'],
  [bytes.toString('hex').replaceAll('6', '\\u0036'), 'spelt'],
  [bytes.toString('hex').replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)), 'spelt'],
  ...[' ', '.', ',', '","', '_', '--', '\u{1f600}', '\t'].map((parting) => [[...'ghp_aB3dE5gH7'].join(parting), 'letters'] as const),
]; // prettier-ignore

describe('The signs of a text', () => {
  it.each(HIDDEN)('indicate the hidden value: %j', (text, sign) => {
    expect(named(atOnce(signsOf(text)))).toContain(sign);
    expect(named(atOnce(signsOf(`words before it ${text} and behind`)))).toContain(sign);
  });

  it.each([
    'The plan moved to Thursday, as 12 of the 345 invoices were late; ask the team for a new date.',
    'const text = pieces.map(({ from, to }) => all.slice(from, to)).join(", ");',
    '1,name 1,2026-01-05,41.5,true\n2,name 2,2026-01-06,9,false\n',
    '{"messages":[{"role":"user","content":"hello"}],"temperature":0.5}',
  ])('are empty for a text that hides nothing: %j', (text) => {
    expect(named(atOnce(signsOf(text.repeat(50))))).toEqual(NONE);
  });

  it('indicate disguised digits of runs wherever one search for all of them would', () => {
    const ofRun = /[A-Za-z0-9+/]\\\/|[\uff0b\uff0f-\uff19\uff21-\uff3a\uff41-\uff5a]/;
    const piece = fc.constantFrom(
      'a',
      '+',
      '/',
      '\\',
      '\\/',
      '\uff0b',
      '\uff0c',
      '\uff15',
      '\uff5a',
      '%41',
      '\u200b',
      ' ',
      '=',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(isSpelt(text)).toBe(ofRun.test(text) || hides(text));
      }),
    );
  });

  it('never miss a hidden value that would be decoded', () => {
    const piece = fc.oneof(
      fc.constantFrom(...HIDDEN.map(([text]) => text)),
      fc.constantFrom('face beat 12 ', 'that team said ', '\n', '= ', '@', 'dead beef ', '0x1f 2e\n', 'A9 ', '\t', 'begin 7'),
      fc.string({ maxLength: 12 }),
      fc.stringMatching(/^[0-9a-zA-Z_.@+-]{1,40}$/),
      // Places the hidden values across the stops of the pass.
      fc.integer({ min: 16_200, max: 16_400 }).map((length) => 'filler te '.repeat(1_640).slice(0, length)),
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const signs = atOnce(signsOf(text));
        expect(atOnce(decodedRunsOf(text, signs))).toEqual(atOnce(decodedRunsOf(text, ALL)));
        // Detectors may have read the text before.
        expect(atOnce(signsOf(text, new SharedReading(text)))).toEqual(signs);
        if (!signs.letters) expect(atOnce(joinedLetters(text, 0))).toEqual([]);
      }),
    );
  });
});
