import fc from 'fast-check';
import type { Dialect } from '../model/call.js';
import { assembleStream } from './assemble-stream.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { cut, guard, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));

const listed = (tokens: readonly string[]): object[] =>
  tokens.map((token) => ({ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] }));
type Piece = (text: string, tokens: readonly string[]) => string;
const chat: Piece = (content, tokens) =>
  chunk([{ index: 0, delta: { content }, logprobs: { content: listed(tokens), refusal: null } }]);
const place = { item_id: 'm', output_index: 0, content_index: 0 };

/** An event with a text and the tokens of its log probabilities. */
const EVENTS: Readonly<Record<string, readonly [Dialect, Piece]>> = {
  'chat completions': ['openai.chat', chat],
  completions: [
    'openai.completions',
    (text, tokens) =>
      frame({
        object: 'text_completion',
        choices: [{ index: 0, text, logprobs: { tokens, token_logprobs: tokens.map(() => -0.1), top_logprobs: null } }],
      }),
  ],
  responses: [
    'openai.responses',
    (delta, tokens) =>
      frame(
        { type: 'response.output_text.delta', ...place, delta, logprobs: listed(tokens) },
        'response.output_text.delta',
      ),
  ],
  Gemini: [
    'gemini.generate',
    (text, tokens) =>
      frame({
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ text }] },
            logprobsResult: { chosenCandidates: listed(tokens) },
          },
        ],
      }),
  ],
  Cohere: [
    'generic',
    (text, tokens) =>
      frame({
        type: 'content-delta',
        index: 0,
        delta: { message: { content: { text } } },
        logprobs: { text: tokens.join(''), token_ids: tokens.map(() => 7), logprobs: tokens.map(() => -0.1) },
      }),
  ],
};

/** The tokens that are left in a stream, joined. */
function tokensIn(stream: string): string {
  let joined = '';
  for (const [, data] of stream.matchAll(/^data: (\{.*)$/gm))
    JSON.parse(data!, (key, value: unknown) => {
      if (key === 'token') joined += String(value);
      if (key === 'tokens' && Array.isArray(value)) joined += value.join('');
      if (key === 'logprobs' && value !== null) joined += (value as { readonly text?: string }).text ?? '';
      return value;
    });
  return joined;
}

const TICKET = 'TK-' + '12345';
const HIDDEN = `so it is ${TICKET} then `;

describe.each(Object.entries(EVENTS))('the tokens of streamed %s', (_name, [dialect, event]) => {
  it.each(['', 'fine '])(
    'let no part of a credential leave that no text contains, next to the text %j',
    async (text) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(), { maxLength: 8 }),
          fc.nat({ max: 3 }),
          fc.array(fc.nat(), { maxLength: 6 }),
          async (cuts, more, places) => {
            const pieces = cut(HIDDEN, cuts);
            const events = pieces.map((piece) => event(text, more === 0 ? [piece] : cut(piece, [more])));
            const stream = `${event('Hello. ', ['Hello. '])}${events.join('')}${event('Bye.', ['Bye', '.'])}`;
            const streamed = await guard(MASKING, dialect, cut(stream, places));
            expect(streamed.text.split('\n\n')).toHaveLength(stream.split('\n\n').length);
            for (const left of [streamed.text, (await whole(MASKING, dialect, stream)).text]) {
              expect(tokensIn(left)).not.toMatch(/[TK\d]/);
              expect(left).not.toMatch(/"(?:TK?|K?-?\d+)|"bytes":\[(?:84|75|45|49)/);
              for (const said of ['Hello. ', 'Bye.']) expect(left).toContain(JSON.stringify(said));
            }
            // What precedes the credential is forwarded unchanged.
            expect(streamed.text).toContain(event('Hello. ', ['Hello. ']));
          },
        ),
      );
    },
  );

  it('let no part of it leave, wherever two events divide it', async () => {
    for (let at = 1; at < HIDDEN.length; at++) {
      const stream = cut(HIDDEN, [at]).map((piece) => event('', [piece]));
      for (const pieces of [stream, [stream.join('')]])
        expect(tokensIn((await guard(MASKING, dialect, pieces)).text)).not.toMatch(/[TK\d]/);
    }
  });

  it('are not judged again while they are the text of their event', () => {
    const texts = (stream: string): string[] => assembleStream(dialect, stream).call.segments.map(({ text }) => text);
    const twoTexts = event('It is ', ['It', ' is ']) + event('fine', ['fine']);
    expect(texts(twoTexts).filter((text) => /It|fine/.test(text))).toEqual(['It is fine']);
    expect(texts(twoTexts + event('', ['hidden'])).filter((text) => /It|fine|hid/.test(text))).toEqual([
      'It is fine',
      'hidden',
    ]);
  });

  it('form no text across an event whose tokens are its text', async () => {
    const stream = [
      event('', ['on TK-']),
      event('Hello. ', ['Hello. ']),
      event('', ['123 now ']),
      event('Bye', ['Bye']),
    ];
    const { text, steps } = await guard(MASKING, dialect, stream);
    expect(text).toBe(stream.join(''));
    expect(steps[1]).toContain(stream[0]);
    expect((await whole(MASKING, dialect, stream.join(''))).text).toBe(stream.join(''));
  });

  it.each(['ahead of', 'behind'])('may be %s the text by an event', async (order) => {
    const words = ['The ', 'number ', 'is ', 'TK-', '123', '. ', 'That ', 'is it.'];
    const [early, late] = [
      [...words, ''],
      ['', ...words],
    ];
    const [texts, tokens] = order === 'behind' ? [early, late] : [late, early];
    const stream = texts.map((text, at) => event(text, [tokens[at]!]));
    const { text } = await guard(MASKING, dialect, stream);
    expect(text).toContain('[TICKET]');
    expect(text).not.toMatch(/TK-|123/);
    const cleaned = (word: string): string => word.replace('TK-', 'No-');
    const clean = texts.map((word, at) => event(cleaned(word), [cleaned(tokens[at] ?? '')]));
    expect((await guard(MASKING, dialect, clean)).text).toBe(clean.join(''));
  });
});

describe('the tokens of a stream', () => {
  it('are one text for each choice', async () => {
    const of = (index: number, token: string): string =>
      chunk([{ index, delta: { content: '' }, logprobs: { content: listed([token]) } }]);
    const mixed = [of(0, 'is TK-'), of(1, 'is '), of(0, '12345 '), of(1, '6 so ')];
    const { text } = await guard(MASKING, 'openai.chat', mixed);
    expect(tokensIn(text)).not.toMatch(/TK|12345/);
    const apart = [of(0, 'is TK-'), of(1, '12345 so '), of(0, ' no ')];
    const outcome = await guard(MASKING, 'openai.chat', apart);
    // The events of one choice do not wait for those of another.
    expect(outcome.text.split(/(?<=\n\n)/).sort()).toEqual(apart.toSorted());
  });

  it('may follow the end of their choice', async () => {
    const stream = [
      chat('', ['hidden ']),
      chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]),
      chat('', ['TK-12345']),
      chat('', [' end']),
    ];
    const { text } = await guard(MASKING, 'openai.chat', stream);
    expect(text).toContain(stream[0]);
    expect(text).not.toContain('12345');
  });

  it('do not wait for the end of the stream if only texts follow', async () => {
    const word = chunk([{ index: 0, delta: { content: 'word ' } }]);
    const stream = [chat('', ['hidden TK-']), ...Array<string>(20).fill(word)];
    const { text, steps } = await guard(MASKING, 'openai.chat', stream);
    expect(text).toBe(stream.join(''));
    expect(steps.at(-1)).toBe('');
    expect(steps[1]).toBe('');
  });

  it('are read in events that differ only in their text', async () => {
    const stream = ['TK-12345', 'word', 'other'].map((text) => chat(text, ['TK-12345']));
    const { text } = await guard(MASKING, 'openai.chat', stream.slice(1));
    expect(text).not.toContain('TK-12345');
    const repeated = ['TK-12', 'word'].map((text) => chat(text, ['TK-12']));
    const { call } = assembleStream('openai.chat', repeated.join(''));
    expect(call.segments.map((each) => each.text)).toContain('TK-12');
  });

  it('are judged once where several events of a response repeat them', () => {
    const part = { type: 'output_text', text: 'fine', annotations: [], logprobs: listed(['hid', 'den']) };
    const item = { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [part] };
    const events: object[] = [
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'r', output: [item] } },
    ];
    const stream = events.map((each) => frame(each, (each as { type: string }).type)).join('');
    const { segments } = assembleStream('openai.responses', stream).call;
    expect(segments.filter(({ text }) => text === 'hidden')).toMatchObject([{ path: 'output[0].content[0].logprobs' }]);
  });

  it('that the model did not choose are judged if they are long, each by itself', async () => {
    const chosen = (token: string, others: readonly string[]): string =>
      chunk([
        {
          index: 0,
          delta: { content: token },
          logprobs: { content: [{ token, logprob: -0.1, bytes: null, top_logprobs: listed(others) }] },
        },
      ]);
    const long = 'the ticket TK-12345';
    const stream = [chosen('It is ', [long, 'It is ']), chosen('fine', ['TK-', '123'])];
    const { text } = await guard(MASKING, 'openai.chat', stream);
    expect(text).not.toContain('12345');
    expect(text).toContain('It is ');
    const { segments } = assembleStream('openai.chat', stream.join('')).call;
    expect(segments.map((each) => each.text)).toEqual(['It is fine', long]);
    const twoTexts = assembleStream('openai.chat', chosen(long, [long, 'no'])).call.segments;
    expect(twoTexts.map((each) => each.text)).toEqual([long]);
  });
});
