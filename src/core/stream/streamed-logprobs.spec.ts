import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const tokens = (...texts: string[]): object => ({
  content: texts.map((token) => ({ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] })),
});
const piece = (content: string, logprobs: object | null): string => chunk([{ index: 0, delta: { content }, logprobs }]);

describe('the log probabilities of a stream', () => {
  it('do not repeat a masked text, not even in a later event without a text', async () => {
    const stream =
      piece('The ', tokens('The ')) +
      piece('TK-', tokens('TK-')) +
      piece('123.', tokens('123', '.')) +
      piece('', tokens('TK-', '123')) +
      piece(' Done.', tokens(' Done.')) +
      chunk([{ index: 0, delta: {}, logprobs: tokens('TK-', '123'), finish_reason: 'stop' }]);
    const { text } = await guard(MASKING, 'openai.chat', [stream]);
    expect(text).toContain('[TICKET]');
    for (const part of ['TK-', '123', 'bytes":[84,75']) expect(text).not.toContain(part);
    // The events before the masked text are forwarded unchanged.
    expect(text.split('\n\n')[0]).toBe(piece('The ', tokens('The ')).trimEnd());
  });

  it('stay where nothing is masked', async () => {
    const stream = piece('The ', tokens('The ')) + piece('end', tokens('end'));
    expect((await guard(MASKING, 'openai.chat', [stream])).text).toBe(stream);
  });

  it('stay in the events after a restored value, until a text is masked', async () => {
    const [named, after] = [
      piece('To [MAIL_bcd]. ', tokens('To ', '[MAIL_bcd]. ')),
      piece('Good day. ', tokens('Good day. ')),
    ];
    const values = new Map([['[MAIL_bcd]', 'joe@acme.example']]);
    const { text } = await guard(
      MASKING,
      'openai.chat',
      [named, after, piece('TK-123 ', tokens('TK-123 ')), after],
      values,
    );
    expect(text).toContain('To joe@acme.example. ');
    const events = text.split(/(?<=\n\n)/);
    expect(events[1]).toBe(after);
    expect(text).not.toContain('TK-123');
    expect(events.at(-1)).not.toContain('logprob"');
  });

  it('are removed together with the ids of the tokens', async () => {
    const ids = [42, 7];
    const idsOf = (content: string, more: object = {}): string =>
      chunk([{ index: 0, delta: { content }, token_ids: ids }], more);
    const stream = [
      idsOf('The ', { prompt_token_ids: ids }),
      idsOf('TK-'),
      idsOf('123 '),
      idsOf('is done.', { usage: { prompt_tokens: 2, completion_tokens: 8, total_tokens: 10 } }),
      chunk([{ index: 0, delta: {}, token_ids: ids, finish_reason: 'stop' }]),
    ];
    const { text } = await guard(MASKING, 'openai.chat', stream);
    const [first, ...others] = text.split(/(?<=\n\n)/);
    expect(first).toBe(stream[0]);
    expect(others.join('')).toContain('[TICKET]');
    expect(others.join('')).not.toContain('42');
    expect(others.join('')).toContain('"total_tokens":10');
    expect((await whole(MASKING, 'openai.chat', stream.join(''))).text).not.toContain('42');
  });

  it('are removed in responses, whose last events repeat the whole text', async () => {
    const place = { item_id: 'm', output_index: 0, content_index: 0 };
    const list = [{ token: 'TK-123', logprob: -0.1, bytes: [84], top_logprobs: [] }];
    const event = (type: string, more: object): string => frame({ type, ...place, ...more }, type);
    const stream =
      event('response.output_text.delta', { delta: 'TK-123', logprobs: list }) +
      event('response.output_text.done', { text: 'TK-123', logprobs: list }) +
      event('response.web_search_call.completed', { logprobs: list });
    for (const { text } of [
      await guard(MASKING, 'openai.responses', [stream]),
      await whole(MASKING, 'openai.responses', stream),
    ])
      // prettier-ignore
      expect(text).not.toContain('TK-123');
  });
});

describe('the bytes of the tokens of a stream', () => {
  const bytesOf = (text: string): number[] => [...Buffer.from(text)];
  const hiding = (token: string, bytes: string): object => ({
    content: [{ token, logprob: -0.1, bytes: bytesOf(bytes) }],
  });

  it('are judged as one text if they are not the tokens', async () => {
    const stream =
      piece('The ', tokens('The ')) +
      piece('one ', hiding('one ', 'so TK-')) +
      piece('is ', hiding('is ', '123 ')) +
      piece('here. ', tokens('here. '));
    const streamed = await guard(MASKING, 'openai.chat', [stream]);
    for (const { text } of [streamed, await whole(MASKING, 'openai.chat', stream)]) {
      expect(text).not.toMatch(/"bytes":\[(?:115|49)/);
      expect(text).toContain('"content":"here. "');
    }
  });

  it('continue in the bytes of tokens that are their text', async () => {
    const stream = piece('x', hiding('x', 'so TK-')) + piece('12', tokens('12')) + piece('y', hiding('y', '3 '));
    const { text } = await guard(MASKING, 'openai.chat', [stream]);
    expect(text).not.toMatch(/"bytes":\[(?:115|49|51)/);
  });

  it.each<[string, readonly string[]]>([
    ['after no space', ['bytes:\\xf0\\x9f\\x98', 'bytes:\\x80']],
    ['after a space', ['bytes: \\xf0\\x9f\\x98', 'bytes:\\x80']],
  ])('that are a part of a character do not hold later texts, which are judged once: %s', async (before, names) => {
    const space = before === 'after a space' ? [0x20] : [];
    const listed = [[...space, 0xf0, 0x9f, 0x98], [0x80]].map((bytes, at) => ({
      content: [{ token: names[at]!, logprob: -0.1, bytes }],
    }));
    const word = (text: string): string => piece(text, tokens(text));
    const events = [
      piece('', listed[0]!),
      piece(space.length === 0 ? '😀' : ' 😀', listed[1]!),
      ...['Hello. ', 'It ', 'is ', 'fine. '].map(word),
    ];
    const { steps, text } = await guard(MASKING, 'openai.chat', events);
    expect(text).toBe(events.join(''));
    expect(steps.slice(3).join('')).toContain('It ');
    const counting = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.counts.TICKET: { gte: 2 } }'));
    const once = [...events, word('TK-123 '), word('is one. ')];
    expect((await guard(counting, 'openai.chat', once)).text).toBe(once.join(''));
    expect((await whole(counting, 'openai.chat', once.join(''))).text).toBe(once.join(''));
    expect((await guard(counting, 'openai.chat', [...once, word('TK-456 ')])).text).toContain('[TICKET]');
  });

  it('no longer continue after several events whose tokens are their text', async () => {
    const counting = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.counts.TICKET: { gte: 2 } }'));
    const words = ['This ', 'is ', 'the ', 'number ', 'of ', 'it: ', 'TK-123 ', 'and ', 'no ', 'more. '];
    const events = [piece('x', hiding('x', 'other ')), ...words.map((text) => piece(text, tokens(text)))];
    expect((await guard(counting, 'openai.chat', events)).text).toBe(events.join(''));
    expect((await whole(counting, 'openai.chat', events.join(''))).text).toBe(events.join(''));
  });

  it('inside a piece of a tool call are judged like any others', async () => {
    const call = (args: string, ...parts: string[]): string => {
      const own = { index: 0, id: 'c', function: { name: 'f', arguments: args }, logprobs: tokens(...parts) };
      return chunk([{ index: 0, delta: { tool_calls: [own] } }]);
    };
    const { text } = await guard(MASKING, 'openai.chat', [call('{"a":', 'so '), call('1}', 'TK-', '123 ')]);
    expect(text).not.toMatch(/TK-|123|"bytes":\[(?:84|49)/);
    expect(text).toContain('1}');
  });
});
