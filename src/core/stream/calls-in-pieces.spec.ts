import { JsonSyntaxError } from '../json/json-parser.js';
import { assembleStream } from './assemble-stream.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

type Read = [name: string, args: unknown];

const callsIn = (...events: string[]): Read[] =>
  assembleStream('generic', events.join('')).call.newToolCalls.map(({ name, args }) => [name, args]);
/** A piece of the first tool call of a chat. */
const piece = (call: object): string => chunk([{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }]);
const ofFunction = (own: object): string => piece({ function: own });
const finished = chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]);
const LS: Read = ['run_shell', { command: 'ls' }];
const DEEP = '['.repeat(65) + ']'.repeat(65);

describe('a tool call in pieces', () => {
  it.each(['arguments', 'args', 'input', 'tool_input', 'parameters', 'Arguments'])(
    'has the arguments in the member %s',
    (key) => {
      const name = 'run_shell';
      expect(callsIn(ofFunction({ name, [key]: '{"comm' }), ofFunction({ [key]: 'and":"ls"}' }))).toEqual([LS]);
      expect(callsIn(ofFunction({ name }), ofFunction({ [key]: { command: 'ls' } }))).toEqual([LS]);
      expect(callsIn(piece({ name }), piece({ [key]: '{"command":"ls"}' }))).toEqual([LS]);
    },
  );

  it('has the calls in complete arguments', () => {
    const tool_uses = [{ recipient_name: 'functions.run_shell', parameters: { command: 'ls' } }];
    const calls = callsIn(ofFunction({ name: 'multi_tool_use.parallel', arguments: { tool_uses } }));
    expect(calls).toContainEqual(['functions.run_shell', { command: 'ls' }]);
  });

  it('has no arguments if no piece contains any', () => {
    expect(callsIn(ofFunction({ name: 'list', arguments: '' }), finished)).toEqual([['list', {}]]);
    expect(callsIn(ofFunction({ name: 'list' }), finished)).toEqual([['list', {}]]);
  });

  it('does not take a value in complete arguments for the arguments or the name', () => {
    const args = { input: '{}', name: 'search', tool: 'other' };
    expect(callsIn(ofFunction({ name: 'run_shell', arguments: args }))).toEqual([['run_shell', args]]);
  });

  it('may have unknown arguments if clients could join complete arguments differently', () => {
    const calls = callsIn(ofFunction({ name: 'run', arguments: { a: 1 } }), ofFunction({ arguments: { b: 2 } }));
    expect(calls).toEqual([['run', { a: 1 }], ['run', { b: 2 }], ['run', undefined]]); // prettier-ignore
  });

  it.each<[string, object]>([
    ['beside the function', { name: 'run_shell', function: { name: 'search', arguments: '{}' } }],
    ['in another case', { function: { name: 'search', Name: 'run_shell', arguments: '{}' } }],
    ['of another member', { function: { name: 'search', arguments: '{}' }, tool_name: 'run_shell' }],
  ])('is judged under every name that a client could read: a name %s', (_where, call) => {
    const names = callsIn(piece(call)).map(([name]) => name);
    expect(names.sort()).toEqual(['run_shell', 'search']);
  });

  it('is judged under the name in JSON in a string, with unknown arguments', () => {
    const inner = JSON.stringify({ name: 'run_shell', arguments: '{"command":"ls"}' });
    expect(callsIn(piece({ type: 'function', function: inner }))).toEqual([['run_shell', undefined]]);
  });

  it('is judged under a long name of which the pieces belong to another id than the pieces before', () => {
    const named = (id: string | undefined, name: string): string => piece({ id, tool: 'x', function: { name } });
    const letters = [...'run_shell'].map((letter, at) => named(at === 0 ? 'b' : undefined, letter));
    expect(callsIn(named('a', 'search'), ...letters).map(([name]) => name)).toContain('run_shell');
  });

  it('is read if its arguments contain numbers that only some clients accept', () => {
    expect(callsIn(ofFunction({ name: 'run', arguments: '{"x":' }), ofFunction({ arguments: '-Infinity}' }))).toEqual([
      ['run', { x: -Infinity }],
    ]);
  });

  it('makes the answer unreadable if its arguments are over a limit of JSON', async () => {
    const events = [ofFunction({ name: 'run', arguments: '{"path":"a","x":' }), ofFunction({ arguments: `${DEEP}}` }), finished]; // prettier-ignore
    expect(() => callsIn(...events)).toThrow(JsonSyntaxError);
    const policy = guardedPolicy(masks('mask', ['TICKET'], '{ marks.count: { gt: 0 } }', 'tool'));
    await expect(guard(policy, 'openai.chat', events)).rejects.toThrow(JsonSyntaxError);
  });
});

describe('a tool call of which separate events contain the name and the arguments', () => {
  const start = (toolCallId: string, toolCallName = 'run_shell'): string =>
    frame({ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: 'm' });
  const args = (toolCallId: string, delta: string): string => frame({ type: 'TOOL_CALL_ARGS', toolCallId, delta });
  const end = (toolCallId: string): string => frame({ type: 'TOOL_CALL_END', toolCallId });

  it('is joined by its id in AG-UI', () => {
    const { newToolCalls, segments } = assembleStream(
      'generic',
      [start('a'), start('b', 'search'), args('a', '{"command":'), args('b', '{"q":1}'), args('a', '"ls"}'), end('a')].join(''), // prettier-ignore
    ).call;
    expect(newToolCalls).toMatchObject([
      { id: 'a', name: 'run_shell', args: { command: 'ls' } },
      { id: 'b', name: 'search', args: { q: 1 } },
    ]);
    expect(newToolCalls[0]!.segments.map((at) => segments[at]!.text)).toContain('ls');
    expect(callsIn(start('a'), args('a', ''), end('a'))).toEqual([['run_shell', {}]]);
  });

  it('is joined by its id in CopilotKit', () => {
    const event = (type: string, more: object): string =>
      frame({ type: `ActionExecution${type}`, actionExecutionId: 'a', ...more });
    expect(
      callsIn(
        event('Start', { actionName: 'run_shell' }),
        event('Args', { args: '{"comm' }),
        event('Args', { args: 'and":"ls"}' }),
        event('End', {}),
      ),
    ).toEqual([LS]);
  });

  it('is joined by its id in parts and messages of the AI SDK', () => {
    const start = (id: object, toolName: string): string => frame({ type: 'tool-input-start', ...id, toolName });
    const [a, b] = [{ id: 'a' }, { id: 'b' }];
    const delta = (id: object, text: string): string => frame({ type: 'tool-input-delta', ...id, delta: text });
    expect(
      callsIn(start(a, 'run_shell'), start(b, 'search'), delta(a, '{"command":'), delta(b, '{"q":1}'), delta(a, '"ls"}')), // prettier-ignore
    ).toEqual([LS, ['search', { q: 1 }]]);
    const id = { toolCallId: 'a' };
    const piece = (inputTextDelta: string): string => frame({ type: 'tool-input-delta', ...id, inputTextDelta });
    const whole = frame({ type: 'tool-input-available', ...id, toolName: 'run_shell', input: { command: 'ls' } });
    expect(callsIn(start(id, 'run_shell'), piece('{"comm'), piece('and":"ls"}'), whole)).toEqual([LS]);
    expect(callsIn(whole)).toEqual([LS]);
  });

  it('is joined by the index of its step in interactions of Gemini', () => {
    const event = (kind: string, more: object): string => frame({ event_type: `step.${kind}`, index: 1, ...more });
    const step = { type: 'function_call', id: 'a', name: 'run_shell', arguments: {} };
    const delta = (text: string): string => event('delta', { delta: { type: 'arguments_delta', arguments: text } });
    const stream = [event('start', { step }), delta('{"comm'), delta('and":"ls"}'), event('stop', {})];
    expect(callsIn(...stream)).toEqual([LS]);
    const { segments } = assembleStream('generic', stream.join('')).call;
    expect(segments.find(({ text }) => text === 'ls')).toMatchObject({ role: 'tool_call', path: 'steps[1].arguments.command' }); // prettier-ignore
  });

  it('is joined by its member and index in events of Cohere and LangChain', () => {
    const cohere = (index: number, more: object): string =>
      frame({ event_type: 'tool-calls-chunk', tool_call_delta: { index, ...more } });
    expect(
      callsIn(
        cohere(0, { name: 'run_shell' }),
        cohere(0, { parameters: '{"command":' }),
        cohere(0, { parameters: '"ls"}' }),
        cohere(1, { name: 'search' }),
        cohere(1, { parameters: '{"q":1}' }),
      ),
    ).toEqual([LS, ['search', { q: 1 }]]);
    const langchain = (more: object): string =>
      frame({ content: '', tool_call_chunks: [{ type: 'tool_call_chunk', index: 0, name: null, id: null, ...more }] });
    expect(
      callsIn(langchain({ name: 'run_shell', id: 'x', args: '' }), langchain({ args: '{"command":' }), langchain({ args: '"ls"}' })), // prettier-ignore
    ).toEqual([LS]);
  });

  it('has unknown arguments if it is not known how they follow', () => {
    expect(
      callsIn(
        frame({ type: 'tool_started', toolCallId: 'a', toolName: 'run_shell' }),
        frame({ type: 'tool_progress', toolCallId: 'a', partial: '{"command":"ls"}' }),
      ),
    ).toEqual([['run_shell', undefined]]);
    expect(callsIn(frame({ tool_calls: [{ name: 'list', args: {} }] }))).toEqual([['list', {}]]);
  });

  it('is forwarded when its end is announced, and not before it is judged', async () => {
    const policy = guardedPolicy(`  - id: stop
    stage: tool
    when: { marks.types: { any_of: [STOP] } }
    then: { action: block }
    on_unknown: match
`);
    const after = frame({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'done' });
    const allowed = await guard(policy, 'generic', [start('a'), args('a', '{"q":'), args('a', '"x"}'), end('a'), after]); // prettier-ignore
    expect(allowed.blocked).toBe(false);
    expect(allowed.steps.slice(0, 4).join('')).toContain('TOOL_CALL_END');
    const refused = await guard(policy, 'generic', [start('a'), args('a', '{"q":"never'), args('a', ' say"}'), end('a'), after]); // prettier-ignore
    expect(refused.blocked).toBe(true);
    expect(refused.text).not.toContain(' say');
  });
});

describe('a tool call in pieces that a message repeats', () => {
  const pieces = piece({ id: 'c', function: { name: 'pay', arguments: '{"confirm":true}' } });
  const repeated = (args: string): string =>
    chunk([{ index: 0, message: { tool_calls: [{ id: 'c', function: { name: 'pay', arguments: args } }] } }]);

  it('is also the call of the message if its arguments differ, even if they contain no text', () => {
    expect(callsIn(pieces, repeated('{}'), finished)).toEqual([
      ['pay', { confirm: true }],
      ['pay', {}],
    ]);
  });

  it('is one call if the message repeats a beginning of its arguments', () => {
    expect(callsIn(pieces, repeated('{"conf'), repeated(''), finished)).toEqual([['pay', { confirm: true }]]);
  });
});
