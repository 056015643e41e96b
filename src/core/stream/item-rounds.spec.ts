import { JsonSyntaxError } from '../json/json-parser.js';
import { StreamOrderError } from './stream-order-error.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { frame } from './testdata/provider-streams.js';

const WHEN = '{ marks.types: { any_of: [TICKET] } }';
const MASKING = guardedPolicy(masks('mask.call', ['TICKET'], WHEN, 'tool') + masks('mask.text', ['TICKET'], WHEN));

const event = (type: string, more: object): string => frame({ type, ...more }, type);
const text = (delta: string, more: object = {}): string =>
  event('response.output_text.delta', { item_id: 'm', output_index: 0, content_index: 0, delta, ...more });
const args = (delta: string, more: object = {}): string =>
  event('response.function_call_arguments.delta', { item_id: 'f', output_index: 0, delta, ...more });
const item = (id: string, given: string): object => ({
  output_index: 0,
  item: { type: 'function_call', id, call_id: `call_${id}`, name: 'send', arguments: given },
});
const added = (id: string): string => event('response.output_item.added', item(id, ''));
const done = (id: string, given: string): string => event('response.output_item.done', item(id, given));

async function masked(events: readonly string[]): Promise<string> {
  const { text: left } = await guard(MASKING, 'openai.responses', events);
  expect((await whole(MASKING, 'openai.responses', events.join(''))).text).toBe(left);
  return left;
}

describe('a response whose items are named by an index and an id', () => {
  it('has one text per index if each event has another id, as at GitHub Copilot', async () => {
    const given = '{"to":"TK-123"}';
    const calls = [added('a'), args('{"to":"TK', { item_id: 'b' }), args('-123"}', { item_id: 'c' }), done('d', given)];
    const left = await masked([
      ...calls,
      text('so TK', { output_index: 1 }),
      text('-123 ', { output_index: 1, item_id: 'n' }),
    ]);
    expect(left.match(/\[TICKET\]/g)).toHaveLength(3);
    expect(left).not.toMatch(/TK|-123/);
  });

  it('has one text per index whatever other indices an event has', async () => {
    const left = await masked([added('f'), args('{"to":"TK-'), args('123"}', { index: 7 })]);
    expect(left).toContain('[TICKET]');
    expect(left).not.toMatch(/TK-|123/);
  });

  it.each([
    [
      'an id that returns',
      [text('TK-', { item_id: 'a' }), text('x', { item_id: 'b' }), text('123 ', { item_id: 'a' })],
    ],
    ['an event without an id', [text('TK-'), text('x', { item_id: undefined }), text('123 ')]],
    ['an id at two indices', [text('TK-'), text('123 ', { output_index: 1 })]],
    ['an id without an index', [text('TK-'), text('123 ', { output_index: undefined })]],
    ['an id of arguments that returns', [args('{"to":"TK-'), args('x', { item_id: 'g' }), args('123"}')]],
    ['an id of arguments at two indices', [args('{"to":"TK-'), args('123"}', { output_index: 1 })]],
  ])('is not forwarded if clients would join different texts: %s', async (_what, events) => {
    await expect(guard(MASKING, 'openai.responses', events)).rejects.toThrow(JsonSyntaxError);
    await expect(whole(MASKING, 'openai.responses', events.join(''))).rejects.toThrow(JsonSyntaxError);
  });

  it('has a text per id if its events have no index', async () => {
    const at = (item_id: string) => ({ item_id, output_index: undefined });
    const left = await masked([text('so TK-', at('a')), text('other', at('b')), text('123 ', at('a'))]);
    expect(left).toContain('other');
    expect(left).not.toMatch(/TK-|123/);
  });

  it('may have several items with one id, if each ends before the next one', async () => {
    const call = (output_index: number): string[] => [
      event('response.output_item.added', { ...item('f', ''), output_index }),
      args('{"to":"TK', { output_index }),
      args('-123"}', { output_index }),
      event('response.output_item.done', { ...item('f', '{"to":"TK-123"}'), output_index }),
    ];
    const left = await masked([...call(0), ...call(1)]);
    expect(left.match(/\[TICKET\]/g)).toHaveLength(4);
    expect(left).not.toMatch(/TK|-123/);
  });

  it('may have several items with one index, one after the other', async () => {
    const call = (id: string, number: string): string[] => [
      added(id),
      args('{"to":"', { item_id: id }),
      args(`TK-${number}"}`, { item_id: id }),
      done(id, `{"to":"TK-${number}"}`),
    ];
    const left = await masked([...call('a', '123'), ...call('b', '456')]);
    expect(left.match(/\[TICKET\]/g)).toHaveLength(4);
    expect(left).not.toMatch(/TK-/);
  });

  it('may use an id again when its item has ended, even if the event that ends it names it only by its id', async () => {
    const sent = (output_index: number): string[] => [
      event('response.output_item.added', { output_index, item: { id: 'm', type: 'message', content: [] } }),
      text('so TK', { output_index }),
      text('-123 ', { output_index }),
      event('response.output_item.done', { item: { id: 'm', type: 'message' } }),
    ];
    const left = await masked([...sent(0), ...sent(1)]);
    expect(left.match(/\[TICKET\]/g)).toHaveLength(2);
    expect(left).not.toMatch(/TK|-123/);
  });

  it('is not forwarded if an id is used at another index when only another item has ended', async () => {
    const ended = event('response.output_item.done', { item: { id: 'n', type: 'message' } });
    const events = [text('TK-'), ended, text('123 ', { output_index: 1 })];
    await expect(guard(MASKING, 'openai.responses', events)).rejects.toThrow(JsonSyntaxError);
    await expect(whole(MASKING, 'openai.responses', events.join(''))).rejects.toThrow(JsonSyntaxError);
  });
});

describe('a response with several messages at one index', () => {
  const message = (type: string, content: string): string => {
    const parts = content === '' ? [] : [{ type: 'output_text', text: content }];
    return event(`response.output_item.${type}`, {
      output_index: 0,
      item: { id: 'm', type: 'message', content: parts },
    });
  };
  const sent = (content: string): string[] => [message('added', ''), text(content), message('done', content)];

  it('is read as one text, as by clients that go by the index', async () => {
    const { text: left } = await whole(MASKING, 'openai.responses', [...sent('so TK-'), ...sent('123 ')].join(''));
    expect(left).toContain('[TICKET]');
    expect(left).not.toMatch(/"delta":"(?:so TK-|123 )"/);
  });

  it('is also read as one text per message, as by clients that go by the id', async () => {
    const { text: left } = await whole(MASKING, 'openai.responses', [...sent('order A'), ...sent('TK-123 ')].join(''));
    expect(left.match(/\[TICKET\]/g)).toHaveLength(2);
    expect(left).not.toContain('TK-123');
  });

  it('ends a stream that is judged while it is forwarded', async () => {
    const events = [...sent('order A'), ...sent('TK-123 ')];
    await expect(guard(MASKING, 'openai.responses', events)).rejects.toThrow(StreamOrderError);
    const again = [message('added', ''), text('order A'), message('added', ''), text('TK-123 ')];
    await expect(guard(MASKING, 'openai.responses', again)).rejects.toThrow(StreamOrderError);
  });
});
