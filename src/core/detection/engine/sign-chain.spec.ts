import fc from 'fast-check';
import type { Finding } from '../../model/finding.js';
import { compilePatterns } from './compile-patterns.js';
import { mayBeginSign, nextSign } from './disguises.js';
import { heldFrom, startBeforeSign } from './sign-chain.js';
import { streamedFindings } from '../../../../test/support/streamed-findings.js';
import { MAIL_AND_KEY } from '../../../../test/support/mail-and-key-patterns.js';

const codes = new Set(['KEY', 'MAIL'] as const);
const scan = compilePatterns(MAIL_AND_KEY, { codes });
const KEY = 'key_Ab3dEf6hIj9k';
const MAIL = 'ana.bell@example.com';

const streamed = (pieces: readonly string[], whole: readonly Finding[]) =>
  streamedFindings(scan.stream(undefined, codes), pieces, whole);

describe('A spelling in front of a sign', () => {
  it.each([
    ['a continued line before an escape', `${KEY}=\r\n\\153`],
    ['a control before an escape', `${KEY}\\x141\\156`],
    ['a control before a value', `\\x1bAb3dEf6hIj9k${MAIL}%u0435`],
    ['a control in a value, at a distance from the sign', `${KEY}\\x14Lm\\153`],
    ['a continued line before marks', `%=\r\n\u034f6b65795f${MAIL}`],
    ['a full stop after a digit of another script', `\u0661\u30022m\u200b${MAIL}`],
    ['a look-alike before an invisible character', `\u0435\u200b${MAIL}`],
    ['a look-alike after an escape', `\\u0663\u200b\u0435${MAIL}\u200b`],
    ['a full stop before an escape', `k\u200b\u3002u0435\u200b${MAIL}`],
  ])('is read in a stream as in the whole text: %s', (_what, text) => {
    const whole = scan(text);
    expect(whole.length).toBeGreaterThan(0);
    const cuts = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
    for (const pieces of [[text], text.split(''), ...cuts])
      expect([pieces, streamed(pieces, whole)]).toEqual([pieces, { released: whole, isEarly: false }]);
  });

  it('belongs to a value that goes on over the sign', () => {
    const text = String.raw`see \u043a\u0435y_Ab3dEf6hIj9k now`;
    expect(scan(text).map(({ start, end }) => text.slice(start, end))).toEqual([text.slice(4, -4)]);
  });

  it('is withheld with all spellings next to it', () => {
    expect(heldFrom(String.raw`see \x14\x15`)).toBe(4);
    expect(heldFrom('see =\r\n&nbsp;%')).toBe(4);
    expect(heldFrom(String.raw`see \x14 now`)).toBe(12);
  });

  it('is never more than a bounded number of spellings', () => {
    const text = String.raw`\u4e2d`.repeat(100);
    expect(text.length - heldFrom(text)).toBe(12 * 6);
  });

  it('is never withheld, and no sign is read, only where the text cannot have one', () => {
    const isRead = (text: string): boolean => heldFrom(text) < text.length || nextSign(text, 0) !== undefined;
    const chars = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit));
    const others = chars.filter((char) => !mayBeginSign(char));
    expect(others.length).toBeGreaterThan(60_000);
    expect(
      others.flatMap((char) => [char, char + char, `${char}a`, `${char}41`, `${char}#x41;`]).filter(isRead),
    ).toEqual([]);
    const texts = fc.array(
      fc.constantFrom('%', '&', '=', '\\', '\u001b', '\u0345', '\u03b9', '\u200b', '\udb40', '\udc41', '41', 'x1b[', '#65;', 'a', ' ', '\n', '\u2474'),
      { maxLength: 6 },
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.oneof(texts, fc.array(fc.string({ unit: 'binary' }))), (parts) => {
        const text = parts.join('');
        expect(isRead(text) && !mayBeginSign(text)).toBe(false);
      }),
    );
  });

  it('moves the start of a finding only if the text in front of the spelling is read differently', () => {
    expect(startBeforeSign(String.raw`ana\x14`, 0)).toBe(0);
    expect(startBeforeSign(String.raw`ana\x14bell`, 0)).toBe(11);
    expect(startBeforeSign('ana.bell', 0)).toBe(0);
  });
});
