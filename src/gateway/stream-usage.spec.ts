import fc from 'fast-check';
import { StreamUsageFilter } from './stream-usage.js';

const chunk = (rest: string): string => `data: {"id":"c","choices":[{"index":0,"delta":{"content":"é 😀"}}]${rest}}`;
const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}';
const DONE = 'data: [DONE]';

/** The stream in pieces, through the filter. */
function filtered(text: string, cuts: readonly number[]): string {
  const filter = new StreamUsageFilter();
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((left, right) => left - right);
  const out: Buffer[] = [];
  let from = 0;
  for (const place of [...places, bytes.length]) {
    out.push(filter.push(bytes.subarray(from, place)));
    from = place;
  }
  out.push(filter.end());
  return Buffer.concat(out).toString();
}

describe('StreamUsageFilter', () => {
  it.each(['\n\n', '\r\n\r\n', '\r\r'])(
    'removes the chunk that contains only usage, wherever the stream is cut, with line endings %j',
    (end) => {
      const asked = [chunk(',"usage":null'), chunk(', "usage" : null'), USAGE, DONE, ''].join(end);
      const plain = [chunk(''), chunk(''), DONE, ''].join(end);
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
          expect(filtered(asked, cuts)).toBe(plain);
        }),
      );
    },
  );

  it('removes a chunk that contains only usage even if no empty line ends the chunk', () => {
    expect(filtered(`${chunk('')}\n\n${USAGE}`, [])).toBe(`${chunk('')}\n\n`);
  });

  it.each([
    `${chunk(',"usage":{"prompt_tokens":3}')}\n\n`,
    'data: {"choices":[{"delta":{"content":"\\"usage\\":null, say ,\\"usage\\":null"}}]}\n\n',
    'data: {"choices":[{"x":1,"usage":null}]}\n\n',
    'data: {"a":1,"usage":null,"b":{"c":1,"usage":null}}\n\n',
    'data: {"choices":[],"prompt_filter_results":[]}\n\n',
    'data: {broken "usage"\n\n',
    ': "usage"\n\n',
    'event: x\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":1}}}\n\n',
    '\u00ff',
    '',
  ])('leaves %j as it is', (text) => {
    expect(filtered(text, [3, 7])).toBe(text);
  });

  it('does not hold an event that never ends', () => {
    const filter = new StreamUsageFilter();
    const long = Buffer.alloc(2 * 1024 * 1024, 'x');
    expect(filter.push(long)).toHaveLength(long.length);
  });
});
