import fc from 'fast-check';
import { JsonSyntaxError } from '../json/json-parser.js';
import { atOnce } from '../steps/steps.js';
import { assembleStream } from './assemble-stream.js';
import { separatingLines } from './data-lines.js';
import { parseSse } from './sse.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { cut, guard, whole } from './testdata/guarding.js';
import { chunk } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(
  masks('mask.all', ['TICKET', 'MAIL', 'PIN'], '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }'),
);
const content = (text: string): string => chunk([{ index: 0, delta: { content: text } }]);
/** The same events without the empty lines between them, so that they are one block. */
const inOneBlock = (stream: string): string => `${stream.trimEnd().replaceAll('\n\n', '\n')}\n\n`;
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe('data lines that are each JSON, in one block,', () => {
  it('are read like separate events: a tool call in them is a tool call', () => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'run_', arguments: '{"cmd":' } };
    const stream =
      chunk([{ index: 0, delta: { tool_calls: [call] } }]) +
      chunk([{ index: 0, delta: { tool_calls: [{ index: 0, function: { name: 'shell', arguments: '"ls"}' } }] } }]) +
      'data: [DONE]\n\n';
    const read = assembleStream('openai.chat', inOneBlock(stream));
    expect(read.call).toEqual(assembleStream('openai.chat', stream).call);
    expect(read.call.newToolCalls[0]).toMatchObject({ name: 'run_shell', args: { cmd: 'ls' } });
    expect(read.brokeOff).toBe(false);
  });

  it('are masked like separate events, wherever the text and the stream are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('TK-123', 'ab@cd'), cuts, cuts, async (secret, inText, inStream) => {
        const stream = `${cut(`It is ${secret}.`, inText).map(content).join('')}data: [DONE]\n\n`;
        const separate = await whole(MASKING, 'openai.chat', stream);
        const { text } = await guard(MASKING, 'openai.chat', cut(inOneBlock(stream), inStream));
        expect(text).toBe(inOneBlock(separate.text));
      }),
      { numRuns: 50 },
    );
  });

  it('may stand among lines of text, which stay joined by line feeds', () => {
    const [event] = parseSse('event: e\ndata: one\ndata: two\ndata: {"a":1}\ndata: three\n\n').events;
    expect(atOnce(separatingLines(event!)).map(({ name, data }) => [name, data])).toEqual([
      ['e', 'one\ntwo'],
      ['e', '{"a":1}'],
      ['e', 'three'],
    ]);
  });
});

describe('data lines that are joined by the standard', () => {
  it.each([
    ['JSON over several lines', 'data: {"a":\ndata: {"b":1}\ndata: }\n\n'],
    ['JSON with an empty line', 'data: {"a":1}\ndata:\n\n'],
    ['a text over several lines', 'data: one\ndata: two\n\n'],
    ['a text that begins like JSON', 'data: [see below]\ndata: {braces}\n\n'],
    ['a number over several lines', 'data: 4111\ndata: 1111\n\n'],
  ])('stay one event: %s', (_what, stream) => {
    const [event] = parseSse(stream).events;
    expect(atOnce(separatingLines(event!))).toEqual([event]);
  });
});

describe('data in which lenient clients find further data lines', () => {
  it.each([
    ['after a line separator of Unicode', '\u2028data: '],
    ['after a vertical tab', '\x0bdata:'],
    ['after a next line, with white space', '\x85 data : '],
    ['at its beginning', 'data: '],
  ])('is read like separate events: %s', async (_where, mark) => {
    const json = (text: string): string =>
      content(text)
        .trimEnd()
        .replace(/^data: /, '');
    const stream = `data: ${mark}${json('It is TK-')}\n\ndata: ${mark}${json('123. ')}\n\n`;
    for (const pieces of [[stream], [...stream]]) {
      const { text } = await guard(MASKING, 'openai.chat', pieces);
      expect(text).toContain('[TICKET]');
      expect(text).not.toMatch(/TK-|"123/);
    }
  });

  it('stays one event if it is JSON whose texts contain such characters', async () => {
    const stream = content('one\u2028data: two. ');
    expect((await guard(MASKING, 'openai.chat', [stream])).text).toBe(stream);
  });
});

describe('JSON in several data lines of which one is an event of its own', () => {
  it('is refused: clients that read line by line would join the text of this event with others', async () => {
    const stream = `${content('TK-')}data: [\n${content('123. ').trimEnd()}\ndata: ]\n\n`;
    await expect(guard(MASKING, 'openai.chat', [stream])).rejects.toThrow(JsonSyntaxError);
  });

  it('is forwarded if the other lines are empty', async () => {
    const stream = `${content('Well. ').trimEnd()}\ndata:\n\n`;
    expect((await guard(MASKING, 'openai.chat', [stream])).text).toBe(stream);
  });
});
