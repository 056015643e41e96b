import { assembleStream } from '../stream/assemble-stream.js';
import { frame } from '../stream/testdata/provider-streams.js';
import { ARGS, CHAT_CALL, ITEM, RESPONSE, MESSAGE, RUN, GEMINI, BEDROCK } from './testdata/called-tools.js';

describe('tool calls of streams', () => {
  const step = (call: object): string =>
    frame(
      {
        id: 'step_1',
        object: 'thread.run.step.delta',
        delta: { step_details: { type: 'tool_calls', tool_calls: [{ index: 0, ...call }] } },
      },
      'thread.run.step.delta',
    );
  const STREAMS: Readonly<Record<string, string>> = {
    'a run that needs action': frame(RUN, 'thread.run.requires_action'),
    'steps of a run':
      step({ id: 'call_1', type: 'function', function: { name: 'run_shell', arguments: '' } }) +
      step({ function: { arguments: '{"command":' } }) +
      step({ function: { arguments: '"ls"}' } }),
    'candidates of Gemini': frame(GEMINI),
    'an answer of Bedrock': frame(BEDROCK),
    'lines of JSON that are called an event stream': [
      { model: 'm', message: { role: 'assistant', content: 'So.' }, done: false },
      {
        message: { role: 'assistant', tool_calls: [{ function: { name: 'run_shell', arguments: ARGS } }] },
        done: true,
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    'a conversation of Mistral': frame({
      type: 'function.call.delta',
      name: 'run_shell',
      arguments: JSON.stringify(ARGS),
    }),
    'an interaction of Gemini': frame({ delta: { type: 'function_call', name: 'run_shell', arguments: ARGS } }),
    'an event that is a call': frame({ type: 'tool-call', toolName: 'run_shell', input: JSON.stringify(ARGS) }),
    'JSON in a string': frame({ novel: JSON.stringify({ tool_calls: [CHAT_CALL] }) }),
    'a batch': frame({ custom_id: 'a', result: { type: 'succeeded', message: MESSAGE } }),
  };

  it.each(Object.entries(STREAMS))('are read in %s', (_what, stream) => {
    const { newToolCalls } = assembleStream('generic', stream).call;
    expect(newToolCalls.map(({ name, args }) => ({ name, args }))).toEqual([{ name: 'run_shell', args: ARGS }]);
  });

  it('do not include calls in the request, which a response repeats with each state', () => {
    const response = { ...RESPONSE, output: [], instructions: [ITEM], input: [ITEM] };
    const states = ['response.created', 'response.in_progress', 'response.completed'];
    const stream = states.map((type) => frame({ type, response }, type)).join('');
    expect(assembleStream('openai.responses', stream).call.newToolCalls).toEqual([]);
  });

  it('are assembled from events that each contain the name and a piece of the arguments', () => {
    const args = JSON.stringify(ARGS);
    const delta = (id: string, name: string, piece: string): string =>
      frame({ type: 'function.call.delta', output_index: 0, id, tool_call_id: id, name, arguments: piece });
    const pieces = [args.slice(0, 4), args.slice(4, 9), args.slice(9)];
    const stream = pieces.map((piece) => delta('a', 'run_shell', piece) + delta('b', 'search', piece)).join('');
    const { newToolCalls } = assembleStream('generic', stream).call;
    expect(newToolCalls.map(({ id, name, args: own }) => ({ id, name, args: own }))).toEqual([
      { id: 'a', name: 'run_shell', args: ARGS },
      { id: 'b', name: 'search', args: ARGS },
    ]);
  });

  it('are read in an event about an item that no other event contains or that another event names differently', () => {
    const done = (more: object): string =>
      frame({
        type: 'response.function_call_arguments.done',
        item_id: 'fc_1',
        output_index: 0,
        name: 'run_shell',
        arguments: JSON.stringify(ARGS),
        ...more,
      });
    const added = (name: string): string =>
      frame({ type: 'response.output_item.added', output_index: 0, item: { ...ITEM, name, arguments: '' } });
    const names = (stream: string): string[] =>
      assembleStream('openai.responses', stream).call.newToolCalls.map(({ name }) => name);
    expect(names(done({}))).toEqual(['run_shell']);
    expect(names(added('search') + done({}))).toContain('run_shell');
    expect(names(added('run_shell') + done({}))).toEqual(['run_shell']);
    expect(names(frame({ ...ITEM, item_id: 'x' }))).toEqual(['run_shell']);
  });

  it('are judged under the name that an earlier event of the same block contains', () => {
    const args = JSON.stringify(ARGS);
    const cohere = (type: string, call: object): string =>
      frame({ type, index: 0, delta: { message: { tool_calls: call } } }, type);
    const bedrock = (index: number, part: object): string => frame({ ...part, contentBlockIndex: index });
    const calls = (stream: string) =>
      assembleStream('generic', stream).call.newToolCalls.map(({ name, args: own }) => ({ name, args: own }));
    expect(
      calls(
        cohere('tool-call-start', { id: 'c', function: { name: 'run_shell', arguments: '' } }) +
          cohere('tool-call-delta', { function: { arguments: args.slice(0, 5) } }) +
          cohere('tool-call-delta', { function: { arguments: args.slice(5) } }),
      ),
    ).toContainEqual({ name: 'run_shell', args: ARGS });
    expect(
      calls(
        bedrock(0, { start: { toolUse: { toolUseId: 'a', name: 'run_shell' } } }) +
          bedrock(1, { start: { toolUse: { toolUseId: 'b', name: 'search' } } }) +
          bedrock(0, { delta: { toolUse: { input: args } } }),
      ),
    ).toContainEqual({ name: 'run_shell', args: ARGS });
  });

  it('are read in pieces of which only the first contains a name', () => {
    const names = (...events: object[]): string[] =>
      assembleStream('generic', events.map((event) => frame(event)).join('')).call.newToolCalls.map(({ name }) => name);
    const cohere = (piece: object): object => ({
      event_type: 'tool-calls-chunk',
      tool_call_delta: { index: 0, ...piece },
    });
    expect(
      names(cohere({ name: 'run_shell' }), cohere({ parameters: '{"command":' }), cohere({ parameters: '"ls"}' })),
    ).toEqual(['run_shell']);
    const chunk = { type: 'tool_call_chunk', index: 0, id: 'x', name: 'run_shell', args: '' };
    expect(
      names({ tool_call_chunks: [chunk] }, { tool_call_chunks: [{ ...chunk, name: null, id: null, args: '{}' }] }),
    ).toEqual(['run_shell']);
  });

  it('are judged under the name assembled from the events of one block', () => {
    const cohere = (type: string, own: object): string =>
      frame({ type, index: 0, delta: { message: { tool_calls: own } } }, type);
    const names = (stream: string): string[] =>
      assembleStream('generic', stream).call.newToolCalls.map(({ name }) => name);
    expect(
      names(
        cohere('tool-call-start', { id: 'c', function: { name: 'run_', arguments: '' } }) +
          cohere('tool-call-delta', { function: { name: 'shell', arguments: '{}' } }),
      ),
    ).toContain('run_shell');
  });

  it('are judged under every name that their pieces can form', () => {
    const piece = (id: string | undefined, name: string): string =>
      frame({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, function: { name } }] } }] });
    const names = (stream: string): string[] =>
      assembleStream('openai.chat', stream).call.newToolCalls.map(({ name }) => name);
    expect(names(piece('call_1', 'run_') + piece(undefined, 'shell'))).toContain('run_shell');
    expect(names(piece('call_1', 'run_shell') + piece('call_2', 'search'))).toContain('run_shell');
    expect(
      names(piece('call_1', 'search') + piece('call_2', 'run_') + piece(undefined, 'shell') + piece('call_3', 'get')),
    ).toContain('run_shell');
    expect(names(piece('call_1', 'run_shell') + piece(undefined, 'run_shell'))).toEqual(['run_shell']);
    const letters = [...'run_shell'].map((letter, at) => piece(at === 0 ? 'call_2' : undefined, letter)).join('');
    expect(names(piece('call_1', 'search') + letters)).toContain('run_shell');
    expect(names(piece('call_1', 'search') + letters + piece('call_3', 'get'))).toContain('run_shell');
    const others = Array.from({ length: 60 }, (_, at) => piece(`other_${at}`, `n${at}`)).join('');
    expect(names(others + letters + others)).toContain('run_shell');
    const long = [...'mcp__github__create_pull_request'].map((letter, at) => piece(at === 0 ? 'a' : undefined, letter));
    expect(names(long.join('')).length).toBeLessThan(12);
  });
});
