import { docxOf, pdfOf } from '../support/documents.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { recordedAnswer } from '../support/recorded-answer.js';
import { testPolicy } from '../support/test-app.js';

const BLOCKS = `
  - id: words.block-answer
    title: Number words do not come back
    stage: post
    severity: critical
    when: { all: [ { words.types: { any_of: [SSN] } } ] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`;
const policy = (environment: string, unread: string): string =>
  testPolicy(environment, `content: redacted\nunread: { governed: ${unread} }`) + BLOCKS;

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const pdf = (text: string): Buffer => pdfOf({ pages: [['x'], [text]], packed: true });
const noise = Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 7919 + (at >> 3) * 131 + 7) % 256));
/** A broken file with the signature of a PDF. */
const broken = Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]);

type Frames = readonly string[];
const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const say = (content: string): string => frame({ choices: [{ index: 0, delta: { content } }] });
const END = [frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }), 'data: [DONE]\n\n'];

/** Streams with a file in each place where answers of the dialects contain files. */
const PLACES: Readonly<Record<string, (bytes: Buffer) => Frames>> = {
  'a part of a delta': (bytes) => [
    say('before '),
    frame({ choices: [{ index: 0, delta: { content: [{ type: 'file', file: { file_data: base64(bytes) } }] } }] }),
    say('behind'),
    ...END,
  ],
  'a data URL': (bytes) => [
    say('before '),
    frame({ choices: [{ index: 0, delta: { images: [{ image_url: { url: `data:image/png;base64,${base64(bytes)}` } }] } }] }),
    say('behind'),
    ...END,
  ],
  'inline data': (bytes) => [
    frame({ candidates: [{ content: { parts: [{ text: 'before ' }] } }] }),
    frame({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: base64(bytes) } }] } }] }),
    frame({ candidates: [{ content: { parts: [{ text: 'behind' }] }, finishReason: 'STOP' }] }),
  ],
  'an output of a tool': (bytes) => [
    frame({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'before ' }),
    frame({ type: 'response.output_item.done', output_index: 1, item: { type: 'code_interpreter_call', id: 'c', outputs: [{ type: 'file', data: base64(bytes) }] } }),
    frame({ type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } }),
  ],
  'an unknown field': (bytes) => [say('before '), frame({ choices: [], anything: { deep: [base64(bytes)] } }), say('behind'), ...END],
}; // prettier-ignore

describe('documents in streamed answers', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'production/policy.yaml': policy('production', 'refuse'),
      'staging/policy.yaml': policy('staging', 'flag'),
      'development/policy.yaml': testPolicy('development', 'content: redacted')
        .replace(/stage: (?:post|tool)/g, 'stage: pre')
        .replace(/ {2}- id: tool\.block-shell[\s\S]*?on_unknown: match\n/, ''),
    },
  });
  let requests = 0;

  async function stream(frames: Frames, environment: 'production' | 'staging' | 'development' = 'production') {
    upstream().answerSse(frames);
    const id = `streamed-${requests++}`;
    const response = await fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[environment],
        'content-type': 'application/json',
        'x-request-id': id,
      },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] }),
    });
    const text = await response.text();
    const event = await recordedAnswer(app(), id);
    return {
      text,
      unread: event['unread'],
      rules: (event['violations'] as { rule: string }[]).map(({ rule }) => rule),
    };
  }

  describe.each(Object.entries(PLACES))('in %s', (_place, framesOf) => {
    it('are never forwarded if a rule blocks their text, and later chunks are not forwarded either', async () => {
      for (const bytes of [pdf('call ssn-1'), docxOf({ paragraphs: [['call ssn-1']] })]) {
        const { text, rules } = await stream(framesOf(bytes));
        expect(text).not.toContain(base64(bytes));
        expect(text).not.toContain('behind');
        expect(text).toContain('content_policy_violation');
        expect(rules).toContain('words.block-answer');
      }
    });

    it('are never forwarded if a rule would mask their text, which cannot be masked in a document', async () => {
      const bytes = pdf('to mail-1');
      const { text, rules } = await stream(framesOf(bytes));
      expect(text).not.toContain(base64(bytes));
      expect(rules).toContain('words.redact-answer');
    });

    it('are forwarded unchanged if they contain no finding', async () => {
      const frames = framesOf(pdf('hello'));
      expect((await stream(frames)).text).toBe(frames.join(''));
    });

    it('are handled according to `unread` if they are unreadable', async () => {
      const frames = framesOf(broken);
      const refused = await stream(frames);
      expect(refused.text).not.toContain(base64(broken));
      expect(refused.rules).toEqual(['unread']);
      const flagged = await stream(frames, 'staging');
      expect([flagged.text, flagged.rules]).toEqual([frames.join(''), ['unread']]);
    });

    it('are listed as unread if no rule judges answers', async () => {
      const frames = framesOf(broken);
      const passed = await stream(frames, 'development');
      expect([passed.text, passed.unread]).toEqual([frames.join(''), [expect.objectContaining({ why: 'malformed' })]]);
    });
  });

  it('that are split over chunks are read as a client assembles them', async () => {
    const bytes = pdf('call ssn-1');
    const pieces = base64(bytes).match(/.{1,200}/g)!;
    const frames = [...pieces.map((data) => frame({ choices: [{ index: 0, delta: { file: { data } } }] })), ...END];
    const { text } = await stream(frames);
    expect(text.includes(pieces.at(-1)!)).toBe(false);
  });

  it('do not include audio, whose chunks are not recognized: it is forwarded and listed as unread', async () => {
    const pieces = [0, 1, 2].map((part) => base64(noise.subarray(part * 900, part * 900 + 900)));
    const frames = [...pieces.map((data) => frame({ choices: [{ index: 0, delta: { audio: { data } } }] })), ...END];
    const { text, unread } = await stream(frames);
    expect(text).toBe(frames.join(''));
    expect(unread).toEqual([expect.objectContaining({ why: 'binary', bytes: 2_700 })]);
  });
});
