import type { JsonValue } from '../model/call.js';
import { assembleStream } from './assemble-stream.js';
import { StreamReader } from './stream-reader.js';
import { identityOf, ShortKeys } from './tool-call-occurrence.js';
import { frame } from './testdata/provider-streams.js';

const call = (more: object): object => ({ type: 'function_call', id: 'fc', call_id: 'c1', arguments: '', ...more });
const added = (output_index: number, item: object): string =>
  frame({ type: 'response.output_item.added', output_index, item: call(item) });
const piece = (output_index: number, delta: string): string =>
  frame({ type: 'response.function_call_arguments.delta', item_id: 'fc', output_index, delta });
const done = (output_index: number, item: object): string =>
  frame({ type: 'response.output_item.done', output_index, item: call(item) });
const completed = (item: object): string => frame({ type: 'response.completed', response: { output: [call(item)] } });
const callsIn = (stream: string): [string, unknown][] =>
  assembleStream('openai.responses', stream).call.newToolCalls.map(({ name, args }) => [name, args]);

const LIST = { name: 'list_files', arguments: '{"path":"/"}' };
const LISTED = ['list_files', { path: '/' }];

describe('a tool call that begins in one event and is repeated when it is finished', () => {
  it.each<[string, string]>([
    ['at the same place', added(0, { name: 'list_files' }) + piece(0, LIST.arguments) + done(0, LIST)],
    ['without pieces', added(0, { name: 'list_files' }) + done(0, LIST)],
    ['only at the end of the answer', added(0, { name: 'list_files' }) + piece(0, LIST.arguments) + completed(LIST)],
    ['only at the end of the answer, without pieces', added(0, { name: 'list_files' }) + completed(LIST)],
    ['with a name that is still empty', added(0, { name: '' }) + done(0, LIST)],
    ['with arguments that are a text', added(0, { name: 'list_files' }) + piece(0, 'all') + done(0, { name: 'list_files', arguments: 'all' })], // prettier-ignore
  ])('is one call: %s', (_where, stream) => {
    expect(callsIn(stream).map(([name]) => name)).toEqual(['list_files']);
  });

  it('is also the call that its pieces form, if they differ from the finished one', () => {
    const shell = added(0, { name: 'list_files' }) + piece(0, '{"path":"/etc"}') + done(0, LIST);
    expect(callsIn(shell)).toEqual([['list_files', { path: '/etc' }], LISTED]);
  });

  it('is not hidden by a finished call with the same id and another name', () => {
    const stream = added(0, { name: 'run_shell' }) + piece(0, '{"cmd":"ls"}') + done(1, LIST);
    expect(callsIn(stream)).toEqual([['run_shell', { cmd: 'ls' }], LISTED]);
  });
});

describe('very many tool calls that begin in one block', () => {
  it('are each judged with the arguments of the block, but share one list of their texts', () => {
    const many = Array.from({ length: 100 }, (_, at) => at);
    const begun = many.map((at) => added(0, { name: `tool_${at}`, call_id: `c${at}` })).join('');
    const stream = begun + piece(0, JSON.stringify(many.map(String)));
    const { newToolCalls, segments } = assembleStream('openai.responses', stream).call;
    expect(newToolCalls.map(({ name }) => name)).toEqual(many.map((at) => `tool_${at}`));
    for (const call of newToolCalls) {
      const own = call.segments.map((place) => segments[place]!.text);
      expect(own).toEqual(expect.arrayContaining(many.map(String)));
      expect(own.join()).toContain(call.name);
    }
    expect(new Set(newToolCalls.map((call) => call.segments)).size).toBeLessThan(20);
  });
});

describe('a streamed tool call with very many names', () => {
  const many = Array.from({ length: 500 }, (_, at) => `tool_${at}`);
  const names = many.map((name) => `"name":"${name}"`).join();
  const inner = { tool_uses: many.map((_, at) => ({ recipient_name: 'search', parameters: { q: at } })) };
  const item = `{"type":"function_call","id":"fc","call_id":"c1",${names},"arguments":${JSON.stringify(JSON.stringify(inner))}}`;

  it('is one call for its texts, with each of its names, and has the calls in its arguments only once', () => {
    const event = `data: {"type":"response.output_item.done","output_index":0,"item":${item}}\n\n`;
    const { newToolCalls } = assembleStream('openai.responses', event).call;
    expect(new Set(newToolCalls.map(({ name }) => name))).toEqual(new Set([...many, 'search']));
    expect(newToolCalls).toHaveLength(2 * many.length);
    const read = new StreamReader(true).read({ data: event.slice('data: '.length).trim(), lines: [] }, 'event');
    expect(read.calls.map(({ call }) => call.names)).toEqual([many]);
  });
});

describe('the key of a tool call', () => {
  it('is short and equal for equal calls, however long their arguments are', () => {
    const keys = new ShortKeys((value) => JSON.stringify(value));
    const keyOf = (name: string, text: string): string =>
      identityOf({ id: 'c1', name, args: { text }, path: '$', segments: [] }, keys);
    const long = 'x'.repeat(100_000);
    expect(keyOf('search', long).length).toBeLessThan(40);
    expect(keyOf('search', long)).toBe(keyOf('search', long));
    expect(new Set([keyOf('search', long), keyOf('get', long), keyOf('search', `${long}y`)]).size).toBe(3);
  });

  it('distinguishes values of different types', () => {
    const keys = new ShortKeys((value) => JSON.stringify(value));
    const values: readonly JsonValue[] = ['1', 1, null, 'null', true, 'true', [1], '[1]', {}, '{}', 's0', 'o0'];
    expect(new Set(values.map((value) => keys.of(value))).size).toBe(values.length);
  });
});

it('a call with more than eight names also has the first of them joined with the name that its block began with', () => {
  const names = ['shell', ...Array.from({ length: 8 }, (_, at) => `a${at}`)].map((name) => `"name":"${name}"`).join();
  const stream =
    frame({ index: 0, type: 'tool_call', name: 'run_' }) +
    `data: {"index":0,"type":"tool_call",${names},"arguments":"{}"}\n\n`;
  const calls = assembleStream('generic', stream).call.newToolCalls.map(({ name }) => name);
  expect(calls).toContain('run_shell');
});
