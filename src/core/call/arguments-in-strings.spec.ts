import { JsonSyntaxError } from '../json/json-parser.js';
import { answer, request } from '../providers/testdata/decoded.js';

const DEEP = '['.repeat(65) + ']'.repeat(65);
const chat = (tool_calls: unknown): object => ({ choices: [{ index: 0, message: { role: 'assistant', tool_calls } }] });
const callOf = (args: string): object => ({ id: 'c', type: 'function', function: { name: 'run', arguments: args } });
const wrapped = (body: object, levels: number): object =>
  levels === 0 ? body : { body: JSON.stringify(wrapped(body, levels - 1)) };

describe('arguments of a new tool call in a string', () => {
  it('are read if they contain numbers that only some clients accept', () => {
    const { newToolCalls, segments } = answer('openai.chat', chat([callOf('{"path":"\\u002essh\\u002fid","x":NaN}')]));
    expect(newToolCalls).toMatchObject([{ name: 'run', args: { path: '.ssh/id', x: NaN } }]);
    expect(segments.map(({ text }) => text)).toContain('.ssh/id');
  });

  it.each<[string, object]>([
    ['deeply nested arguments', chat([callOf(`{"path":"a","x":${DEEP}}`)])],
    ['a list of calls', chat(`[{"function":{"name":"run","arguments":{"x":${DEEP}}}}]`)],
    ['a function', chat([{ type: 'function', function: `{"name":"run","arguments":{"x":${DEEP}}}` }])],
    ['an answer', { novel: `{"tool_calls":[{"name":"run","arguments":{"x":${DEEP}}}]}` }],
    ['more levels of JSON in strings than are read', wrapped(chat([callOf('{"path":"a"}')]), 3)],
  ])('make the answer unreadable if their JSON is over a limit: %s', (_what, body) => {
    expect(() => answer('generic', body)).toThrow(JsonSyntaxError);
    expect(() => answer('generic', body)).toThrow(expect.objectContaining({ overLimit: true }));
  });

  it('are unknown if they are not JSON', () => {
    expect(answer('openai.chat', chat([callOf('{"path":')])).newToolCalls).toMatchObject([{ args: undefined }]);
  });

  it('are read from parameters, also inside a function', () => {
    const calls = [
      { name: 'run', parameters: '{"a":1}' },
      { function: { name: 'run', parameters: '{"a":1}' } },
      { function: { name: 'run', parameters: { a: 1 } } },
    ];
    for (const call of calls) expect(answer('generic', chat([call])).newToolCalls).toMatchObject([{ args: { a: 1 } }]);
  });
});

describe('arguments of a past tool call in a string', () => {
  it('are one text if they are over a limit of JSON', () => {
    const args = `{"x":${DEEP}}`;
    const { pastToolCalls, segments } = request('openai.chat', {
      messages: [{ role: 'assistant', tool_calls: [callOf(args)] }],
    });
    expect(pastToolCalls).toMatchObject([{ name: 'run', args: undefined }]);
    expect(segments.map(({ text }) => text)).toContain(args);
  });
});
