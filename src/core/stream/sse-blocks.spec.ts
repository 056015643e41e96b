import fc from 'fast-check';
import { SseBlocks } from './sse-blocks.js';

function blocksOf(pieces: readonly string[]): string[] {
  const blocks = new SseBlocks();
  return [...pieces.flatMap((piece) => blocks.push(piece)), ...blocks.end()];
}

describe('SseBlocks', () => {
  it('cuts a stream into the same blocks however its pieces come', () => {
    const piece = fc.array(fc.constantFrom('data: a', 'x', '\r', '\n', '\r\n', '\n\n', ''), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const texts = pieces.map((parts) => parts.join(''));
        const whole = blocksOf([texts.join('')]);
        expect(blocksOf(texts)).toEqual(whole);
        expect(whole.join('')).toBe(texts.join(''));
      }),
    );
  });

  it('gives a block as soon as its empty line is there', () => {
    const blocks = new SseBlocks();
    expect(blocks.push('data: a\r')).toEqual([]);
    expect(blocks.push('\r')).toEqual([]);
    expect(blocks.push('b')).toEqual(['data: a\r\r']);
    expect(blocks.push('\n\n')).toEqual(['b\n\n']);
  });
});
