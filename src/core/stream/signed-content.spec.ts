import { withRestored } from '../redaction/restore.js';
import { assembleStream } from './assemble-stream.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard } from './testdata/guarding.js';
import { frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const SECRET = 'It is TK-123. ';

const block = (delta: object): string => frame({ type: 'content_block_delta', index: 0, delta }, 'content_block_delta');
const stop = frame({ type: 'content_block_stop', index: 0 }, 'content_block_stop');
const item = (type: string, more: object): string =>
  frame({ type, output_index: 0, item: { type: 'reasoning', id: 'rs_1', ...more } }, type);
const summary = (delta: string): string =>
  frame(
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 0, delta },
    'response.reasoning_summary_text.delta',
  );
const full = { summary: [{ type: 'summary_text', text: SECRET }] };

const part = (one: object): string => frame({ candidates: [{ index: 0, content: { role: 'model', parts: [one] } }] });
const detail = (one: object): string =>
  frame({ choices: [{ index: 0, delta: { reasoning_details: [{ type: 'reasoning.text', index: 0, ...one }] } }] });
const bedrock = (reasoningContent: object): string =>
  frame({ contentBlockIndex: 0, delta: { reasoningContent } }, 'contentBlockDelta');

const SIGNED: Readonly<Record<string, string>> = {
  'thinking of messages, whose signature follows':
    block({ type: 'thinking_delta', thinking: SECRET }) +
    block({ type: 'signature_delta', signature: 'EqQBCgIYAhIM' }) +
    stop,
  'thinking of messages without its end': block({ type: 'thinking_delta', thinking: SECRET }),
  'a summary of responses with its encrypted content':
    item('response.output_item.added', { summary: [] }) +
    summary(SECRET) +
    item('response.output_item.done', { ...full, encrypted_content: 'gAAAAAB' }),
  'a signed part of Gemini': frame({
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text: SECRET, thought: true, thoughtSignature: 'Cs0B' }] } },
    ],
  }),
  'reasoning of a router, whose signature follows':
    detail({ text: SECRET }) + detail({ signature: 'EqQBCgIYAhIM' }) + 'data: [DONE]\n\n',
  'reasoning of Bedrock, whose signature follows':
    bedrock({ text: SECRET }) +
    bedrock({ signature: 'EqQBCgIYAhIM' }) +
    frame({ contentBlockIndex: 0 }, 'contentBlockStop') +
    frame({ stopReason: 'end_turn' }, 'messageStop'),
  'the arguments of a call of Gemini': frame({
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [{ functionCall: { name: 'send', args: { to: SECRET } }, thoughtSignature: 'Cs0B' }],
        },
      },
    ],
  }),
};

describe('signed content of a stream', () => {
  it.each(Object.entries(SIGNED))('is blocked instead of masked: %s', async (_what, stream) => {
    const { text, blocked } = await guard(MASKING, 'generic', [...stream]);
    expect(blocked).toBe(true);
    expect(text).not.toContain('TICKET');
    const signed = assembleStream('generic', stream).call.segments.filter((each) => each.text.includes('TK-123'));
    expect(signed.map((each) => each.signed)).toEqual(signed.map(() => true));
    expect(signed.length).toBeGreaterThan(0);
  });

  it.each(Object.entries(SIGNED))('is forwarded unchanged if the policy says so: %s', async (_what, stream) => {
    const unmaskable = { ...MASKING.policy.unmaskable, signed: 'flag' as const };
    const sparing = { ...MASKING, policy: { ...MASKING.policy, unmaskable } };
    expect(await guard(sparing, 'generic', [...stream])).toMatchObject({ text: stream, blocked: false });
  });

  it('is forwarded unchanged if nothing would be masked', async () => {
    for (const stream of Object.values(SIGNED)) {
      const harmless = stream.replaceAll('TK-123', 'harmless');
      expect(await guard(MASKING, 'generic', [...harmless])).toMatchObject({ text: harmless, blocked: false });
    }
  });

  it('does not include a summary in a response without a signature, which waits for its end and is masked', async () => {
    const stream =
      item('response.output_item.added', { summary: [] }) + summary(SECRET) + item('response.output_item.done', full);
    const { text, blocked } = await guard(MASKING, 'openai.responses', [...stream]);
    expect(blocked).toBe(false);
    expect(text).not.toContain('TK-123');
  });

  it.each([
    ['a thought', { text: SECRET, thought: true }, { text: '', thought: true, thoughtSignature: 'Cs0B' }],
    ['a text', { text: SECRET }, { text: '', thoughtSignature: 'Cs0B' }],
  ])('is masked if the signature is in a separate, empty part: %s of Gemini', async (_what, first, second) => {
    const parts = [part(first), part(second)];
    const { text, blocked } = await guard(MASKING, 'generic', parts);
    expect([blocked, text.includes('TK-123'), text.includes('Cs0B')]).toEqual([false, false, true]);
    const { segments } = assembleStream('generic', parts.join('')).call;
    expect(segments.some(({ text: value, signed }) => value === SECRET && signed === true)).toBe(false);
  });

  it('has no value restored', () => {
    const segments = assembleStream('anthropic.messages', SIGNED['thinking of messages without its end']!).call
      .segments;
    expect(withRestored(segments, new Map([['TK-123', 'x']]), [])).toEqual([]);
  });
});
