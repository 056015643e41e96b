import { parseJson } from '../json/json-document.js';
import { splice } from '../json/splice.js';
import type { JsonValue } from '../model/call.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';
import { assembleStream } from '../stream/assemble-stream.js';
import { frame } from '../stream/testdata/provider-streams.js';
import { readingCallsWithin } from './calls-within.js';

const ARGS = { command: 'ls' };
const SEARCH = { recipient_name: 'functions.search', parameters: { q: 'x' } };
const SHELL = { recipient_name: 'functions.run_shell', parameters: ARGS };

const chat = (args: unknown, name = 'multi_tool_use.parallel'): object => ({
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
      },
    },
  ],
});

const callsIn = (answer: unknown): { name: string; args: unknown }[] =>
  decodeAnswer('openai.chat', parseJson(JSON.stringify(answer))).newToolCalls.map(({ name, args }) => ({ name, args }));

describe('several calls written as one', () => {
  it('are judged under their own names, with their own arguments', () => {
    expect(callsIn(chat({ tool_uses: [SEARCH, SHELL] }))).toEqual([
      { name: 'multi_tool_use.parallel', args: { tool_uses: [SEARCH, SHELL] } },
      { name: 'functions.search', args: { q: 'x' } },
      { name: 'functions.run_shell', args: ARGS },
    ]);
  });

  it.each<[string, object]>([
    ['whatever the call around them is named', chat({ tool_uses: [SHELL] }, 'parallel')],
    ['one within another', chat({ tool_uses: [{ ...SHELL, recipient_name: 'multi_tool_use.parallel', parameters: { tool_uses: [SHELL] } }] })],
    ['with keys in another spelling', chat({ toolUses: [{ recipientName: 'functions.run_shell', Parameters: ARGS }] })],
    ['beside an empty list with its key in another spelling', chat({ tool_uses: [SHELL], toolUses: [] })],
    ['under one of two names', chat({ tool_uses: [{ ...SHELL, recipient_name: 'functions.search', name: SHELL.recipient_name }] })],
    ['with arguments under several keys', chat({ tool_uses: [{ ...SHELL, arguments: {}, input: {} }] })],
    ['with a name in two spellings', chat({ tool_uses: [{ ...SHELL, recipientName: 'functions.search' }] })],
    ['with the list as JSON in a string', chat({ tool_uses: JSON.stringify([SHELL]) })],
    ['with parameters as JSON in a string', chat({ tool_uses: [{ ...SHELL, parameters: JSON.stringify(ARGS) }] })],
    ['in a batch tool', chat({ invocations: [{ name: 'functions.run_shell', arguments: JSON.stringify(ARGS) }] }, 'batch_tool')],
    ['in the batch tool of OpenCode', chat({ tool_calls: [{ tool: 'functions.run_shell', parameters: ARGS }] }, 'batch')],
    ['in one tool for all tools of servers', chat({ server_name: 'ops', tool_name: 'functions.run_shell', arguments: JSON.stringify(ARGS) }, 'use_mcp_tool')],
    ['in a block of a message', { content: [{ type: 'tool_use', id: 't', name: 'batch_tool', input: { tool_uses: [SHELL] } }] }],
    ['in a response', { output: [{ type: 'function_call', call_id: 'c', name: 'parallel', arguments: JSON.stringify({ tool_uses: [SHELL] }) }] }],
  ])('are read %s', (_what, answer) => {
    expect(callsIn(answer)).toContainEqual({ name: 'functions.run_shell', args: ARGS });
  }); // prettier-ignore

  it.each<[string, object]>([
    ['for a tool of a server', { server_name: 'ops', tool_name: 'delete_database' }],
    ['with keys in another spelling', { Server: 'ops', toolName: 'delete_database', reason: 'as you said' }],
    ['in a list', { tool_uses: [{ mcp_server: 'ops', tool_name: 'delete_database' }] }],
  ])('are read without arguments %s', (_what, args) => {
    expect(callsIn(chat(args, 'use_mcp_tool'))).toContainEqual({ name: 'delete_database', args: {} });
  });

  it('are read in a stream that sends their arguments in pieces', () => {
    const args = JSON.stringify({ tool_uses: [SEARCH, SHELL] });
    const piece = (call: object): string =>
      frame({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] });
    const stream =
      piece({ id: 'call_1', type: 'function', function: { name: 'multi_tool_use.parallel', arguments: '' } }) +
      piece({ function: { arguments: args.slice(0, 30) } }) +
      piece({ function: { arguments: args.slice(30) } });
    const { newToolCalls } = assembleStream('openai.chat', stream).call;
    expect(newToolCalls.map(({ name, args: own }) => ({ name, args: own }))).toContainEqual({
      name: 'functions.run_shell',
      args: ARGS,
    });
  });

  it('are read in a call that a client reports, and in past messages', () => {
    const event = {
      type: 'tool_call',
      payload: { tool: 'multi_tool_use.parallel', arguments: { tool_uses: [SHELL] } },
    };
    const reported = decodeRequest('weir.tool_call', parseJson(JSON.stringify(event)));
    expect(reported.newToolCalls.map(({ name }) => name)).toContain('functions.run_shell');
    const past = {
      messages: (chat({ tool_uses: [SHELL] }) as { choices: { message: object }[] }).choices.map(
        ({ message }) => message,
      ),
    };
    const { pastToolCalls, newToolCalls } = decodeRequest('openai.chat', parseJson(JSON.stringify(past)));
    expect([pastToolCalls.map(({ name }) => name), newToolCalls]).toEqual([
      ['multi_tool_use.parallel', 'functions.run_shell'],
      [],
    ]);
  });

  const IN_STRING = '{"path":"\\u002essh/id"}';
  it.each<[string, object]>([
    ['for a tool of a server', { server_name: 'fs', tool_name: 'write_file', arguments: IN_STRING }],
    ['in parallel', { toolUses: [{ ...SHELL, Parameters: IN_STRING }] }],
    ['in a list in a string', { invocations: JSON.stringify([{ name: 'write_file', arguments: IN_STRING }]) }],
    ['in items in strings', { tool_calls: [JSON.stringify({ name: 'write_file', arguments: IN_STRING })] }],
  ])('have arguments whose texts are read and masked one by one: %s', (_what, args) => {
    const block = { content: [{ type: 'tool_use', id: 't', name: 'dispatch', input: args }] };
    for (const answer of [chat(args), block]) {
      const doc = parseJson(JSON.stringify(answer));
      const { segments } = decodeAnswer('openai.chat', doc);
      const segment = segments.findIndex(({ text }) => text === '.ssh/id');
      expect(segment).toBeGreaterThan(-1);
      expect(segments.some(({ text }) => text.includes('u002e'))).toBe(false);
      const masked = splice(doc, segments, [{ segment, start: 0, end: 4, replacement: 'M' }]);
      const before = decodeAnswer('openai.chat', doc).newToolCalls.map(({ name, path }) => [name, path]);
      const after = decodeAnswer('openai.chat', parseJson(masked));
      expect(after.newToolCalls.map(({ name, path }) => [name, path])).toEqual(before);
      expect(after.segments.map(({ text }) => text)).toContain('M/id');
    }
  });

  it('do not make other strings in the arguments be read as JSON', () => {
    const { segments } = decodeAnswer('openai.chat', parseJson(JSON.stringify(chat({ content: IN_STRING }))));
    expect(segments.map(({ text }) => text)).toContain(IN_STRING);
  });

  it('do not include names that arguments only mention', () => {
    const args = { tool_uses: ['functions.run_shell', 3, null, { name: 'run_shell' }], uses: [SHELL] };
    for (const each of [args, { name: 'run_shell', arguments: {} }, { tool_name: 'run_shell', reason: 'x' }])
      expect(callsIn(chat(each)).map(({ name }) => name)).toEqual(['multi_tool_use.parallel']);
  });
});

it('reading nested calls takes time proportional to their number, even if each is written in several ways', () => {
  let call: object = SHELL;
  for (let depth = 0; depth < 15; depth++) {
    call = { name: 'a', tool_name: 'b', recipient_name: 'parallel', parameters: { tool_uses: [call] } };
  }
  expect(callsIn(chat({ tool_uses: [call] }))).toHaveLength(1 + 3 * 15 + 1);
});

/** The number of names and of arguments of one call; each in another spelling, of which JSON allows any number. */
const MANY = 2_000;
const listOf = <Item>(item: (at: number) => Item): Item[] => Array.from({ length: MANY }, (_, at) => item(at));
/** A name with underscores after its first letters, which clients that ignore them take for the name itself. */
const spelled = (name: string, at: number): string =>
  [...name].map((letter, place) => letter + (place < 3 ? '_'.repeat((at >> (4 * place)) & 15) : '')).join('');
const manyMembers = (name: string, value: (at: number) => unknown): object =>
  Object.fromEntries(listOf((at) => [spelled(name, at), value(at)]));
/** The JSON of a past call whose name is given many times. */
const manyNamed = (args: unknown): string => {
  const names = listOf((at) => `"name":"tool ${at}"`).join();
  const call = `{"id":"c","function":{${names},"arguments":${JSON.stringify(JSON.stringify(args))}}}`;
  return `{"messages":[{"role":"assistant","tool_calls":[${call}]}]}`;
};

describe('a call with very many names', () => {
  it('is judged under each of them and with each of its arguments, but not in every combination', () => {
    const item = { ...manyMembers('name', (at) => `tool ${at}`), ...manyMembers('args', (at) => ({ at })) };
    const calls = callsIn(chat({ tool_uses: [item] }));
    expect(new Set(calls.map(({ name }) => name)).size).toBe(1 + MANY);
    expect(new Set(calls.map(({ args }) => (args as { at?: number }).at)).size).toBe(1 + MANY);
    expect(calls.length).toBeLessThan(20_000);
  });

  it.each<[string, object]>([
    ['a list', { tool_uses: listOf(() => SEARCH) }],
    ['JSON in a string', { tool_uses: JSON.stringify(listOf(() => SEARCH)) }],
  ])('has the calls in its arguments only once: %s', (_what, args) => {
    const { pastToolCalls } = decodeRequest('openai.chat', parseJson(manyNamed(args)));
    expect(pastToolCalls.length).toBeLessThanOrEqual(MANY + MANY);
    expect(pastToolCalls.filter(({ name }) => name === SEARCH.recipient_name)).toHaveLength(MANY);
    expect(new Set(pastToolCalls.map(({ name }) => name)).size).toBe(1 + MANY);
  });

  it('is searched for further calls once, in steps', () => {
    let searches = 0;
    const args = new Proxy(manyMembers('key', String), {
      ownKeys: (members) => {
        searches++;
        return Reflect.ownKeys(members);
      },
    }) as JsonValue;
    const names = listOf((at) => `tool ${at}`);
    const steps = readingCallsWithin({ name: 'tool 0', args, path: '$', segments: [] }, names);
    let stops = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stops++;
    expect(step.value.map(({ name }) => name)).toEqual(names);
    expect(searches).toBe(1);
    expect(stops).toBeGreaterThan(10);
  });
});
