import fc from 'fast-check';
import { runScan } from '../detection/run-scan.js';
import { maskAll } from '../redaction/plan-redaction.js';
import type { Dialect } from '../model/call.js';
import { assembleStream } from './assemble-stream.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { cut, guard, LIMITS, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(
  masks('mask.all', ['TICKET', 'MAIL', 'PIN'], '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }'),
);
/** Each is found alone, but not if another text is directly before or after it: an adjacent letter or digit makes it another word. */
const SECRETS = ['TK-123', 'TK-4567', 'TK-98765'];

type Place = { readonly dialect: Dialect; readonly event: (text: string, at: number) => string };

const delta = (more: object): string => chunk([{ index: 0, delta: more }]);
const block = (more: object): string =>
  frame({ type: 'content_block_delta', index: 0, delta: more }, 'content_block_delta');
const response = (type: string, more: object): string => frame({ type, item_id: 'm', output_index: 0, ...more }, type);

/** Strings that a dialect sends complete, event by event. */
const WHOLES: Readonly<Record<string, Place>> = {
  'the title of an annotation of a chat': {
    dialect: 'openai.chat',
    event: (title) => delta({ annotations: [{ type: 'url_citation', url_citation: { title } }] }),
  },
  'a citation beside the choices': {
    dialect: 'openai.chat',
    event: (title) => chunk([{ index: 0, delta: {} }], { citations: [title] }),
  },
  'a search result of a chat': {
    dialect: 'openai.chat',
    event: (snippet) => chunk([{ index: 0, delta: {} }], { search_results: [{ snippet }] }),
  },
  'a quoted text of messages': {
    dialect: 'anthropic.messages',
    event: (cited_text) => block({ type: 'citations_delta', citation: { type: 'char_location', cited_text } }),
  },
  'a search result of messages': {
    dialect: 'anthropic.messages',
    event: (title, index) =>
      frame(
        {
          type: 'content_block_start',
          index: index % 2,
          content_block: { type: 'web_search_tool_result', content: [{ title }] },
        },
        'content_block_start',
      ),
  },
  'a stop sequence': {
    dialect: 'anthropic.messages',
    event: (stop_sequence) => frame({ type: 'message_delta', delta: { stop_sequence } }, 'message_delta'),
  },
  'an annotation of responses': {
    dialect: 'openai.responses',
    event: (title) =>
      response('response.output_text.annotation.added', {
        content_index: 0,
        annotation: { type: 'url_citation', title },
      }),
  },
  'an annotation of a part that occurs twice': {
    dialect: 'openai.responses',
    event: (title) =>
      response('response.content_part.done', {
        content_index: 0,
        part: { type: 'output_text', text: 'It is so.', annotations: [{ title }] },
      }),
  },
  'a file search result of responses': {
    dialect: 'openai.responses',
    event: (text) =>
      response('response.output_item.done', {
        output_index: 7,
        item: { type: 'file_search_call', id: 'fs_1', queries: [], results: [{ attributes: { text } }] },
      }),
  },
  'an annotation of a thread': {
    dialect: 'generic',
    event: (text) =>
      frame(
        { id: 'msg_1', delta: { content: [{ index: 0, text: { annotations: [{ index: 0, text }] } }] } },
        'thread.message.delta',
      ),
  },
  'the name of a tool that a chat repeats': {
    dialect: 'openai.chat',
    event: (name) => delta({ tool_calls: [{ index: 0, function: { name } }] }),
  },
  'an unknown field': { dialect: 'openai.chat', event: (novel) => delta({ novel }) },
  'an unknown field of responses': {
    dialect: 'openai.responses',
    event: (novel) => response('response.output_text.delta', { content_index: 0, delta: '', novel: [novel] }),
  },
  'an unknown event': { dialect: 'generic', event: (text) => frame({ novel: { list: [text] } }) },
  'an event that is not JSON': { dialect: 'generic', event: (text) => `data: ${text}\n\n` },
};
/** Strings that further events continue or may continue. */
const PIECES: Readonly<Record<string, Place>> = {
  'content of a chat': { dialect: 'openai.chat', event: (content) => delta({ content }) },
  'reasoning of a chat': { dialect: 'openai.chat', event: (reasoning) => delta({ reasoning }) },
  'content of a chat, as strings and as parts in turn': {
    dialect: 'openai.chat',
    event: (text, at) => delta({ content: at % 2 === 0 ? text : [{ type: 'text', text }] }),
  },
  'the transcript of a recording': { dialect: 'openai.chat', event: (transcript) => delta({ audio: { transcript } }) },
  'a reasoning detail': {
    dialect: 'openai.chat',
    event: (text) => delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, text }] }),
  },
  'text of messages': { dialect: 'anthropic.messages', event: (text) => block({ type: 'text_delta', text }) },
  'text of responses': {
    dialect: 'openai.responses',
    event: (text) => response('response.output_text.delta', { content_index: 0, delta: text }),
  },
  'a recording of responses': {
    dialect: 'openai.responses',
    event: (text) => response('response.audio.transcript.delta', { delta: text }),
  },
  'a message of a thread': {
    dialect: 'generic',
    event: (value) =>
      frame({ id: 'msg_1', delta: { content: [{ index: 0, type: 'text', text: { value } }] } }, 'thread.message.delta'),
  },
  'a part of a candidate in an envelope': {
    dialect: 'generic',
    event: (text) => frame({ response: { candidates: [{ content: { parts: [{ text }] } }] } }),
  },
  'a text in an envelope of an unknown provider': {
    dialect: 'generic',
    event: (text) => frame({ response: { text } }),
  },
  'a part of a candidate': {
    dialect: 'generic',
    event: (text) => frame({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
  },
  'an unknown field': WHOLES['an unknown field']!,
  'an unknown field of responses': WHOLES['an unknown field of responses']!,
  'an unknown event': WHOLES['an unknown event']!,
  'an event of an older vendor': {
    dialect: 'generic',
    event: (completion) => frame({ type: 'completion', completion }),
  },
};

async function stored(dialect: Dialect, stream: string): Promise<string> {
  const { call, edited } = assembleStream(dialect, stream);
  const outcomes = await runScan(MASKING.detectors, call.segments, LIMITS);
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return edited(maskAll(findings, call.segments));
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe.each(Object.entries(WHOLES))('%s', (_what, { dialect, event }) => {
  it('is a separate text: two consecutive secrets are masked in the answer and in the log', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...SECRETS), { minLength: 1, maxLength: 4 }),
        cuts,
        async (secrets, places) => {
          const stream = secrets.map(event).join('');
          const { text: left, blocked } = await guard(MASKING, dialect, cut(stream, places));
          expect(blocked).toBe(false);
          const texts = [left, (await whole(MASKING, dialect, stream)).text, await stored(dialect, stream)];
          for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe.each(Object.entries(PIECES))('%s', (_what, { dialect, event }) => {
  it('continues in the next event: a secret in pieces is masked, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SECRETS), cuts, cuts, async (secret, inText, inStream) => {
        const stream = cut(`It is ${secret}.`, inText).map(event).join('');
        const { text: left } = await guard(MASKING, dialect, cut(stream, inStream));
        for (const text of [left, (await whole(MASKING, dialect, stream)).text, await stored(dialect, stream)]) {
          const read = assembleStream(dialect, text).call.segments.map((segment) => segment.text);
          expect(read.join('\n')).not.toContain(secret);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('texts in an envelope with the name of a member that another provider repeats', () => {
  it.each<[string, (text: string) => object]>([
    ['candidates', (text) => ({ response: { candidates: [{ content: { parts: [{ text }] } }] } })],
    ['a text', (text) => ({ response: { text } })],
  ])('continue in the next event for a client that joins them: %s', async (_what, event) => {
    for (const secret of SECRETS) {
      const stream = ['It is ', secret.slice(0, 5), secret.slice(5), '.'].map((text) => frame(event(text))).join('');
      const { text: left } = await guard(MASKING, 'generic', [stream]);
      const joined = [...left.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text).join('');
      expect(joined).not.toContain(secret);
    }
  });
});

describe('pieces of a text that may be separate texts', () => {
  it.each<[string, string]>([
    ['in one event', frame({ candidates: [{ content: { parts: [{ text: 'TK-98765' }, { text: '432 more' }] } }] })],
    ['in two lines of data', 'data: {"type":"x","text":"TK-98765"}\ndata: {"type":"x","text":"432 more"}\n\n'],
  ])('are read separately if they arrive at once: %s', async (_where, stream) => {
    const { text: left } = await guard(MASKING, 'generic', [stream]);
    for (const text of [left, (await whole(MASKING, 'generic', stream)).text, await stored('generic', stream)])
      expect(text).not.toContain('TK-98765');
    expect(left).toContain('432 more');
  });
});

describe('texts of parts of a candidate, with another part before and after them', () => {
  const entry = (...parts: object[]): string => frame({ candidates: [{ index: 0, content: { parts } }] });
  const OTHERS: Readonly<Record<string, object>> = {
    'a function call': { functionCall: { name: 'f', args: {} } },
    'a thought': { text: 'Hm. ', thought: true },
    'an image': { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    'a part without members': {},
  };

  it.each(Object.entries(OTHERS))('are also read together: %s', async (_what, other) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SECRETS), cuts, cuts, fc.boolean(), async (secret, inText, places, isOne) => {
        // No reading of the whole text finds the secret: a letter is directly before it.
        const texts = cut(secret, inText).map((text) => ({ text }));
        const parts = [{ text: 'a word' }, other, ...texts, other, { text: 'more. ' }];
        const stream = isOne ? entry(...parts) : parts.map((part) => entry(part)).join('');
        const { text: left, blocked } = await guard(MASKING, 'generic', cut(stream, places));
        expect(blocked).toBe(false);
        expect(left).toBe((await whole(MASKING, 'generic', stream)).text);
        for (const text of [left, await stored('generic', stream)]) {
          const joined = [...text.matchAll(/"text":"([^"]*)"/g)].map(([, each]) => each).join('');
          expect(joined).not.toContain(secret);
          expect(joined).toContain('more. ');
        }
      }),
      { numRuns: 25 },
    );
  });
});

/** All strings, except that a citation takes the place of the stop sequence: an answer does not continue after its end. */
const OF_RUNNING_STREAMS = [
  ...Object.values({ ...WHOLES, 'a stop sequence': WHOLES['a citation beside the choices']! }),
  ...Object.values(PIECES),
];

describe('texts of several kinds in one stream', () => {
  it('stay separate, whatever the order of the events and the cuts', async () => {
    const events = fc.array(fc.tuple(fc.constantFrom(...OF_RUNNING_STREAMS), fc.constantFrom(...SECRETS)), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(events, cuts, async (parts, places) => {
        const stream = parts.map(([{ event }, secret], at) => event(` ${secret} `, at)).join('');
        const expected = await whole(MASKING, 'generic', stream);
        const { text: left } = await guard(MASKING, 'generic', cut(stream, places));
        expect(left).toBe(expected.text);
        for (const secret of SECRETS) expect(`${left}${await stored('generic', stream)}`).not.toContain(secret);
      }),
      { numRuns: Number(process.env['WEIR_TEST_STREAMS'] ?? 150) },
    );
  });
});
