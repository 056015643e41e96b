import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));

/** Events with a text and the id by which clients join texts. */
const EVENTS: Readonly<Record<string, (id: string, text: string) => string>> = {
  'the AI SDK': (id, delta) => frame({ type: 'text-delta', id, delta }),
  'AG-UI': (messageId, delta) => frame({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }),
  'AG-UI about reasoning': (messageId, delta) => frame({ type: 'REASONING_MESSAGE_CHUNK', messageId, delta }),
  CopilotKit: (messageId, content) => frame({ type: 'TextMessageContent', messageId, content }),
};

describe.each(Object.entries(EVENTS))('texts with ids in events of %s', (_whose, event) => {
  it.each([
    ['are read by their ids', [event('a', 'No. 7'), event('b', 'TK-'), event('b', '123'), event('c', '45678 left')]],
    ['are also read together, for clients that ignore ids', [event('a', 'so TK-'), event('b', '123 left')]],
  ])('%s', async (_how, events) => {
    const streamed = await guard(MASKING, 'generic', events);
    expect(streamed.blocked).toBe(false);
    for (const { text } of [streamed, await whole(MASKING, 'generic', events.join(''))]) {
      expect(text).toContain('[TICKET]');
      expect(text).not.toMatch(/TK-|123/);
      expect(text).toContain('left');
    }
  });
});
