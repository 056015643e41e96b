/**
 * A stream with signed reasoning, split into two chunks at every byte: the position has no effect on the client or the log.
 * `WEIR_TEST_SIGNED_CUTS` is the number of evenly spread positions that are tried; `all` tries every position.
 */
import { appWithUpstream } from '../support/app-with-upstream.js';
import { recordedAnswer } from '../support/recorded-answer.js';
import { testPolicy } from '../support/test-app.js';

const CUTS = process.env['WEIR_TEST_SIGNED_CUTS'] ?? '24';

const frame = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const delta = (index: number, value: object): string => frame('content_block_delta', { index, delta: value });
const streamOf = (thought: string): string =>
  [
    frame('message_start', { message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3 } } }),
    frame('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    delta(0, { type: 'thinking_delta', thinking: `Grüße 🎈: ${thought}` }),
    delta(0, { type: 'thinking_delta', thinking: ' and so on' }),
    delta(0, { type: 'signature_delta', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk' }),
    frame('content_block_stop', { index: 0 }),
    frame('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
    delta(1, { type: 'text_delta', text: 'Write to ma' }),
    delta(1, { type: 'text_delta', text: 'il-7 today' }),
    frame('content_block_stop', { index: 1 }),
    frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }),
    frame('message_stop', {}),
  ].join('');

describe('a stream with signed reasoning', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'production/policy.yaml': testPolicy('production', 'content: redacted'),
      'staging/policy.yaml': testPolicy('staging', 'content: redacted\nunmaskable: { signed: flag }'),
      'development/policy.yaml': testPolicy('development', 'content: redacted'),
    },
  });
  let requests = 0;

  /** The output for the client and the log entry, without values that differ between calls. */
  async function outcome(bytes: Buffer, cut: number, environment: 'production' | 'staging') {
    upstream().answer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (cut > 0) await new Promise<void>((next) => response.write(bytes.subarray(0, cut), () => next()));
      // The first chunk has been read before the second one is sent.
      await new Promise((next) => setImmediate(next));
      response.end(bytes.subarray(cut));
    });
    const id = `signed-${requests++}`;
    const answer = await fetch(`${app().url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[environment],
        'content-type': 'application/json',
        'x-request-id': id,
      },
      body: JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'x' }] }),
    });
    const client = (await answer.text()).replaceAll(id, '[id]').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '[uuid]');
    const { payload, violations, redactions, decision, usage } = await recordedAnswer(app(), id);
    return { client, log: JSON.stringify({ payload, violations, redactions, decision, usage }) };
  }

  function cutsOf(bytes: Buffer): number[] {
    const count = CUTS === 'all' ? bytes.length : Math.min(bytes.length, Number(CUTS));
    return Array.from({ length: count }, (_, index) => Math.floor((index * bytes.length) / count));
  }

  it.each([
    ['harmless', 'staging', 'harmless'],
    ['with a finding that the policy only flags', 'staging', 'to mail-41'],
    ['with a finding that is refused', 'production', 'to mail-41'],
  ] as const)(
    `is the same for the client and in the log wherever it is split: %s (WEIR_TEST_SIGNED_CUTS=${CUTS})`,
    async (_what, environment, thought) => {
      const stream = streamOf(thought);
      const bytes = Buffer.from(stream);
      const whole = await outcome(bytes, 0, environment);
      expect(whole.client).not.toContain('mail-7');
      expect(whole.log).not.toMatch(/mail-(?:7|41)/);
      // The signed block is forwarded byte for byte, or not at all.
      const block = stream.slice(
        stream.indexOf('event: content_block_start'),
        stream.indexOf('event: content_block_stop'),
      );
      expect(whole.client.includes(block)).toBe(environment === 'staging');
      expect(whole.client.includes('mail-41')).toBe(environment === 'staging' && thought !== 'harmless');
      for (const cut of cutsOf(bytes))
        expect({ cut, ...(await outcome(bytes, cut, environment)) }).toEqual({ cut, ...whole });
    },
    600_000,
  );
});
