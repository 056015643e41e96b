import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard } from './testdata/guarding.js';
import { frame } from './testdata/provider-streams.js';

const event = (type: string, more: object): string => frame({ type, output_index: 0, ...more }, type);
const FOUND = '{ marks.types: { any_of: [TICKET] } }';
const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], FOUND));
const BLOCKING = guardedPolicy(`  - id: block.tool
    stage: tool
    when: ${FOUND}
    then: { action: block }
    on_unknown: match
`);

/** A stream of responses with `starting_after`: its first event continues the texts of an earlier stream. */
describe('a stream that is resumed in its middle', () => {
  it('is masked where an event repeats the whole text', async () => {
    const part = { item_id: 'm', content_index: 0 };
    const stream =
      event('response.output_text.delta', { ...part, delta: ' is here.' }) +
      event('response.output_text.done', { ...part, text: 'TK-4567 is here.' });
    const { text } = await guard(MASKING, 'openai.responses', [stream]);
    expect(text).toContain('"text":"[TICKET] is here."');
    expect(text).not.toContain('TK-4567');
  });

  it('does not forward the end of a tool call whose finished form a rule refuses', async () => {
    const done = { type: 'function_call', id: 'f', call_id: 'c', name: 'send', arguments: '{"to":"TK-4567"}' };
    const stream =
      event('response.function_call_arguments.delta', { item_id: 'f', delta: '567"}' }) +
      event('response.output_item.done', { item: done });
    const { text, blocked } = await guard(BLOCKING, 'openai.responses', [stream]);
    expect(blocked).toBe(true);
    expect(text).not.toContain('TK-4567');
  });
});
