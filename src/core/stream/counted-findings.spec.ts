import fc from 'fast-check';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { cut, guard, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

/** Rules that stay open while findings are counted. */
const COUNTING = guardedPolicy(
  masks('mask.tickets', ['TICKET'], '{ marks.counts.TICKET: { gte: 3 } }') +
    masks('mask.mails', ['MAIL'], '{ all: [ { marks.count: { gte: 5 } }, { marks.score: { gte: 0.9 } } ] }'),
);
const PARTS = ['TK-123 ', 'ab@cd ', 'pin 1234 ', 'TK-', '456 ', 'word ', '. '];

const delta = (more: object): string => chunk([{ index: 0, delta: more }]);
const called = (index: number, args: string): string =>
  delta({ tool_calls: [{ index, id: `c${index}`, function: { name: 'send', arguments: args } }] });

const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 16 });
const calls = fc.array(fc.array(fc.constantFrom(...PARTS), { maxLength: 4 }), { maxLength: 3 });
const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe('rules that count the findings of a streamed answer', () => {
  it('decide as on the whole answer, in whatever order texts and calls arrive', async () => {
    await fc.assert(
      fc.asyncProperty(texts, calls, cuts, async (contents, args, places) => {
        const inCalls = args.flatMap((parts, index) =>
          cut(JSON.stringify({ to: parts.join('') }), [4, 9]).map((piece) => called(index, piece)),
        );
        const events = [
          ...contents.map((content) => delta({ content })),
          ...inCalls,
          chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
        ];
        const stream = events.join('');
        const streamed = await guard(COUNTING, 'openai.chat', cut(stream, places));
        expect(streamed.text).toBe((await whole(COUNTING, 'openai.chat', stream)).text);
      }),
      { numRuns: 60 },
    );
  });
});

/** Streams whose last event repeats the text before it. */
const REPEATING: Readonly<Record<string, (pieces: readonly string[]) => string[]>> = {
  'the chat of Cohere': (pieces) => [
    ...pieces.map((text) => frame({ is_finished: false, event_type: 'text-generation', text })),
    frame({ is_finished: true, event_type: 'stream-end', response: { text: pieces.join('') } }),
  ],
  'the chat of Cohere with names of events': (pieces) => [
    ...pieces.map((text) => frame({ is_finished: false, event_type: 'text-generation', text }, 'text-generation')),
    frame({ is_finished: true, event_type: 'stream-end', response: { text: pieces.join('') } }, 'stream-end'),
  ],
  'transcripts of recordings': (pieces) => [
    ...pieces.map((delta) => frame({ type: 'transcript.text.delta', delta }, 'transcript.text.delta')),
    frame({ type: 'transcript.text.done', text: pieces.join('') }, 'transcript.text.done'),
  ],
  'transcripts of spoken responses': (pieces) => {
    const event = (kind: string, more: object): string =>
      frame({
        type: `response.output_audio_transcript.${kind}`,
        item_id: 'm',
        output_index: 0,
        content_index: 0,
        ...more,
      });
    return [...pieces.map((delta) => event('delta', { delta })), event('done', { transcript: pieces.join('') })];
  },
};

async function bothWays(events: readonly string[]): Promise<readonly { readonly text: string }[]> {
  return [await guard(COUNTING, 'generic', events), await whole(COUNTING, 'generic', events.join(''))];
}

describe.each(Object.entries(REPEATING))('a text that the last event of %s repeats', (_what, events) => {
  it('is counted once', async () => {
    const stream = events(['It is TK-', '123 or TK-456', ' so.']);
    for (const { text } of await bothWays(stream)) expect(text).toBe(stream.join(''));
  });

  it('is masked in both places once there are enough findings', async () => {
    const stream = events(['It is TK-', '123 or TK-456', ' and TK-7890 too.']);
    for (const { text } of await bothWays(stream)) {
      expect(text).not.toMatch(/123|456|7890/);
      expect(text.match(/\[TICKET\]/g)?.length).toBe(6);
    }
  });

  it('is masked by itself if it is another text', async () => {
    const all = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
    const [first = '', last = ''] = [events(['Well. '])[0], events(['It is TK-123.']).at(-1)];
    const { text } = await guard(all, 'generic', [first, last]);
    expect(text).toContain('[TICKET]');
    expect(text).not.toContain('TK-123');
  });
});
