import fc from 'fast-check';
import type { StreamEvent } from './stream-event.js';
import { choiceOf, endedBy, isLast } from './stream-ends.js';
import { eventEdits, StreamReader } from './stream-reader.js';

const chat = (delta: object, more: object = {}): object => ({
  id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5q',
  object: 'chat.completion.chunk',
  created: 1741569952,
  model: 'gpt-4.1-2025-04-14',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  usage: null,
  ...more,
});
/** Events as functions of a text, padding and a number. */
const SHAPES: readonly ((text: string, padding: string, count: number) => object)[] = [
  (content) => chat({ content }),
  (content, obfuscation) => chat({ content }, { obfuscation }),
  (content) => chat({ role: 'assistant', content }),
  (reasoning_content) => chat({ reasoning_content }),
  (content, finish_reason) => ({ choices: [{ index: 1, delta: { content }, finish_reason }] }),
  (content) => chat({ content }, { usage: { prompt_tokens: 4, completion_tokens: 1 } }),
  (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  (thinking) => ({ type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking } }),
  (partial_json) => ({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json } }),
  (delta, obfuscation, sequence_number) => ({
    type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta, sequence_number, obfuscation,
  }), // prettier-ignore
  (delta, _, sequence_number) => ({ type: 'response.function_call_arguments.delta', output_index: 1, delta, sequence_number }),
  (type) => ({ type, index: 0, delta: { text: 'same' } }),
  (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] }),
  (text) => ({ text, error: 'none' }),
  (text, obfuscation) => ({ obfuscation, text }),
  (text, obfuscation) => ({ text, obfuscation, more: { obfuscation } }),
]; // prettier-ignore
const TEXTS = [
  '', 'a', ' the', ' team', '"', '\\', '\n', '\u0007', 'é', '😀', '\ud83d', '{"a":1}', '[1]', '[DONE]', 'message_stop', 'thinking_delta',
  '"usage":{"x":1}', '","obfuscation":"', 'data:;base64,QUJDREVGRw==', ' more than a few letters in one piece', 'stop',
]; // prettier-ignore
const PADDING = ['', 'a1', 'Zq8', 'aB3dE5gH7', 'Xy9Zq8W2xPl0aC', 'not plain at all'];

const written = fc.record({
  shape: fc.nat(SHAPES.length - 1),
  text: fc.constantFrom(...TEXTS),
  padding: fc.constantFrom(...PADDING),
  count: fc.constantFrom(0, 7, 12345678901),
  ascii: fc.boolean(),
});
/** Streams mostly keep the form of their first events. */
const streams = fc
  .array(fc.tuple(fc.array(written, { minLength: 1, maxLength: 6 }), fc.boolean()), { maxLength: 6 })
  .map((runs) =>
    runs.flatMap(([events, mixes]) => events.map((event) => (mixes ? event : { ...event, shape: events[0]!.shape }))),
  )
  .map((events) =>
    events.map(({ shape, text, padding, count, ascii }) => {
      const json = JSON.stringify(SHAPES[shape]!(text, padding, count));
      return ascii ? json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : json;
    }),
  ); // prettier-ignore

const sseOf = (data: string): Parameters<StreamReader['read']>[0] => ({
  data,
  lines: [{ start: 6, end: 6 + data.length }],
});

function eventContent(reader: StreamReader, event: StreamEvent): object {
  const { segments, held, calls, scope, embedded } = event;
  return {
    segments,
    held: held.map(({ channel: { path, role, key, isSigned, whole }, start, end, added }) => ({
      path, role, key, isSigned, whole, start, end, added,
    })), // prettier-ignore
    calls: calls.map(({ call }) => call),
    scope,
    embedded,
    choice: choiceOf([event]),
    isLast: isLast(event),
    ends: endedBy(event),
    edits: segments.flatMap(({ text }, segment) =>
      text === '' ? [] : eventEdits(event, [{ segment, start: 0, end: 1, replacement: '"x' }]),
    ),
    usage: reader.usage,
    model: reader.model,
  };
}

describe('an event that differs from the previous one only in its text', () => {
  it('is read as if it stood alone', () => {
    fc.assert(
      fc.property(streams, (events) => {
        const reader = new StreamReader(false);
        const closer = new StreamReader(false);
        for (const [at, data] of events.entries()) {
          const event = reader.read(sseOf(data), 'event');
          // With trailing blanks, no event has the form of another one.
          const alone = closer.read(sseOf(data + ' '.repeat(at + 1)), 'event');
          expect(alone.like).toBeUndefined();
          expect(eventContent(reader, event)).toEqual(eventContent(closer, alone));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is recognised by its form in the streams of providers', () => {
    for (const shape of [0, 1, 3, 6, 9]) {
      const reader = new StreamReader(false);
      const read = [' the', ' team "was', '\n'].map((text, at) =>
        reader.read(sseOf(JSON.stringify(SHAPES[shape]!(text, 'a1', at))), 'event'),
      );
      expect(read.map(({ like }) => like === read[0])).toEqual([false, true, true]);
    }
  });

  it('is recognised by its form whatever padding of letters and digits accompanies its text', () => {
    for (const shape of [1, 9, 14]) {
      const reader = new StreamReader(false);
      const read = ['aB3dE5gH7', 'Zq8W2xPl0aC', 'a1', 'Qw9Er8Ty7Ui6'].map((padding, at) =>
        reader.read(sseOf(JSON.stringify(SHAPES[shape]!(' the', padding, at))), 'event'),
      );
      expect(read.map(({ like }) => like === read[0])).toEqual([false, true, true, true]);
      const paddings = read.map(({ segments }) => segments.find(({ path }) => path === 'obfuscation')?.text);
      expect(paddings).toEqual(['aB3dE5gH7', 'Zq8W2xPl0aC', undefined, 'Qw9Er8Ty7Ui6']);
    }
  });

  it('is not recognised if it has a number that is not JSON', () => {
    const reader = new StreamReader(false);
    const data = JSON.stringify(SHAPES[9]!('a', '', 7));
    const read = [data, data.replace(':7,', ':007,')].map((each) => reader.read(sseOf(each), 'event'));
    expect(read.map(({ doc, like }) => [doc === undefined, like])).toEqual([
      [false, undefined],
      [true, undefined],
    ]);
  });

  it('is not recognised if its text is megabytes long, and is then read like any other event', () => {
    const reader = new StreamReader(false);
    const texts = [' the', ' of words'.repeat(2_500_000)];
    const read = texts.map((text) => reader.read(sseOf(JSON.stringify(SHAPES[0]!(text, '', 0))), 'event'));
    expect(read.map(({ segments, like }) => [segments[0]!.text.length, like])).toEqual([
      [4, undefined],
      [22_500_000, undefined],
    ]);
  });
});
