import fc from 'fast-check';
import type { Dialect } from '../model/call.js';
import { runScan } from '../detection/run-scan.js';
import type { TextEdit } from '../text/edit.js';
import { mergeEdits } from '../json/splice.js';
import { applyEdits } from '../text/edit.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import { assembleStream } from './assemble-stream.js';
import { editsWithin } from './edits-within.js';
import { cut, guard, LIMITS, whole } from './testdata/guarding.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(
  masks('mask.all', ['TICKET', 'MAIL', 'PIN'], '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }'),
);
const PARTS = ['TK-123', 'TK-', 'K', '45', '6', 'ab@cd', '@', 'a', 'pin ', '1234', ' ', '. ', '"', '\\', 'é', 'The '];

/**
 * An event about a text. If a string of the event repeats the beginning of the text, `repeats` finds it and has its length; `isShort` is true
 * if the string is shorter than the text so far, so that it is also judged by itself.
 */
interface StatedPiece {
  readonly event: string;
  readonly repeats?: { readonly length: number; readonly find: (data: never) => string; readonly isShort?: boolean };
}

interface Chunk {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}
const ofMessage = (data: Chunk): string => data.choices[0]!.message.content;

function chat(pieces: readonly string[], stated: (at: number) => number, deltaFirst: boolean): StatedPiece[] {
  return pieces.map((content, at) => {
    const so = pieces.slice(0, stated(at)).join('');
    const delta = { delta: { content } };
    const message = { message: { role: 'assistant', content: so } };
    const choice = { index: 0, ...(deltaFirst ? { ...delta, ...message } : { ...message, ...delta }) };
    const isShort = stated(at) <= at;
    return { event: chunk([choice]), repeats: { length: so.length, find: ofMessage, isShort } };
  });
}

function onlyMessages(pieces: readonly string[]): StatedPiece[] {
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
function responses(pieces: readonly string[]): StatedPiece[] {
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

/** https://platform.openai.com/docs/api-reference/assistants-streaming */
function thread(pieces: readonly string[]): StatedPiece[] {
  const text = pieces.join('');
  const content = (value: string): object[] => [{ index: 0, type: 'text', text: { value, annotations: [] } }];
  const delta = (value: string): object => ({
    id: 'msg_1',
    object: 'thread.message.delta',
    delta: { content: content(value) },
  });
  const message = { id: 'msg_1', object: 'thread.message', role: 'assistant', content: content(text) };
  return [
    ...pieces.map((piece) => ({ event: frame(delta(piece), 'thread.message.delta') })),
    {
      event: frame(message, 'thread.message.completed'),
      repeats: {
        length: text.length,
        find: (data: { content: { text: { value: string } }[] }) => data.content[0]!.text.value,
      },
    },
  ];
}

function block(pieces: readonly string[]): StatedPiece[] {
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

const STREAMS: Record<string, { dialect: Dialect; state: (pieces: string[]) => StatedPiece[] }> = {
  'a message beside each delta': { dialect: 'openai.chat', state: (pieces) => chat(pieces, (at) => at + 1, true) },
  'a message before each delta': { dialect: 'openai.chat', state: (pieces) => chat(pieces, (at) => at + 1, false) },
  'a message that lags behind': { dialect: 'openai.chat', state: (pieces) => chat(pieces, (at) => at, true) },
  'a message that is ahead': { dialect: 'openai.chat', state: (pieces) => chat(pieces, (at) => at + 2, true) },
  'messages without deltas': { dialect: 'openai.chat', state: onlyMessages },
  'all events of a response': { dialect: 'openai.responses', state: responses },
  'a message of a thread': { dialect: 'generic', state: thread },
  'a block that begins with text': { dialect: 'anthropic.messages', state: block },
};

const pieces = fc
  .tuple(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 14 }), fc.array(fc.nat(), { maxLength: 10 }))
  .map(([parts, places]) => cut(parts.join(''), places));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe('an event that repeats only a part of a text as its whole', () => {
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const delta = (text: string): string =>
    frame({ type: 'response.output_text.delta', ...at, delta: text }, 'response.output_text.delta');
  const done = (text: string): string =>
    frame({ type: 'response.output_text.done', ...at, text }, 'response.output_text.done');
  const partDone = (text: string): string =>
    frame(
      { type: 'response.content_part.done', ...at, part: { type: 'output_text', text, annotations: [] } },
      'response.content_part.done',
    );
  const said = (content: string): string => chunk([{ index: 0, delta: { content } }]);
  const message = (content: string): string => chunk([{ index: 0, message: { role: 'assistant', content } }]);
  const both = (content: string, all: string): string =>
    chunk([{ index: 0, delta: { content }, message: { role: 'assistant', content: all } }]);

  const threadDelta = (value: string): string => thread([value])[0]!.event;
  const threadMessage = (value: string): string => thread([value])[1]!.event;

  it.each<[string, Dialect, string[]]>([
    ['the done text of a response', 'openai.responses', [delta('TK-123456'), done('TK-123')]],
    ['the completed message of a thread', 'generic', [threadDelta('TK-123456'), threadMessage('TK-123')]],
    ['a thread that goes on', 'generic', [threadDelta('TK-123'), threadMessage('TK-123'), threadDelta('456')]],
    ['a done part of a response', 'openai.responses', [delta('TK-123'), delta('456'), partDone('TK-123')]],
    ['a done text after which the text goes on', 'openai.responses', [delta('TK-123'), done('TK-123'), delta('456')]],
    ['the last message of a choice', 'openai.chat', [said('TK-123456'), message('TK-123')]],
    ['a message after which only pieces follow', 'openai.chat', [both('TK-123', 'TK-123'), said('456')]],
    ['a message before all pieces', 'openai.chat', [message('TK-123'), said('TK-1'), said('23456')]],
    ['a message after a longer one', 'openai.chat', [message('TK-123456'), message('TK-123')]],
  ])('has the part judged by itself: %s', async (_what, dialect, events) => {
    const stream = events.join('');
    const left = await whole(MASKING, dialect, stream);
    expect(left.text).toContain('"[TICKET]"');
    expect(left.text).not.toMatch(/"(?:text|role":"assistant","content)":"TK-123"/);
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        expect((await guard(MASKING, dialect, cut(stream, places))).text).toBe(left.text);
      }),
      { numRuns: 20 },
    );
  });

  it('has the masks of the whole text as well', async () => {
    const events = [delta('TK-12345. '), done('TK-12')];
    for (const { text } of [
      await guard(MASKING, 'openai.responses', events),
      await whole(MASKING, 'openai.responses', events.join('')),
    ]) {
      expect(text).not.toContain('TK-');
    }
  });

  it('is not judged again if a later event repeats the whole text', () => {
    const { segments } = assembleStream('openai.chat', both('TK-', 'TK-') + both('123', 'TK-123')).call;
    expect(segments.map(({ text }) => text)).toEqual(['TK-123']);
  });
});

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

/** The beginning of a text with the masks of the text and, if it is judged by itself, with its own. */
async function maskedPart(
  text: string,
  edits: readonly TextEdit[],
  { length, isShort = false }: NonNullable<StatedPiece['repeats']>,
): Promise<string> {
  const part = text.slice(0, length);
  const own = isShort ? await editsOf(part) : [];
  return applyEdits(part, mergeEdits([...editsWithin(edits, 0, length), ...own]));
}

/** The strings with which the events repeat parts of the text. */
function repeated(stated: readonly StatedPiece[], left: string): (string | undefined)[] {
  const events = left.match(/[^]+?\n\n/g) ?? [];
  expect(events).toHaveLength(stated.length);
  return stated.map(({ repeats }, at) => {
    const data = JSON.parse(/^data: (.*)$/m.exec(events[at]!)![1]!) as never;
    return repeats?.find(data);
  });
}

describe.each(Object.entries(STREAMS))('a stream with %s', (_what, { dialect, state }) => {
  it('has repeated texts masked in the same way as the original texts', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, cuts, async (parts, places) => {
        const stated = state(parts);
        const text = parts.join('');
        const edits = await editsOf(text);
        const expected = await Promise.all(stated.map(({ repeats }) => repeats && maskedPart(text, edits, repeats)));
        const stream = stated.map(({ event }) => event).join('');
        const { text: left, blocked } = await guard(MASKING, dialect, cut(stream, places));
        expect(blocked).toBe(false);
        expect(repeated(stated, left)).toEqual(expected);
        expect(repeated(stated, (await whole(MASKING, dialect, stream)).text)).toEqual(expected);
        const assembled = assembleStream(dialect, stream);
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
