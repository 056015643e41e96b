import { assembleStream } from './assemble-stream.js';
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
