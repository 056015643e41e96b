import { JsonSyntaxError } from '../json/json-parser.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));

const BLOCK = 'content_block_delta';
const block = (text: string, more: object = {}): object => ({
  type: BLOCK,
  index: 0,
  delta: { type: 'text_delta', text },
  ...more,
});
const TEXT = 'response.output_text.delta';
const text = (delta: string, more: object = {}): object => ({
  type: TEXT,
  item_id: 'm',
  output_index: 0,
  content_index: 0,
  delta,
  ...more,
});
const summary = (delta: string, more: object): string =>
  frame({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'r',
    output_index: 0,
    summary_index: 0,
    delta,
    ...more,
  });
const args = (delta: string, more: object): string =>
  frame({ type: 'response.function_call_arguments.delta', item_id: 'f', output_index: 0, delta, ...more });

describe('events that some clients select by their names and others by the type in their data', () => {
  it.each([
    ['a name that is missing', [frame(block('TK-'), BLOCK), frame(block('x')), frame(block('123 '), BLOCK)]],
    ['another name', [frame(block('TK-'), BLOCK), frame(block('x'), 'ping'), frame(block('123 '), BLOCK)]],
    ['a type that is missing', [frame(text('TK-')), frame(text('x', { type: undefined }), TEXT), frame(text('123 '))]],
    ['the name of another API', [frame(block('TK-'), BLOCK), frame(block('123 '), 'thread.x')]],
    ['a name of a response that is missing', [frame(text('TK-'), TEXT), frame(text('x')), frame(text('123 '), TEXT)]],
  ])('are not forwarded, because each client would join other texts: %s', async (_what, events) => {
    await expect(guard(MASKING, 'generic', events)).rejects.toThrow(JsonSyntaxError);
    await expect(whole(MASKING, 'generic', events.join(''))).rejects.toThrow(JsonSyntaxError);
  });

  it('are forwarded if all of them are named in one way', async () => {
    for (const name of [undefined, BLOCK, 'message']) {
      const events = [frame({ type: 'ping' }, 'ping'), frame(block('Well, '), name), frame(block('so be it. '), name)];
      expect((await guard(MASKING, 'anthropic.messages', events)).text).toBe(events.join(''));
    }
  });
});

describe('a text of which one event has another member that could identify it', () => {
  it.each([
    ['a summary', [summary('so TK-', {}), summary('123 it is', { content_index: 7 })]],
    ['arguments', [args('{"to":"TK-', {}), args('123"}', { content_index: 7, summary_index: 3 })]],
    ['arguments of a call', [args('{"to":"TK-', {}), args('123"}', { annotation_index: 7 })]],
  ])('is joined as clients join it: %s', async (_what, events) => {
    const { text: left } = await guard(MASKING, 'openai.responses', events);
    expect(left).toContain('[TICKET]');
    expect(left).not.toMatch(/TK-|123/);
  });

  it('is not forwarded if it is a block of a message: a client could find the block by both members', async () => {
    const events = [frame(block('TK-')), frame(block('123 ', { item_id: 'x' }))];
    await expect(guard(MASKING, 'anthropic.messages', events)).rejects.toThrow(JsonSyntaxError);
  });
});

describe('an index in a string', () => {
  const choice = (index: number | string, content: string): string => chunk([{ index, delta: { content } }]);
  const at = (index: number | string, content: string): string => frame(block(content, { index }));

  it('identifies a text as a number does', async () => {
    for (const events of [
      [choice('1', 'TK-'), choice('0', 'x'), choice('1', '123 ')],
      [at('0', 'TK-'), at('1', 'x'), at('0', '123 ')],
      [at('a', 'TK-'), at('b', 'x'), at('a', '123 ')],
    ]) {
      const { text: left } = await guard(MASKING, 'generic', events);
      expect(left).toContain('[TICKET]');
      expect(left).not.toMatch(/TK-|123/);
    }
  });

  it('does not occur beside numbers, because clients differ in whether both are one index', async () => {
    for (const events of [
      [choice(0, 'TK-'), choice('0', 'x'), choice(0, '123 ')],
      [at(0, 'TK-'), at('0', 'x'), at(0, '123 ')],
      [frame(text('TK-')), frame(text('x', { output_index: '0' })), frame(text('123 '))],
    ])
      await expect(guard(MASKING, 'generic', events)).rejects.toThrow(JsonSyntaxError);
  });
});
