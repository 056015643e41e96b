import { MAIL_AND_KEY } from '../../../test/support/mail-and-key-patterns.js';
import { compilePatterns } from '../detection/engine/compile-patterns.js';
import { parseJson, parsingJson, type JsonDocument } from '../json/json-document.js';
import { splice } from '../json/splice.js';
import type { DecodedCall, Dialect } from '../model/call.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';

const scan = compilePatterns(MAIL_AND_KEY, { codes: new Set(['KEY', 'MAIL'] as const) });
/** Begins with a word, because the first two numbers of a row are no part of a finding. */
const CODES = [...Buffer.from('my key_Ab3dEf6hIj9kLm')];
const KEY_CODES = CODES.slice(3).join();
const BUFFER = Buffer.from(CODES).toJSON();
const MASKED = '109, 121, [KEY]';

/** The body after every finding in it has been masked. */
function masked(doc: JsonDocument, { segments }: DecodedCall): unknown {
  const edits = segments.flatMap(({ text }, segment) =>
    scan(text).map(({ start, end }) => ({ segment, start, end, replacement: '[KEY]' })),
  );
  return JSON.parse(splice(doc, segments, edits));
}

const maskedRequest = (dialect: Dialect, body: unknown): unknown => {
  const doc = parseJson(JSON.stringify(body));
  return masked(doc, decodeRequest(dialect, doc));
};
const textsOf = (body: unknown): string[] =>
  decodeRequest('generic', parseJson(JSON.stringify(body))).segments.map(({ text }) => text);

describe('a list of character codes', () => {
  const chatCall = (args: string): object => ({ id: 'call_1', function: { name: 'f', arguments: args } });
  const assistant = (content: unknown, more: object = {}): object => ({
    messages: [{ role: 'assistant', content, ...more }],
  });

  it.each<[string, Dialect, object]>([
    ['the input of a tool', 'anthropic.messages', assistant([{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { file: BUFFER } }])], // prettier-ignore
    ['the arguments of a call', 'openai.chat', assistant(null, { tool_calls: [chatCall(JSON.stringify({ file: BUFFER }))] })], // prettier-ignore
    ['the result of a function', 'gemini.generate', { contents: [{ parts: [{ functionResponse: { name: 'f', response: { file: BUFFER } } }] }] }], // prettier-ignore
    ['a message', 'openai.chat', { messages: [{ role: 'user', content: CODES }] }],
    ['an unknown member', 'openai.chat', { messages: [], extra: { file: CODES } }],
    ['an unknown route', 'generic', { rows: [[CODES]] }],
    ['lines of JSON', 'generic', [{ a: 1 }, { file: CODES }]],
    ['a body', 'generic', CODES],
  ])('is read in %s, and a value in it can be masked', (_where, dialect, body) => {
    const doc = parseJson(JSON.stringify(body));
    const call = decodeRequest(dialect, doc);
    const rows = call.segments.filter(({ text }) => text === CODES.join(', '));
    expect(rows).toHaveLength(1);
    const left = JSON.stringify(masked(doc, call));
    expect(left).toContain(MASKED);
    expect(left).not.toContain(KEY_CODES);
  });

  it.each<[string, Dialect, object]>([
    ['the arguments of a call', 'openai.chat', { choices: [{ index: 0, message: { tool_calls: [chatCall(JSON.stringify({ file: BUFFER }))] } }] }], // prettier-ignore
    ['a call', 'gemini.generate', { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { file: CODES } } }] } }] }], // prettier-ignore
    ['an unknown answer', 'generic', { result: { file: CODES } }],
  ])('is read in an answer: %s', (_where, dialect, body) => {
    const doc = parseJson(JSON.stringify(body));
    const left = JSON.stringify(masked(doc, decodeAnswer(dialect, doc)));
    expect(left).toContain(MASKED);
    expect(left).not.toContain(KEY_CODES);
  });

  it('keeps its other items when its codes are masked', () => {
    const body = { list: [0.5, 'a', ...CODES, 'b', null, 200] };
    expect(maskedRequest('generic', body)).toEqual({ list: [0.5, 'a', MASKED, 'b', null, 200] });
  });

  it('is read if it is written as an object, as typed arrays are', () => {
    const body = { file: Uint8Array.from([...CODES, 0]) };
    expect(maskedRequest('generic', body)).toEqual({ file: { 0: MASKED, [CODES.length]: 0 } });
    expect(maskedRequest('openai.chat', { messages: [{ role: 'user', ...body }] })).toEqual({
      messages: [{ role: 'user', file: { 0: MASKED, [CODES.length]: 0 } }],
    });
  });

  it('is read however its numbers and the space between them are written', () => {
    const [first, second, ...others] = CODES;
    const text = `[${first}.0,\n\n${second}e0 ,\t${others.join(' , ')}]`;
    const { segments } = decodeRequest('generic', parseJson(text));
    expect(segments).toMatchObject([{ path: '[0]', text: CODES.join(', ') }]);
  });

  it('has the key of its list as context', () => {
    const { segments } = decodeRequest('generic', parseJson(JSON.stringify({ file: [1, ...CODES], a: { ...CODES } })));
    const rows = segments.filter(({ text }) => text === CODES.join(', '));
    expect(rows).toMatchObject([
      { path: 'file[1]', key: 'file' },
      { path: 'a{0}', key: 'a' },
    ]);
  });

  it.each([
    ['a short list', CODES.slice(0, 7)],
    ['an embedding', Array.from({ length: 99 }, (_, at) => at / 7)],
    ['token ids', Array.from({ length: 99 }, (_, at) => 1_000 + at)],
    ['measured values', Array.from({ length: 99 }, (_, at) => 40 + ((at * 7) % 20))],
    ['a number of digits', [...Buffer.from('0123456789'.repeat(3))]],
    ['bytes of no text', Array.from({ length: 99 }, (_, at) => 128 + at)],
    ['settings', Object.fromEntries(CODES.map((code, at) => [`a${'b'.repeat(at)}`, code]))],
  ])('is not assumed in %s', (_what, list) => {
    expect(textsOf({ list }).filter((text) => text.includes(', '))).toEqual([]);
  });
});

describe('long lists of bytes', () => {
  const random = (count: number): number[] => {
    const bytes: number[] = [];
    for (let state = 1; bytes.length < count; state = (state * 48_271) % 0x7fffffff) bytes.push((state >> 8) & 0xff);
    return bytes;
  };

  it('have few texts if they are an image', () => {
    const texts = textsOf({ image: random(100_000) });
    expect(texts.length).toBeLessThan(300);
    expect(texts.join('').length).toBeLessThan(10_000);
  });

  it('are one text if they are a text, which is put together in steps', () => {
    const codes = Array.from({ length: 50_000 }, (_, at) => 0x61 + (at % 26));
    const steps = parsingJson(JSON.stringify(codes));
    let stops = 0;
    for (let step = steps.next(); ; step = steps.next(), stops++) {
      if (step.done !== true) continue;
      expect(decodeRequest('generic', step.value).segments.map(({ text }) => text)).toEqual([codes.join(', ')]);
      break;
    }
    expect(stops).toBeGreaterThan(40);
  });
});
