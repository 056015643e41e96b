import fc from 'fast-check';
import type { Dialect } from '../model/call.js';
import { runScan } from '../detection/run-scan.js';
import type { TextEdit } from '../text/edit.js';
import { applyEdits } from '../text/edit.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import { assembleStream } from './assemble-stream.js';
import { editsWithin } from './channels.js';
import { cut, guard, LIMITS, whole } from './testdata/guarding.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(
  masks('mask.all', ['TICKET', 'MAIL', 'PIN'], '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }'),
);
const PARTS = ['TK-123', 'TK-', 'K', '45', '6', 'ab@cd', '@', 'a', 'pin ', '1234', ' ', '. ', '"', '\\', 'é', 'The '];

/** An event about a text. If a string of the event repeats the beginning of the text, `repeats` finds it and has its length. */
interface Told {
  readonly event: string;
  readonly repeats?: { readonly length: number; readonly find: (data: never) => string };
}

interface Chunk {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}
const ofMessage = (data: Chunk): string => data.choices[0]!.message.content;

function chat(pieces: readonly string[], told: (at: number) => number, deltaFirst: boolean): Told[] {
  return pieces.map((content, at) => {
    const so = pieces.slice(0, told(at)).join('');
    const delta = { delta: { content } };
    const message = { message: { role: 'assistant', content: so } };
    const choice = { index: 0, ...(deltaFirst ? { ...delta, ...message } : { ...message, ...delta }) };
    return { event: chunk([choice]), repeats: { length: so.length, find: ofMessage } };
  });
}

function onlyMessages(pieces: readonly string[]): Told[] {
  return pieces.map((_, at) => {
    const content = pieces.slice(0, at + 1).join('');
    const event = chunk([{ index: 0, message: { role: 'assistant', content } }]);
    return { event, repeats: { length: content.length, find: ofMessage } };
  });
}

interface Part {
  readonly text: string;
}
interface Item {
  readonly content: readonly Part[];
}

/** https://platform.openai.com/docs/api-reference/responses-streaming, with a part that begins with text. */
function responses(pieces: readonly string[]): Told[] {
  const text = pieces.join('');
  const first = pieces[0] ?? '';
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const part = (value: string): object => ({ type: 'output_text', text: value, annotations: [] });
  const item = (value: string): object => ({ type: 'message', id: 'msg_1', role: 'assistant', content: [part(value)] });
  const event = (type: string, more: object): string => frame({ type, ...more }, type);
  const all = text.length;
  return [
    {
      event: event('response.content_part.added', { ...at, part: part(first) }),
      repeats: { length: first.length, find: (data: { part: Part }) => data.part.text },
    },
    ...pieces.slice(1).map((delta) => ({ event: event('response.output_text.delta', { ...at, delta }) })),
    {
      event: event('response.in_progress', { response: { output: [item(text)] } }),
      repeats: {
        length: all,
        find: (data: { response: { output: Item[] } }) => data.response.output[0]!.content[0]!.text,
      },
    },
    {
      event: event('response.output_text.done', { ...at, text }),
      repeats: { length: all, find: (data: Part) => data.text },
    },
    {
      event: event('response.content_part.done', { ...at, part: part(text) }),
      repeats: { length: all, find: (data: { part: Part }) => data.part.text },
    },
    {
      event: event('response.output_item.done', { output_index: 0, item: item(text) }),
      repeats: { length: all, find: (data: { item: Item }) => data.item.content[0]!.text },
    },
    {
      event: event('response.completed', { response: { output: [item(text)] } }),
      repeats: {
        length: all,
        find: (data: { response: { output: Item[] } }) => data.response.output[0]!.content[0]!.text,
      },
    },
  ];
}

function block(pieces: readonly string[]): Told[] {
  const event = (type: string, more: object): string => frame({ type, index: 0, ...more }, type);
  const first = pieces[0] ?? '';
  return [
    {
      event: event('content_block_start', { content_block: { type: 'text', text: first } }),
      repeats: { length: first.length, find: (data: { content_block: Part }) => data.content_block.text },
    },
    ...pieces.slice(1).map((text) => ({
      event: event('content_block_delta', { delta: { type: 'text_delta', text } }),
    })),
    { event: event('content_block_stop', {}) },
  ];
}

const STREAMS: Record<string, { dialect: Dialect; tell: (pieces: string[]) => Told[] }> = {
  'a message beside each delta': { dialect: 'openai.chat', tell: (pieces) => chat(pieces, (at) => at + 1, true) },
  'a message before each delta': { dialect: 'openai.chat', tell: (pieces) => chat(pieces, (at) => at + 1, false) },
  'a message that lags behind': { dialect: 'openai.chat', tell: (pieces) => chat(pieces, (at) => at, true) },
  'a message that is ahead': { dialect: 'openai.chat', tell: (pieces) => chat(pieces, (at) => at + 2, true) },
  'messages without deltas': { dialect: 'openai.chat', tell: onlyMessages },
  'all events of a response': { dialect: 'openai.responses', tell: responses },
  'a block that begins with text': { dialect: 'anthropic.messages', tell: block },
};

const pieces = fc
  .tuple(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 14 }), fc.array(fc.nat(), { maxLength: 10 }))
  .map(([parts, places]) => cut(parts.join(''), places));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe('messages of a choice that do not continue each other', () => {
  const message = (content: string): string => chunk([{ index: 0, message: { role: 'assistant', content } }]);

  it.each([
    ['of which the second is complete', ['Order 7', 'TK-123 and more. ']],
    ['of which the second grows with both', ['Order 7', 'TK-12', 'Order 7TK-123 and more. ']],
    ['of which the last ends the stream', ['Order 7', 'and 8', 'TK-123']],
  ])('are each read alone before they are forwarded: %s', async (_what, contents) => {
    const stream = contents.map(message).join('');
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const { text } = await guard(MASKING, 'openai.chat', cut(stream, places));
        expect(text).not.toMatch(/TK-12/);
        expect(text).toContain('[TICKET]');
        expect(text).toBe((await whole(MASKING, 'openai.chat', stream)).text);
      }),
      { numRuns: 20 },
    );
  });

  it('are masked even if a delta continues both', async () => {
    const events = [message('Order 7'), message('TK-123'), chunk([{ index: 0, delta: { content: 'Order 7TK-123' } }])];
    const { text } = await guard(MASKING, 'openai.chat', events);
    expect(text.split('\n\n')[1]).toContain('[TICKET]');
  });
});

async function editsOf(text: string): Promise<TextEdit[]> {
  const segments = [{ path: '', role: 'assistant' as const, text, ref: 0, key: 'content' }];
  const [outcome] = await runScan(MASKING.detectors, segments, LIMITS);
  if (outcome?.status !== 'scanned') throw new Error('the scan failed');
  const findings = outcome.findings.filter(({ code }) => code !== 'STOP');
  const targets = findings.map(({ detector, code }) => ({ detector, code }));
  return planRedaction({ specs: [{ targets, with: '[{type}]' }], findings, segments }).edits;
}

/** The strings with which the events repeat parts of the text. */
function repeated(told: readonly Told[], left: string): (string | undefined)[] {
  const events = left.match(/[^]+?\n\n/g) ?? [];
  expect(events).toHaveLength(told.length);
  return told.map(({ repeats }, at) => {
    const data = JSON.parse(/^data: (.*)$/m.exec(events[at]!)![1]!) as never;
    return repeats?.find(data);
  });
}

describe.each(Object.entries(STREAMS))('a stream with %s', (_what, { dialect, tell }) => {
  it('has repeated texts masked in the same way as the original texts', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, cuts, async (parts, places) => {
        const told = tell(parts);
        const text = parts.join('');
        const edits = await editsOf(text);
        const expected = told.map(
          ({ repeats }) => repeats && applyEdits(text.slice(0, repeats.length), editsWithin(edits, 0, repeats.length)),
        );
        const stream = told.map(({ event }) => event).join('');
        const { text: left, blocked } = await guard(MASKING, dialect, cut(stream, places));
        expect(blocked).toBe(false);
        expect(repeated(told, left)).toEqual(expected);
        const assembled = assembleStream(dialect, stream);
        const segment = assembled.call.segments.findIndex((each) => each.text === text);
        expect(repeated(told, assembled.edited(edits.map((edit) => ({ ...edit, segment }))))).toEqual(expected);
        expect(assembled.call.segments.filter((each) => each.text === text)).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
  });
});

it('a text that equals an earlier one, which then goes on, is masked by itself', async () => {
  const events = [
    frame({ event: 'message', answer: 'TK-12' }),
    frame({ event: 'message', answer: '345' }),
    frame({ event: 'workflow_finished', outputs: { answer: 'TK-12345' } }),
    frame({ event: 'message', answer: '6' }),
  ];
  for (const { text } of [await guard(MASKING, 'generic', events), await whole(MASKING, 'generic', events.join(''))]) {
    expect(text).not.toContain('TK-12345');
    expect(text).toContain('[TICKET]');
  }
});
