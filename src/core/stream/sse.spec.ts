import fc from 'fast-check';
import { applyEdits } from '../text/edit.js';
import { dataEdits, parseSse, SseBlocks } from './sse.js';

const TOKEN = 'ghp' + '_x7Kq2mZt9LwYb4RfNs8VcD1hJ6gP3uEaQ0iT';
const AWS_KEY = ['AKIA', 'Z7QF3M', 'XK2LTW', 'P4VB'].join('');

describe('parseSse', () => {
  it.each([
    ['data: a\n\n', [{ data: 'a' }]],
    ['data:a\r\n\r\ndata:  b\r\rdata\n\n', [{ data: 'a' }, { data: ' b' }, { data: '' }]],
    ['event: x\ndata: 1\ndata: 2\n\n', [{ name: 'x', data: '1\n2' }]],
    [': comment\nid: 7\nretry: 1\n\nevent: only\n\ndata: a\n\n', [{ data: 'a' }]],
    ['\ufeffdata: a\n\n', [{ data: 'a' }]],
    ['data: last without an empty line', [{ data: 'last without an empty line' }]],
    ['', []],
  ])('reads %j', (text, expected) => {
    expect(parseSse(text).events.map(({ name, data }) => (name === undefined ? { data } : { name, data }))).toEqual(
      expected,
    );
  });

  it('finds the same events whatever the line endings are', () => {
    const line = fc.string().filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { minLength: 1, maxLength: 3 })),
        fc.constantFrom('\n', '\r', '\r\n'),
        (events, end) => {
          const text = events.map((lines) => lines.map((data) => `data: ${data}${end}`).join('') + end).join('');
          expect(parseSse(text).events.map(({ data }) => data)).toEqual(events.map((lines) => lines.join('\n')));
        },
      ),
    );
  });
});

describe('parseSse, with line endings of every kind in one text,', () => {
  /** The same text with line feeds only: the lines between two empty lines are an event. */
  const dataOf = (text: string): string[] =>
    `\n${text.replace(/\r\n|\r/g, '\n')}`
      .split('\n\n')
      .map((block) => [...block.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join('\n'))
      .filter((data) => data !== '');

  it('finds the events that the standard defines', () => {
    const part = fc.constantFrom('data: a', 'data: b', '\n', '\r', '\r\n', '\n\n', 'id: 1');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(parseSse(text).events.map(({ data }) => data)).toEqual(dataOf(text));
      }),
    );
  });
});

describe('parseSse, outside of events,', () => {
  it.each([
    ['event: a\nid: 7\nretry\n:\n\ndata: x\n\n', []],
    ['event: response.output_text.delta\nid: 12345678\nretry: 10000\ndata: x\n\n', []],
    ['event: contentBlockDelta\nid: 1f0c7d9e-2b3a-4c5d-8e7f-8091a2b3c4d5\n\n', []],
    ['event: modelStreamErrorException\nid: evt_1NG8Du2eZvKYlo2CUI79vXWy\n\n', []],
    [`id: ${TOKEN}\nevent: ${TOKEN}\nretry: ${TOKEN}\n\n`, [`id: ${TOKEN}`, `event: ${TOKEN}`, `retry: ${TOKEN}`]],
    [`id: evt_${AWS_KEY}\nid:4111111111111111\n\n`, [`id: evt_${AWS_KEY}`, 'id:4111111111111111']],
    [': a comment\ndata: x\n\n', [': a comment']],
    ['event: two words\n\n', ['event: two words']],
    ['{"no": "stream"}\nnovel: field\n', ['{"no": "stream"}', 'novel: field']],
    [' data: {"a":1}\n\nDATA:{"b":1}\n\n', ['{"a":1}', '{"b":1}']],
    [': x\u2028data: {"a":1}\x0bdata: {"b":1}\x85\n\n', [': x', '{"a":1}', '{"b":1}']],
  ])('finds the lines in %j that may hold text', (text, expected) => {
    expect(parseSse(text).otherLines.map(({ data }) => data)).toEqual(expected);
  });
});

describe('dataEdits', () => {
  it('maps every range of the data to the text', () => {
    const line = fc.string({ minLength: 1 }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), fc.nat(), fc.nat(), (lines, from, size) => {
        const text = `: c\r\nevent: e\r\n${lines.map((data) => `data: ${data}\r\n`).join('')}\r\n`;
        const [event] = parseSse(text).events;
        const start = from % (event!.data.length + 1);
        const end = Math.min(event!.data.length, start + (size % 10));
        fc.pre(start < end && event!.data[start] !== '\n' && event!.data[end - 1] !== '\n');
        const edited = applyEdits(text, dataEdits(event!, [{ start, end, replacement: 'XYZ' }]));
        const expected = applyEdits(event!.data, [{ start, end, replacement: 'XYZ' }]);
        expect(parseSse(edited).events.map(({ data }) => data)).toEqual([expected]);
      }),
    );
  });

  it('keeps the field name of a line when a range begins with the line break before it', () => {
    const text = 'data:a\ndata:bc\n\n';
    const [event] = parseSse(text).events;
    expect(event!.data.slice(1, 3)).toBe('\nb');
    expect(applyEdits(text, dataEdits(event!, [{ start: 1, end: 3, replacement: 'X' }]))).toBe('data:a\ndata:Xc\n\n');
  });

  it('refuses a range outside the data', () => {
    const [event] = parseSse('data: ab\n\n').events;
    expect(() => dataEdits(event!, [{ start: 1, end: 4, replacement: 'X' }])).toThrow(RangeError);
  });
});

function blocksOf(pieces: readonly string[]): string[] {
  const blocks = new SseBlocks();
  return [...pieces.flatMap((piece) => blocks.push(piece)), ...blocks.end()];
}

describe('SseBlocks', () => {
  it('cuts a stream into the same blocks, however it arrives in pieces', () => {
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

  it('returns a block as soon as its empty line is complete', () => {
    const blocks = new SseBlocks();
    expect(blocks.push('data: a\r')).toEqual([]);
    expect(blocks.push('\r')).toEqual([]);
    expect(blocks.push('b')).toEqual(['data: a\r\r']);
    expect(blocks.push('\n\n')).toEqual(['b\n\n']);
  });
});
