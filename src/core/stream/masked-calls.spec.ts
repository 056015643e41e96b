import fc from 'fast-check';
import type { Dialect } from '../model/call.js';
import { assembleStream } from './assemble-stream.js';
import { cut, guard, whole, type Guarded } from './testdata/guarding.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { chunk, frame } from './testdata/provider-streams.js';
import { TOOL_PROVIDERS, toolEvents } from './testdata/tool-streams.js';

/** Rules of stage `tool` mask only within the calls that they judge. */
const TOOL_RULE = guardedPolicy(masks('mask.tool', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }', 'tool'));
const TOGETHER = guardedPolicy(
  masks(
    'mask.tool',
    ['TICKET'],
    '{ any: [ { marks.types: { any_of: [TICKET] } }, { recent.tool_calls_1m: { gt: 10 } } ] }',
    'tool',
  ),
);
const SECRET = 'TK-123';
const ARGS = { to: SECRET, note: 'a, b. ' };

const part = (one: object): string => frame({ candidates: [{ index: 0, content: { role: 'model', parts: [one] } }] });
const named = (type: string, more: object): string => frame({ type, ...more }, type);
const finished = chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]);
/** An event with the state of an item of a response. */
const item = (state: 'added' | 'done', output_index: number, more: object): string =>
  named(`response.output_item.${state}`, {
    output_index,
    item: { id: `i${output_index}`, call_id: `c${output_index}`, ...more },
  });
/** The events of a text in two pieces, of which the first ends inside `SECRET`. */
const inTwo = (text: string, event: (piece: string) => string): string =>
  cut(text, [text.indexOf(SECRET) + 2])
    .map(event)
    .join('');

/** The events of a call with these arguments. @param index the number of the call in the answer */
type Call = (args: object, index: number) => string;
const FAMILIES: Readonly<Record<string, { readonly dialect: Dialect; readonly call: Call; readonly end?: string }>> = {
  'function calls of Gemini': {
    dialect: 'gemini.generate',
    call: (args) => part({ functionCall: { name: 'send', args } }),
  },
  'function calls of Gemini in snake case': {
    dialect: 'gemini.generate',
    call: (args) => part({ function_call: { name: 'send', args } }),
  },
  'code that Gemini runs': {
    dialect: 'gemini.generate',
    call: (args) => part({ executableCode: { language: 'PYTHON', code: `send(${JSON.stringify(args)})` } }),
  },
  'calls of an unknown vendor': {
    dialect: 'generic',
    call: (args) => frame({ tool_calls: [{ name: 'send', args }] }),
  },
  'whole calls of an unknown vendor in an event each': {
    dialect: 'generic',
    call: (input) => frame({ type: 'tool-call', toolCallId: 'a', toolName: 'send', input }),
  },
  'items of an unknown vendor that are added': {
    dialect: 'generic',
    call: (args, index) => named('vendor.added', { index, tool_calls: [{ name: 'send', args }] }),
    end: named('response.output_item.done', { output_index: 0, item: { type: 'message', id: 'm', content: [] } }),
  },
  'calls in the message of a choice, whose end comes later': {
    dialect: 'openai.chat',
    call: (args, index) =>
      chunk([
        {
          index: 0,
          message: { tool_calls: [{ index, id: `c${index}`, function: { name: 'send', arguments: args } }] },
        },
      ]),
    end: finished,
  },
  'blocks that begin with their input': {
    dialect: 'anthropic.messages',
    call: (input, index) =>
      named('content_block_start', {
        index,
        content_block: { type: 'tool_use', id: `t${index}`, name: 'send', input },
      }) + named('content_block_stop', { index }),
  },
  'calls of AG-UI': {
    dialect: 'generic',
    call: (args, index) =>
      frame({ type: 'TOOL_CALL_START', toolCallId: `c${index}`, toolCallName: 'send' }) +
      frame({ type: 'TOOL_CALL_ARGS', toolCallId: `c${index}`, delta: JSON.stringify(args) }) +
      frame({ type: 'TOOL_CALL_END', toolCallId: `c${index}` }),
  },
  'calls of a shell in a response': {
    dialect: 'openai.responses',
    call: (args, output_index) => {
      const command = `send '${JSON.stringify(args)}'`;
      const place = { output_index, command_index: 0 };
      return (
        item('added', output_index, { type: 'shell_call', action: { commands: [] } }) +
        named('response.shell_call_command.added', { ...place, command: '' }) +
        inTwo(command, (delta) => named('response.shell_call_command.delta', { ...place, delta })) +
        named('response.shell_call_command.done', { ...place, command }) +
        item('done', output_index, { type: 'shell_call', action: { commands: [command] } })
      );
    },
  },
  'patches in a response': {
    dialect: 'openai.responses',
    call: (args, output_index) => {
      const diff = `+${JSON.stringify(args)}`;
      const place = { output_index, item_id: `i${output_index}` };
      const patch = (own: string): object => ({
        type: 'apply_patch_call',
        operation: { type: 'update_file', path: 'a.json', diff: own },
      });
      return (
        item('added', output_index, patch('')) +
        inTwo(diff, (delta) => named('response.apply_patch_call_operation_diff.delta', { ...place, delta })) +
        named('response.apply_patch_call_operation_diff.done', { ...place, diff }) +
        item('done', output_index, patch(diff))
      );
    },
  },
  'parts of the AI SDK': {
    dialect: 'generic',
    call: (args, index) => {
      const id = `c${index}`;
      const input = JSON.stringify(args);
      return (
        frame({ type: 'tool-input-start', id, toolName: 'send' }) +
        inTwo(input, (delta) => frame({ type: 'tool-input-delta', id, delta })) +
        frame({ type: 'tool-input-end', id }) +
        frame({ type: 'tool-call', toolCallId: id, toolName: 'send', input })
      );
    },
  },
  'messages of the AI SDK': {
    dialect: 'generic',
    call: (input, index) => {
      const toolCallId = `c${index}`;
      return (
        frame({ type: 'tool-input-start', toolCallId, toolName: 'send' }) +
        inTwo(JSON.stringify(input), (piece) =>
          frame({ type: 'tool-input-delta', toolCallId, inputTextDelta: piece }),
        ) +
        frame({ type: 'tool-input-available', toolCallId, toolName: 'send', input })
      );
    },
  },
  'steps of interactions of Gemini': {
    dialect: 'generic',
    call: (args, index) =>
      frame({
        event_type: 'step.start',
        index,
        step: { type: 'function_call', id: `c${index}`, name: 'send', arguments: {} },
      }) +
      inTwo(JSON.stringify(args), (piece) =>
        frame({ event_type: 'step.delta', index, delta: { type: 'arguments_delta', arguments: piece } }),
      ) +
      frame({ event_type: 'step.stop', index }),
  },
  'pieces of calls of Cohere': {
    dialect: 'generic',
    call: (args, index) =>
      frame({ event_type: 'tool-calls-chunk', tool_call_delta: { index, name: 'send' } }) +
      frame({ event_type: 'tool-calls-chunk', tool_call_delta: { index, parameters: JSON.stringify(args) } }),
  },
};
const cuts = fc.array(fc.nat(), { maxLength: 8 });

/** The texts that clients assemble from a stream. */
function textsIn(dialect: Dialect, stream: string): string {
  return assembleStream(dialect, stream)
    .call.segments.map(({ text }) => text)
    .join('\n');
}

async function expectMasked(
  guarded: Guarded,
  dialect: Dialect,
  stream: string,
  pieces: readonly string[],
): Promise<void> {
  expect(textsIn(dialect, stream)).toContain(SECRET);
  const { text, blocked } = await guard(guarded, dialect, pieces);
  expect(blocked).toBe(false);
  expect(textsIn(dialect, text)).not.toContain(SECRET);
  expect(textsIn(dialect, (await whole(guarded, dialect, stream)).text)).not.toContain(SECRET);
}

describe.each(Object.entries(TOOL_PROVIDERS))('under rules only about calls: %s', (_what, provider) => {
  it.each([
    ['by themselves', TOOL_RULE],
    ['together', TOGETHER],
  ])('are masked wherever the stream tells them, if they are judged %s', async (_how, guarded) => {
    await fc.assert(
      fc.asyncProperty(cuts, cuts, async (inArgs, inStream) => {
        const calls = [cut(JSON.stringify(ARGS), inArgs), ['{"q":', '"TK-123 "}']];
        const stream = toolEvents(provider, calls).join('');
        await expectMasked(guarded, provider.dialect, stream, cut(stream, inStream));
      }),
      { numRuns: 20 },
    );
  });
});

describe.each(Object.entries(FAMILIES))('under rules only about calls: %s', (_what, { dialect, call, end = '' }) => {
  it.each([
    ['by themselves', TOOL_RULE],
    ['together', TOGETHER],
  ])('are masked, even if a call is repeated, if they are judged %s', async (_how, guarded) => {
    const calls = [ARGS, { to: 'nobody' }, ARGS, { cc: [SECRET] }];
    const stream = calls.map(call).join('') + end;
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => expectMasked(guarded, dialect, stream, cut(stream, places))),
      { numRuns: 20 },
    );
    await expectMasked(guarded, dialect, stream, stream.match(/[^]+?\n\n/g)!);
  });
});

describe('the commands of a call of a shell', () => {
  it.each([
    ['of a tool', TOOL_RULE],
    ['of an answer', guardedPolicy(masks('mask.post', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'))],
  ])('are separate texts under a rule for the texts %s', async (_what, guarded) => {
    const commands = [`echo ${SECRET}`, '4567 | wc'];
    const eventsOf = (type: string, key: string): string[] =>
      commands.map((text, command_index) =>
        named(`response.shell_call_command.${type}`, { output_index: 0, command_index, [key]: text }),
      );
    const events = [
      item('added', 0, { type: 'shell_call', action: { commands: [] } }),
      ...eventsOf('delta', 'delta'),
      ...eventsOf('done', 'command'),
      item('done', 0, { type: 'shell_call', action: { commands } }),
    ];
    const { text, blocked } = await guard(guarded, 'openai.responses', events);
    expect(blocked).toBe(false);
    expect(text).toContain('4567 | wc');
    expect(text).not.toContain(SECRET);
  });
});

describe('a function call of Gemini', () => {
  it.each([
    ['a function call', { functionCall: { name: 'send', args: ARGS } }],
    ['code', { executableCode: { language: 'PYTHON', code: `send("${SECRET}")` } }],
  ])('is forwarded when it has arrived, with the text after it: %s', async (_what, one) => {
    const events = [part(one), part({ text: 'It is sent. ' }), part({ text: 'Well. ' })];
    const { steps } = await guard(TOOL_RULE, 'gemini.generate', events);
    expect(steps[0]).toContain('[TICKET]');
    expect(steps.slice(0, 2).join('')).toContain('It is sent. ');
  });

  it('is judged by its own texts, and not by those of the call before it', async () => {
    const events = ['TK-1', '23'].map((to) => part({ functionCall: { name: 'send', args: { to } } }));
    expect((await guard(TOOL_RULE, 'gemini.generate', events)).text).toBe(events.join(''));
  });
});

describe('a whole call whose texts might still continue', () => {
  it('is refused when it arrives if its arguments do not matter', async () => {
    const rule = `  - id: stop
    stage: tool
    when: { app.name: app }
    then: { action: block }
    on_unknown: match
`;
    const events = [frame({ text: 'Well. ' }), FAMILIES['calls of an unknown vendor']!.call(ARGS, 0)];
    const { steps, blocked } = await guard(guardedPolicy(rule), 'generic', [...events, frame({ text: 'So. ' })]);
    expect([blocked, steps.length]).toEqual([true, 2]);
  });
});

describe('calls with one id', () => {
  it('are each masked, even if the arguments of both are unknown', async () => {
    const call = (index: number, args: string): string =>
      chunk([{ index: 0, delta: { tool_calls: [{ index, id: 'c', function: { name: 'send', arguments: args } }] } }]);
    const stream = call(0, 'nothing') + call(1, `${SECRET} `) + finished;
    await expectMasked(TOOL_RULE, 'openai.chat', stream, [stream]);
  });

  it('count a text once, however often the stream repeats it', async () => {
    const provider = TOOL_PROVIDERS['items of a response']!;
    const twice = guardedPolicy(masks('mask.two', ['TICKET'], '{ marks.counts.TICKET: { gte: 2 } }', 'tool'));
    const stream = toolEvents(provider, [[JSON.stringify({ to: SECRET })]]).join('');
    expect((await guard(twice, provider.dialect, [stream])).text).toBe(stream);
    expect((await whole(twice, provider.dialect, stream)).text).toBe(stream);
    const both = toolEvents(provider, [[JSON.stringify({ to: SECRET, cc: 'TK-456' })]]).join('');
    await expectMasked(twice, provider.dialect, both, [both]);
  });
});
