import fc from 'fast-check';
import { assembleStream } from './assemble-stream.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { cut, guard, whole } from './testdata/guarding.js';
import { frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** Events with the names of a provider's events and the members of another vendor. */
const OF_OTHERS: Readonly<Record<string, (text: string) => string>> = {
  'of agents in Snowflake Cortex': (text) =>
    frame({ content_index: 0, sequence_number: 3, text }, 'response.text.delta'),
  'with the name of a complete text of responses': (text) => frame({ text }, 'response.output_text.done'),
  'with an unknown name of responses': (text) => frame({ output_index: 0, text }, 'response.text'),
  'with the name of a state of responses': (content) => frame({ content }, 'response.in_progress'),
  'with the name of a delta of threads': (text) => frame({ text }, 'thread.message.delta'),
  'with the name of a message of threads': (content) => frame({ content }, 'thread.message.created'),
  'with the name of the end of messages': (content) => frame({ delta: { content } }, 'message_delta'),
  'with the name of the start of messages': (text) => frame({ text }, 'message_start'),
  'with the name of a delta of a block': (text) => frame({ text }, 'content_block_delta'),
  'with a text in a delta of a block': (text) => frame({ index: 0, delta: { message: { text } } }, 'content_block_delta'), // prettier-ignore
  'with the name of a piece of a call': (text) => frame({ text }, 'tool_call.delta'),
};

/** Events as their provider documents them. */
const DOCUMENTED: Readonly<Record<string, (text: string) => string>> = {
  'of threads': (value) =>
    frame(
      { id: 'msg_1', object: 'thread.message.delta', delta: { content: [{ index: 0, text: { value } }] } },
      'thread.message.delta',
    ),
};

describe.each(Object.entries({ ...OF_OTHERS, ...DOCUMENTED }))('texts in events %s', (_which, event) => {
  it('are joined: a secret in pieces is masked, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, cuts, async (inText, inStream) => {
        const stream = cut('It is TK-4567.', inText).map(event).join('');
        const { text, blocked } = await guard(MASKING, 'generic', cut(stream, inStream));
        expect(blocked).toBe(false);
        for (const left of [text, (await whole(MASKING, 'generic', stream)).text]) {
          const read = assembleStream('generic', left).call.segments.map((segment) => segment.text);
          expect(read.join('\n')).not.toMatch(/TK-4567/);
          expect(read.join('')).toContain('[TICKET]');
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('events of messages with the documented members', () => {
  it('are complete in each event: the start of a message is forwarded with the first text', async () => {
    const start = frame({ type: 'message_start', message: { id: 'm', note: 'A note.', content: [] } }, 'message_start');
    const first = frame(
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello there. ' } },
      'content_block_delta',
    );
    const { steps } = await guard(MASKING, 'anthropic.messages', [start + first]);
    expect(steps[0]).toBe(start + first);
  });
});

describe('the lines besides the data of an event', () => {
  it.each(['id: TK-4567', 'event: TK-4567', 'retry: TK-4567', 'id:evt.TK-4567'])(
    'are masked like its data: %s',
    async (line) => {
      const stream = `${line}\n${frame({ choices: [{ index: 0, delta: { content: 'Hello there. ' } }] })}`;
      for (const pieces of [[stream], [...stream]]) {
        const { text, blocked } = await guard(MASKING, 'openai.chat', pieces);
        expect([blocked, text]).toEqual([false, stream.replace('TK-4567', '[TICKET]')]);
      }
      expect((await whole(MASKING, 'openai.chat', stream)).text).toBe(stream.replace('TK-4567', '[TICKET]'));
    },
  );

  it('are forwarded with the first text if they have their usual values', async () => {
    const text = frame({ choices: [{ index: 0, delta: { content: 'Hello there. ' } }] });
    const stream = `id: 17\n${frame({ type: 'ping' }, 'ping')}${text}`;
    const { steps } = await guard(MASKING, 'openai.chat', [stream]);
    expect(steps[0]).toBe(stream);
  });
});
