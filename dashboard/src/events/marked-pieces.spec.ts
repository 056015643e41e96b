import { piecesOf, type Piece } from './marked-pieces.ts';
import type { Mask } from './masks.ts';

const mask = (start: number, end: number): Mask => ({
  ...{ path: 'text', start, end, entity: 'EMAIL', detector: 'pii' },
  n: null,
});
/** The pieces as one text: marks in angle brackets, and … for the part that is left out. */
const written = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => (piece.kind === 'text' ? piece.text : piece.kind === 'mask' ? `<${piece.stored}>` : '…'))
    .join('');
const SHORT = { long: 20, kept: 6 };

describe('A text with marks', () => {
  it('shows each mark in its place', () => {
    expect(written(piecesOf('to [EMAIL], cc [EMAIL]', [mask(15, 22), mask(3, 10)]))).toBe('to <[EMAIL]>, cc <[EMAIL]>');
  });

  it('shows the outer one of nested marks, and no mark beyond its end', () => {
    expect(written(piecesOf('abcdef', [mask(1, 3), mask(1, 5), mask(2, 9)]))).toBe('a<bcde>f');
  });

  it('is shown completely if it is not longer than the limit', () => {
    expect(written(piecesOf('x'.repeat(20), [mask(8, 12)], SHORT))).toBe('xxxxxxxx<xxxx>xxxxxxxx');
  });

  it('keeps its marks at both ends when it is shortened', () => {
    const text = 'ab[1]defghijklmnopqr[2]uv';
    expect(written(piecesOf(text, [mask(2, 5), mask(20, 23)], SHORT))).toBe('ab<[1]>d…r<[2]>uv');
  });

  it('is never cut within a mark or a character', () => {
    const text = 'abcd[EMAIL]klmnopqrstuvw';
    expect(written(piecesOf(text, [mask(4, 11)], SHORT))).toBe('abcd<[EMAIL]>…rstuvw');
    expect(written(piecesOf(`abcde\u{1f600}ghijklmnopqrstuvw`, [], SHORT))).toBe('abcde\u{1f600}…rstuvw');
  });

  it('is not shortened if a mark fills its middle', () => {
    const text = 'abcd' + '*'.repeat(18) + 'wxyz';
    expect(written(piecesOf(text, [mask(4, 22)], SHORT))).toBe(`abcd<${'*'.repeat(18)}>wxyz`);
  });
});
