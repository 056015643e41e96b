import { StreamOrderError } from './stream-order-error.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const event = (type: string, more: object): string => frame({ type, ...more }, type);
const message = event('message_start', { message: { id: 'm', role: 'assistant', content: [] } });
const start = (text: string): string =>
  event('content_block_start', { index: 0, content_block: { type: 'text', text } });
const delta = (text: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

/** Streams in which a client that begins a new text shows a ticket, and a client that joins the texts shows none. */
const AGAIN: Readonly<Record<string, string[]>> = {
  'a block': [message, start('Order 7'), delta('A'), start('TK-123'), delta(' is here.')],
  'a block, directly after its beginning,': [message, start('Order 7A'), start('TK-123'), delta(' is here.')],
  'a message': [message, start('Order 7'), delta('A'), message, delta('TK-123'), delta(' is here.')],
  'a message and its block': [message, start('Order 7'), message, start('TK-123 is here.')],
};

describe.each(Object.entries(AGAIN))('%s that begins again before it is complete', (_what, events) => {
  it('ends a stream that is judged while it is forwarded', async () => {
    await expect(guard(MASKING, 'anthropic.messages', events)).rejects.toThrow(StreamOrderError);
  });

  it('is also read from its last beginning in an answer that is judged as a whole', async () => {
    const { text } = await whole(MASKING, 'anthropic.messages', events.join(''));
    expect(text).not.toContain('TK-123');
    expect(text).toContain('[TICKET]');
  });
});

it('a block that begins again is also read together with its text before', async () => {
  const events = [message, start('TK-'), start(''), delta('123 is here.')];
  const { text } = await whole(MASKING, 'anthropic.messages', events.join(''));
  expect(text).not.toMatch(/TK-|123/);
});

it('blocks that begin once are forwarded unchanged', async () => {
  const second = event('content_block_start', { index: 1, content_block: { type: 'text', text: 'So.' } });
  const events = [message, start(''), delta('Well. '), event('content_block_stop', { index: 0 }), second];
  expect((await guard(MASKING, 'anthropic.messages', events)).text).toBe(events.join(''));
});
