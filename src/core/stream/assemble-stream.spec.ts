import fc from 'fast-check';
import type { Dialect } from '../model/call.js';
import { applyEdits, type TextEdit } from '../text/edit.js';
import { assembleStream, type AssembledStream } from './assemble-stream.js';
import { chunk, frame, PROVIDERS } from './testdata/provider-streams.js';

function textOf(stream: AssembledStream, path: string): string | undefined {
  return stream.call.segments.find((segment) => segment.path === path && segment.key !== undefined)?.text;
}

/** A text cut into pieces, anywhere between code units. */
const pieces = fc
  .tuple(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), fc.array(fc.nat(), { maxLength: 6 }))
  .map(([text, cuts]) => {
    const at = [...new Set([0, text.length, ...cuts.map((cut) => (text.length === 0 ? 0 : cut % text.length))])].sort(
      (a, b) => a - b,
    );
    return at.slice(1).map((end, index) => text.slice(at[index], end));
  })
  .filter((list) => list.length > 0);

const someEdits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 5 }), fc.constantFrom('[EMAIL]', '', '"\\')), {
  maxLength: 3,
});

function editsIn(text: string, wanted: readonly (readonly [number, number, string])[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let from = 0;
  for (const [skip, length, replacement] of wanted) {
    const start = from + (skip % 7);
    const end = Math.min(text.length, start + length + 1);
    // Whole characters only: splice.spec.ts covers halves of surrogate pairs.
    if (end <= start || /[\ud800-\udfff]/.test(text.slice(Math.max(0, start - 1), end + 1))) continue;
    edits.push({ start, end, replacement });
    from = end;
  }
  return edits;
}

describe.each(Object.entries(PROVIDERS))('assembleStream of %s', (_name, { dialect, path, frames }) => {
  it('joins the pieces, wherever they were cut', () => {
    fc.assert(
      fc.property(pieces, (cut) => {
        expect(textOf(assembleStream(dialect, frames(cut)), path)).toBe(cut.join(''));
      }),
    );
  });

  it('maps edits back so that the pieces join to the edited text, and changes nothing else', () => {
    fc.assert(
      fc.property(pieces, someEdits, (cut, wanted) => {
        const stream = assembleStream(dialect, frames(cut));
        const segment = stream.call.segments.findIndex((each) => each.path === path && each.key !== undefined);
        const edits = editsIn(cut.join(''), wanted);
        const edited = stream.edited(edits.map((edit) => ({ segment, ...edit })));
        const again = assembleStream(dialect, edited);
        expect(textOf(again, path)).toBe(applyEdits(cut.join(''), edits));
        expect(again.call.segments.filter((each) => each.path !== path).map(({ text }) => text)).toEqual(
          stream.call.segments.filter((each) => each.path !== path).map(({ text }) => text),
        );
        expect(edited.split('\n')).toHaveLength(frames(cut).split('\n').length);
        if (edits.length === 0) expect(edited).toBe(frames(cut));
      }),
    );
  });
});

describe('assembleStream of tool calls', () => {
  const args = '{"to":"anna@x.org","body":"a \\"quote\\""}';
  const chat = (parts: string[]): string =>
    chunk([
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'send', arguments: '' } }],
        },
      },
    ]) +
    parts
      .map((part) => chunk([{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: part } }] } }]))
      .join('') +
    chunk([
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'run_shell', arguments: '{}' } }],
        },
      },
    ]);
  const messages = (parts: string[]): string =>
    frame(
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'send', input: {} },
      },
      'content_block_start',
    ) +
    parts
      .map((partial_json) =>
        frame(
          { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } },
          'content_block_delta',
        ),
      )
      .join('');
  const responses = (parts: string[], done: boolean): string =>
    frame({
      type: 'response.output_item.added',
      output_index: 0,
      item: {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'send',
        arguments: '',
        status: 'in_progress',
      },
    }) +
    parts
      .map((delta) =>
        frame({ type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta }),
      )
      .join('') +
    (done
      ? frame({ type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: args }) +
        frame({
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'send', arguments: args },
        }) +
        frame({
          type: 'response.completed',
          response: {
            model: 'gpt-5',
            output: [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'send', arguments: args }],
            usage: { input_tokens: 5, output_tokens: 6 },
          },
        })
      : '');
  const cutArgs = fc.array(fc.nat({ max: args.length }), { maxLength: 8 }).map((cuts) => {
    const at = [...new Set([0, args.length, ...cuts])].sort((a, b) => a - b);
    return at.slice(1).map((end, index) => args.slice(at[index], end));
  });

  it('joins the pieces of tool calls of a chat, separately for each choice and index', () => {
    fc.assert(
      fc.property(cutArgs, (parts) => {
        const { call } = assembleStream('openai.chat', chat(parts));
        expect(call.newToolCalls).toMatchObject([
          { id: 'call_1', name: 'send', args: JSON.parse(args) as object, path: 'choices[0].message.tool_calls[0]' },
          { id: 'call_2', name: 'run_shell', args: {}, path: 'choices[0].message.tool_calls[1]' },
        ]);
        const texts = call.newToolCalls[0]!.segments.map((index) => call.segments[index]!.text);
        expect(texts).toEqual(['send', 'to', 'anna@x.org', 'body', 'a "quote"']);
      }),
    );
  });

  it('joins the pieces of tool calls of messages and of responses', () => {
    fc.assert(
      fc.property(cutArgs, fc.boolean(), (parts, done) => {
        const fromMessages = assembleStream('anthropic.messages', messages(parts)).call.newToolCalls;
        expect(fromMessages).toMatchObject([
          { id: 'toolu_1', name: 'send', args: JSON.parse(args) as object, path: 'content[1]' },
        ]);
        const fromResponses = assembleStream('openai.responses', responses(parts, done)).call.newToolCalls;
        expect(fromResponses).toMatchObject([{ id: 'call_1', name: 'send', args: JSON.parse(args) as object }]);
        expect(fromResponses).toHaveLength(1);
      }),
    );
  });

  it('edits a leaf of streamed arguments with the right escapes', () => {
    fc.assert(
      fc.property(cutArgs, fc.constantFrom(chat, messages), (parts, frames) => {
        const stream = assembleStream('openai.chat', frames(parts));
        const segment = stream.call.segments.findIndex(({ text }) => text === 'a "quote"');
        const edited = assembleStream(
          'openai.chat',
          stream.edited([{ segment, start: 2, end: 9, replacement: '["x"]' }]),
        );
        expect(edited.call.newToolCalls[0]!.args).toEqual({ to: 'anna@x.org', body: 'a ["x"]' });
      }),
    );
  });

  it('returns a call whose name arrives in pieces under every name that a client may read', () => {
    const named = (...names: string[]): (string | undefined)[] =>
      assembleStream(
        'openai.chat',
        names
          .map((name) => chunk([{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name } }] } }]))
          .join(''),
      ).call.newToolCalls.map(({ name }) => name);
    expect(named('run_', 'shell')).toEqual(['run_shell', 'run_', 'shell']);
    expect(named('run_shell', 'run_shell')).toEqual(['run_shell']);
    expect(named('run_shell', '')).toEqual(['run_shell']);
  });

  it('keeps a call of which only the beginning arrived', () => {
    expect(assembleStream('openai.chat', chat(['{"to":'])).call.newToolCalls[0]).toMatchObject({
      name: 'send',
      args: undefined,
    });
    expect(assembleStream('anthropic.messages', messages([])).call.newToolCalls).toMatchObject([
      { name: 'send', args: {} },
    ]);
  });
});

describe('assembleStream', () => {
  it('joins the text at the beginning of a block with the text that follows', () => {
    const text =
      frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'an' } }) +
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'na' } });
    expect(assembleStream('anthropic.messages', text).call.segments.map((each) => each.text)).toEqual(['anna']);
  });

  it('reports the usage that Groq puts into a member of its own', () => {
    const usage = { queue_time: 0.1, prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    const stream = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { x_groq: { id: 'req_1', usage } });
    expect(assembleStream('openai.chat', stream).call.usage).toEqual({ promptTokens: 4, completionTokens: 2 });
  });

  it('reports model and usage from the last event that has them', () => {
    expect(assembleStream('anthropic.messages', PROVIDERS['text of messages']!.frames(['x'])).call).toMatchObject({
      model: 'claude',
      usage: { promptTokens: 3, completionTokens: 9 },
    });
    const usage = { prompt_tokens: 4, completion_tokens: 2 };
    expect(assembleStream('openai.chat', chunk([], { usage })).call.usage).toEqual({
      promptTokens: 4,
      completionTokens: 2,
    });
  });

  it('removes token texts if a text is redacted, and keeps them otherwise', () => {
    const text = chunk([
      { index: 0, delta: { content: 'anna' }, logprobs: { content: [{ token: 'anna', bytes: [97] }] } },
    ]);
    const stream = assembleStream('openai.chat', text);
    const segment = stream.call.segments.findIndex((each) => each.text === 'anna');
    const edited = stream.edited([{ segment, start: 0, end: 4, replacement: '[N]' }]);
    expect(edited).toContain('"logprobs":null');
    expect(edited).not.toContain('anna');
    expect(stream.edited([])).toBe(text);
  });

  it('reads and edits data that is not JSON', () => {
    const text = 'event: note\ndata: mail anna@x.org\n\ndata: [DONE] \n\n';
    const stream = assembleStream('generic', text);
    expect(stream.call.segments.map((segment) => segment.text)).toEqual(['mail anna@x.org']);
    expect(stream.edited([{ segment: 0, start: 5, end: 15, replacement: '[E]' }])).toBe(
      'event: note\ndata: mail [E]\n\ndata: [DONE] \n\n',
    );
  });

  it('reads and edits comments and lines that belong to no event', () => {
    const text = ': for anna\ndata: {"choices":[{"delta":{"content":"hi anna"}}]}\n\n{"content":"anna"}\n';
    const stream = assembleStream('openai.chat', text);
    const edits = stream.call.segments.flatMap((each, segment) => {
      const start = each.text.indexOf('anna');
      return start < 0 ? [] : [{ segment, start, end: start + 4, replacement: '[N]' }];
    });
    expect(stream.edited(edits)).toBe(text.replaceAll('anna', '[N]'));
  });

  it('omits no text, whatever the events are', () => {
    const canary = 'canary: a text with spaces';
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }),
        fc.constantFrom('delta', 'choices', 'item', 'response', 'x', 'content_block'),
        (values, key) => {
          // Each text is different, because repeated texts count once.
          let planted = 0;
          const plant = (node: unknown): unknown =>
            typeof node === 'string' || node === null
              ? `${canary} ${planted++}`
              : Array.isArray(node)
                ? node.map(plant)
                : typeof node === 'object'
                  ? Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, plant(inner)]))
                  : node;
          const text = values.map((value) => frame({ type: 'some.event', [key]: plant(value) })).join('');
          const count = (where: string): number => where.split(canary).length - 1;
          const found = assembleStream('generic', text).call.segments.reduce(
            (sum, segment) => sum + count(segment.text),
            0,
          );
          expect(found).toBe(count(text));
        },
      ),
    );
  });

  it('reports whether a stream broke off before its end', () => {
    const brokeOff = (dialect: Dialect, text: string): boolean => assembleStream(dialect, text).brokeOff;
    const some = chunk([{ index: 0, delta: { content: 'a' } }]);
    const finished = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    expect(brokeOff('openai.chat', some)).toBe(true);
    expect(brokeOff('openai.chat', some + finished)).toBe(false);
    for (const mark of ['[DONE]', '[DONE] ', ' [DONE]\t'])
      expect(brokeOff('openai.chat', `${some}data: ${mark}\n\n`)).toBe(false);
    expect(brokeOff('openai.chat', some + frame({ error: { message: 'overloaded' } }))).toBe(false);
    const whole = PROVIDERS['text of messages']!.frames(['x']);
    expect(brokeOff('anthropic.messages', whole)).toBe(false);
    expect(brokeOff('anthropic.messages', whole.replace(/event: message_stop[^]*$/, ''))).toBe(true);
    expect(brokeOff('openai.responses', PROVIDERS['text of responses']!.frames(['x']))).toBe(true);
    expect(brokeOff('openai.responses', frame({ type: 'response.completed', response: {} }))).toBe(false);
    expect(brokeOff('generic', some)).toBe(false);
  });
});
