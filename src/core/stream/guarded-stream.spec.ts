import fc from 'fast-check';
import { planAnswer } from './answer-plan.js';
import { assembleStream } from './assemble-stream.js';
import type { Turns } from '../steps/steps.js';
import { StreamOrderError } from './stream-order-error.js';
import { cut, guard, texts, whole, type Guarded, type Outcome } from './testdata/guarding.js';
import { chunk, frame, PROVIDERS } from './testdata/provider-streams.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';

const PARTS = [
  'TK-123', 'TK-', 'K', '45', '6', 'ab@cd', '@', 'a', 'pin ', '1234', ' ', 'never', ' say', '. ', '"', '\\', '\n', 'é', '😀',
  '\ud83d', '中', 'The ', 'TK-9999 ',
]; // prettier-ignore
const piecesOfText = fc
  .tuple(fc.array(fc.constantFrom(...PARTS), { maxLength: 16 }), fc.array(fc.nat(), { maxLength: 12 }))
  .map(([parts, places]) => cut(parts.join(''), places));
const cuts = fc.array(fc.nat(), { maxLength: 20 });

const MASKING = guardedPolicy(
  masks('mask.all', ['TICKET', 'MAIL', 'PIN'], '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }'),
);
const POLICIES: Record<string, Guarded> = {
  'that masks': MASKING,
  'that masks one kind because another kind was found': guardedPolicy(
    masks('mask.mail', ['MAIL'], '{ all: [ { marks.types: { any_of: [TICKET] } }, { marks.count: { gte: 2 } } ] }'),
  ),
  'that masks once there are several findings': guardedPolicy(
    masks('mask.many', ['TICKET', 'MAIL'], '{ marks.counts.TICKET: { gte: 2 } }'),
  ),
  'that masks in tool calls': guardedPolicy(masks('mask.tool', ['TICKET'], '{ marks.count: { gt: 0 } }', 'tool')),
  'whose rule cannot apply': guardedPolicy(
    masks('mask.never', ['TICKET'], '{ all: [ { app.name: other }, { marks.types: { any_of: [TICKET] } } ] }'),
  ),
};

/** Signed content is not masked: see signed-content.spec.ts. */
const MASKED_PROVIDERS = Object.entries(PROVIDERS).filter(([name]) => name !== 'thinking of messages');

describe('a guarded stream that receives a lot of data at once', () => {
  /** A clock that advances with each reading. */
  function looked(): { readonly turns: Turns; readonly pauses: () => number } {
    let [now, pauses] = [0, 0];
    return { turns: { nowMs: () => now++, pause: () => Promise.resolve(void pauses++) }, pauses: () => pauses };
  }
  const MANY = 300;
  const each = (make: (index: number) => string): string => Array.from({ length: MANY }, (_, i) => make(i)).join('');
  const content = (text: string): object => ({ index: 0, delta: { content: text } });

  it.each([
    ['events', each((i) => chunk([content(`TK-${i} `)]))],
    ['choices', each((index) => chunk([{ index, delta: { content: 'TK-' } }]))],
    ['parts of one event', chunk(Array.from({ length: 3_000 }, (_, i) => content(`TK-${i} `)))],
    ['letters of one text', chunk([content('word TK-123 '.repeat(20_000))])],
    ['tool calls', each((i) => chunk([{ index: 0, delta: { tool_calls: [{ index: i, id: `c${i}`, function: { name: 'f', arguments: '{}' } }] } }]))], // prettier-ignore
  ])('yields to other work while it reads many %s, and forwards the same as without pauses', async (_what, text) => {
    const { turns, pauses } = looked();
    const inTurns = await guard(MASKING, 'openai.chat', [text], new Map(), turns);
    expect(pauses()).toBeGreaterThan(5);
    expect(inTurns).toEqual(await guard(MASKING, 'openai.chat', [text]));
  });

  it('does not yield for a few events', async () => {
    const { turns, pauses } = looked();
    await guard(MASKING, 'openai.chat', [chunk([content('TK-123 ')]), chunk([content('a')])], new Map(), turns);
    expect(pauses()).toBe(0);
  });
});

describe.each(Object.entries(POLICIES))('a guarded stream under a policy %s', (_name, guarded) => {
  it.each(MASKED_PROVIDERS)(
    'forwards the same texts as if the complete answer were masked: %s',
    async (_what, provider) => {
      await fc.assert(
        fc.asyncProperty(piecesOfText, cuts, async (pieces, places) => {
          const text = provider.frames(pieces);
          const expected = await whole(guarded, provider.dialect, text);
          const { text: left, blocked } = await guard(guarded, provider.dialect, cut(text, places));
          expect(blocked).toBe(false);
          expect(texts(provider.dialect, left)).toEqual(texts(provider.dialect, expected.text));
        }),
        { numRuns: 80 },
      );
    },
  );

  it('forwards the same tool arguments as if the complete answer were masked, even next to texts', async () => {
    await fc.assert(
      fc.asyncProperty(piecesOfText, piecesOfText, cuts, async (pieces, others, places) => {
        const args = JSON.stringify({ query: pieces.join(''), list: [others.join('')] });
        const text = toolStream(cut(args, places), others);
        const expected = await whole(guarded, 'openai.chat', text);
        const { text: left } = await guard(guarded, 'openai.chat', cut(text, places));
        expect(texts('openai.chat', left)).toEqual(texts('openai.chat', expected.text));
      }),
      { numRuns: 80 },
    );
  });

  it('forwards the same tool use in messages as if the complete answer were masked', async () => {
    await fc.assert(
      fc.asyncProperty(piecesOfText, piecesOfText, cuts, async (pieces, others, places) => {
        const args = JSON.stringify({ query: pieces.join('') });
        const text = toolUse(cut(args, places), others);
        const expected = await whole(guarded, 'anthropic.messages', text);
        const { text: left } = await guard(guarded, 'anthropic.messages', cut(text, places));
        expect(texts('anthropic.messages', left)).toEqual(texts('anthropic.messages', expected.text));
      }),
      { numRuns: 80 },
    );
  });
});

function toolStream(args: readonly string[], contents: readonly string[]): string {
  const call = (more: object): string => chunk([{ index: 0, delta: { tool_calls: [{ index: 0, ...more }] } }]);
  return (
    contents.map((content) => chunk([{ index: 0, delta: { content } }])).join('') +
    call({ id: 'call_1', type: 'function', function: { name: 'search', arguments: '' } }) +
    args.map((piece) => call({ function: { arguments: piece } })).join('') +
    chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]) +
    'data: [DONE]\n\n'
  );
}

function toolUse(args: readonly string[], contents: readonly string[]): string {
  const event = (type: string, more: object): string => frame({ type, ...more }, type);
  const block = { type: 'tool_use', id: 'toolu_1', name: 'search', input: {} };
  return (
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    contents.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })).join('') +
    event('content_block_stop', { index: 0 }) +
    event('content_block_start', { index: 1, content_block: block }) +
    args
      .map((partial_json) =>
        event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json } }),
      )
      .join('') +
    event('content_block_stop', { index: 1 }) +
    event('message_stop', {})
  );
}

describe('a guarded stream', () => {
  const content = (text: string): string => chunk([{ index: 0, delta: { content: text } }]);
  const left = ({ steps }: Outcome): string[] =>
    steps.map((step) =>
      assembleStream('openai.chat', step)
        .call.segments.map(({ text }) => text)
        .join('|'),
    );

  it('holds back the event with which Bedrock ends an answer until the stream ends', async () => {
    const delta = frame({ contentBlockIndex: 0, delta: { text: 'hi' } }, 'contentBlockDelta');
    const last = frame({ stopReason: 'end_turn' }, 'messageStop');
    const { steps } = await guard(POLICIES['whose rule cannot apply']!, 'generic', [delta, last]);
    expect([steps.slice(0, -1).join(''), steps.at(-1)]).toEqual([delta, last]);
  });

  it.each(['[DONE]', '[DONE] ', '\t[DONE]'])('holds back the end mark until the stream ends: "%s"', async (mark) => {
    const events = [content('hi. '), `data: ${mark}\n\n`];
    const { steps } = await guard(MASKING, 'openai.chat', events);
    expect([steps.slice(0, -1).join(''), steps.at(-1)]).toEqual(events);
    await expect(guard(MASKING, 'openai.chat', [...events, content('b')])).rejects.toThrow(StreamOrderError);
  });

  it('forwards every byte unchanged when nothing is masked, and keeps the order of each choice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(PROVIDERS)),
        fc.array(fc.string()),
        cuts,
        async (provider, pieces, places) => {
          const text = provider.frames(pieces.map((piece) => piece.replace(/[@\d]|TK/g, '')));
          const { text: passed } = await guard(
            POLICIES['whose rule cannot apply']!,
            provider.dialect,
            cut(text, places),
          );
          const ofChoice = (from: string, choice: number): string[] =>
            (from.match(/[^]+?\n\n/g) ?? []).filter((each) => each.includes(`"choices":[{"index":${choice},`));
          expect(passed.length).toBe(text.length);
          if (ofChoice(text, 1).length === 0) expect(passed).toBe(text);
          for (const choice of [0, 1]) expect(ofChoice(passed, choice)).toEqual(ofChoice(text, choice));
        },
      ),
    );
  });

  it('forwards one choice while another choice waits, but nothing after an event without a choice', async () => {
    const of = (index: number, text: string): string => chunk([{ index, delta: { content: text } }]);
    const usage = chunk([], { usage: { prompt_tokens: 1, completion_tokens: 2 } });
    const outcome = await guard(MASKING, 'openai.chat', [of(0, 'See TK'), of(1, 'No. '), usage, of(1, 'It is. ')]);
    expect(outcome.steps).toEqual(['', of(1, 'No. '), '', '', of(0, 'See TK') + usage + of(1, 'It is. ')]);
  });

  it('forwards text immediately if no rule can change it', async () => {
    const outcome = await guard(MASKING, 'openai.chat', [content('Hello. '), content('It is. ')]);
    expect(left(outcome)).toEqual(['Hello. ', 'It is. ', '']);
  });

  it('holds an event only while its text could be the beginning of a finding', async () => {
    const outcome = await guard(MASKING, 'openai.chat', [content('See TK'), content('-123'), content(' soon. ')]);
    expect(left(outcome)).toEqual(['', '', 'See [TICKET] soon. ', '']);
    expect(outcome.text).not.toContain('TK');
  });

  it('refuses in the middle of an answer, before any refused text is forwarded', async () => {
    const blocking = guardedPolicy(`  - id: stop
    stage: post
    when: { marks.types: { any_of: [STOP] } }
    then: { action: block }
    on_unknown: match
`);
    const outcome = await guard(blocking, 'openai.chat', [
      content('All right: '),
      content('ne'),
      content('ver sa'),
      content('y it'),
      content('more'),
    ]);
    expect(outcome.blocked).toBe(true);
    expect(left(outcome)).toEqual(['All right: ', '', '', '']);
  });

  it('judges a tool call before its last byte is forwarded', async () => {
    const blocking = guardedPolicy(`  - id: stop
    stage: tool
    when: { marks.types: { any_of: [TICKET] } }
    then: { action: block }
    on_unknown: match
`);
    const text = toolStream(['{"id":', '"TK-', '123"', '}'], ['Let me see. ']);
    const outcome = await guard(blocking, 'openai.chat', text.match(/[^]+?\n\n/g) ?? []);
    expect(outcome.blocked).toBe(true);
    expect(outcome.text).toContain('Let me see. ');
    expect(outcome.text).toContain('search');
    expect(outcome.text).not.toMatch(/\}"/);
    expect(outcome.text).not.toContain('finish_reason');
  });

  it('does not wait for rules that cannot apply to this call', async () => {
    const outcome = await guard(POLICIES['whose rule cannot apply']!, 'openai.chat', [
      content('TK-123 '),
      content('x '),
    ]);
    expect(left(outcome)).toEqual(['TK-123 ', 'x ', '']);
  });

  it('holds a finding that a rule may still test', async () => {
    const outcome = await guard(POLICIES['that masks once there are several findings']!, 'openai.chat', [
      content('A TK-123 '),
      content('and TK-456 '),
      content('end. '),
    ]);
    expect(left(outcome)).toEqual(['', 'A [TICKET] and [TICKET] ', 'end. ', '']);
  });

  it('restores the values of tokens, even of tokens that arrive in pieces', async () => {
    const tokens = new Map([['[MAIL_bcd]', 'joe@acme']]);
    const outcome = await guard(
      MASKING,
      'openai.chat',
      [content('To [MA'), content('IL_bc'), content('d], and [MAIL_x] ')],
      tokens,
    );
    expect(
      assembleStream('openai.chat', outcome.text)
        .call.segments.map(({ text }) => text)
        .join(''),
    ).toBe('To joe@acme, and [MAIL_x] ');
  });

  it('joins the texts of choices as clients do, whatever the events are named, and even if each repeats the text so far', async () => {
    const delta = (text: string) => [{ index: 0, delta: { content: text } }];
    const named = ['TK', '-1', '23. '].map((text, at) => `event: e${at}\n${chunk(delta(text))}`);
    const typed = ['TK', '-1', '23. '].map((text, at) => frame({ type: `t${at}`, choices: delta(text) }));
    const repeating = ['TK-123', ' is', ' it. '].map((text, at, all) =>
      chunk([{ ...delta(text)[0]!, message: { content: all.slice(0, at + 1).join('') } }]),
    );
    for (const pieces of [named, typed, repeating]) {
      const outcome = await guard(MASKING, 'openai.chat', pieces);
      expect(left(outcome).join('')).toMatch(/^\[TICKET\]/);
      expect(outcome.text).not.toContain('TK');
    }
  });

  it('accepts annotations from Azure about a text after its end', async () => {
    const content_filter_results = { hate: { filtered: false, severity: 'safe' } };
    const pieces = [
      chunk([{ index: 0, delta: { content: 'a' }, content_filter_results }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([{ index: 0, finish_reason: null, content_filter_results, content_filter_offsets: { end_offset: 1 } }]),
    ];
    expect((await guard(MASKING, 'openai.chat', pieces)).text).toBe(pieces.join(''));
  });

  it('throws if a text continues that was declared complete', async () => {
    const finish = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    await expect(guard(MASKING, 'openai.chat', [content('a'), finish, content('b')])).rejects.toThrow(StreamOrderError);
  });

  it('is planned only for policies whose rules cannot become false again once they match', () => {
    const planOf = (when: string): string => {
      const { policy, detectors } = guardedPolicy(masks('t', ['TICKET'], when));
      return planAnswer(policy, detectors).mode;
    };
    expect(planOf('{ marks.count: { gte: 1 } }')).toBe('guard');
    expect(planOf('{ marks.count: { lt: 1 } }')).toBe('hold');
    expect(planOf('{ not: { marks.types: { any_of: [MAIL] } } }')).toBe('hold');
    expect(planOf('{ all: [ { app.name: x }, { marks.score: { gt: 0.1 } } ] }')).toBe('guard');
  });
});
