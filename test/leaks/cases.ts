import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { docxOf, pdfOf, xlsxOf, zipOf } from '../support/documents.js';
import { seededBelow } from '../support/seeded-random.js';

/** One request with one planted secret. */
export interface LeakCase {
  /** Dialect, place, coding and disguise. */
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly secret: string;
}

type Numbers = (below: number) => number;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function secretOf(below: Numbers): string {
  const letters = (count: number, from: string): string =>
    Array.from({ length: count }, () => from[below(from.length)]!).join('');
  if (below(2) === 0) return `ghp_${letters(36, LETTERS)}`;
  return `${letters(7, LETTERS.slice(26, 52))}.${letters(6, LETTERS.slice(26, 52))}@example.com`;
}

const hex = (letter: string, digits: number): string => letter.charCodeAt(0).toString(16).padStart(digits, '0');
const each = (text: string, spell: (letter: string, index: number) => string): string =>
  Array.from(text, spell).join('');
const some = (text: string, spell: (letter: string) => string): string =>
  each(text, (letter, index) => (index % 5 === 3 || letter === '@' ? spell(letter) : letter));

type Disguise = (secret: string, below: Numbers) => string;

const INVISIBLE = [
  '\u00ad',
  '\u034f',
  '\u200b',
  '\u2060',
  '\u2800',
  '\u3164',
  '\uffa0',
  '\u180e',
  '\ufe0f',
  '\u{e0041}',
  '\u{e0100}',
  '\u0001',
  '\u007f',
];
const MARKS = ['\u0336', '\u0332', '\u0335', '\u20dd', '\u20e3'];

/** The encodings of the secret's letters; the readers decode all of them. */
const DISGUISES: Readonly<Record<string, Disguise>> = {
  none: (secret) => secret,
  invisible: (secret, below) => some(secret, (letter) => letter + INVISIBLE[below(INVISIBLE.length)]!),
  invisible_throughout: (secret, below) => [...secret].join(INVISIBLE[below(INVISIBLE.length)]),
  marks: (secret, below) => each(secret, (letter) => letter + MARKS[below(MARKS.length)]!),
  percent: (secret) => some(secret, (letter) => `%${hex(letter, 2)}`),
  percent_throughout: (secret) => each(secret, (letter) => `%${hex(letter, 2)}`),
  percent_twice: (secret) => some(secret, (letter) => `%25${hex(letter, 2)}`),
  entities: (secret) => some(secret, (letter) => `&#${letter.charCodeAt(0)};`),
  entities_hex: (secret) => each(secret, (letter) => `&#x${hex(letter, 4)};`),
  escapes_x: (secret) => each(secret, (letter) => `\\x${hex(letter, 2)}`),
  escapes_u: (secret) => some(secret, (letter) => `\\u${hex(letter, 4)}`),
  escapes_twice: (secret) => each(secret, (letter) => `\\\\u${hex(letter, 4)}`),
  full_width: (secret) => each(secret, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  base64: (secret) => Buffer.from(`the key is ${secret} ok`).toString('base64'),
  base64url: (secret) => Buffer.from(`{"k":"${secret}"}`).toString('base64url'),
  base64_twice: (secret) => Buffer.from(Buffer.from(` ${secret} `).toString('base64')).toString('base64'),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
  two_lines: (secret) => `${secret.slice(0, 11)}\n${secret.slice(11)}`,
};

const base64 = (bytes: Buffer): string => bytes.toString('base64');

interface Place {
  readonly path: string;
  readonly body: (text: string) => unknown;
}

const user = (content: unknown): unknown => ({ model: 'm', messages: [{ role: 'user', content }] });
const half = (text: string): [string, string] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
const openai = (path: string, body: Place['body']): Place => ({ path: `/proxy/openai/v1/${path}`, body });

const PLACES: Readonly<Record<string, Place>> = {
  'chat content': openai('chat/completions', (text) => user(text)),
  'chat system': openai('chat/completions', (text) => ({ model: 'm', messages: [{ role: 'system', content: text }] })),
  'chat part': openai('chat/completions', (text) => user([{ type: 'text', text }])),
  'chat two parts': openai('chat/completions', (text) => user(half(text).map((part) => ({ type: 'text', text: part })))),
  'chat name': openai('chat/completions', (text) => ({ model: 'm', messages: [{ role: 'user', name: text, content: 'hi' }] })),
  'chat tool result': openai('chat/completions', (text) => ({ model: 'm', messages: [{ role: 'tool', tool_call_id: 'c', content: text }] })),
  'chat tool description': openai('chat/completions', (text) => ({ ...(user('hi') as object), tools: [{ type: 'function', function: { name: 'f', description: text } }] })),
  'chat arguments': openai('chat/completions', (text) => ({ model: 'm', messages: [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ a: text }) } }] }] })),
  'chat unknown key': openai('chat/completions', (text) => ({ ...(user('hi') as object), extra: { deep: [text] } })),
  'chat metadata': openai('chat/completions', (text) => ({ ...(user('hi') as object), metadata: { note: text } })),
  'completions prompt': openai('completions', (text) => ({ model: 'm', prompt: text })),
  'responses input': openai('responses', (text) => ({ model: 'm', input: text })),
  'responses part': openai('responses', (text) => ({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_text', text }] }] })),
  'responses instructions': openai('responses', (text) => ({ model: 'm', input: 'hi', instructions: text })),
  'embeddings input': openai('embeddings', (text) => ({ model: 'm', input: ['hi', text] })),
  'unknown route': openai('something/new', (text) => ({ anything: { nested: [text] } })),
  'messages content': { path: '/proxy/anthropic/v1/messages', body: (text) => ({ ...(user(text) as object), max_tokens: 9 }) },
  'messages system': { path: '/proxy/anthropic/v1/messages', body: (text) => ({ ...(user('hi') as object), max_tokens: 9, system: [{ type: 'text', text }] }) },
  'messages tool result': { path: '/proxy/anthropic/v1/messages', body: (text) => ({ ...(user([{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text }] }]) as object), max_tokens: 9 }) },
  'gemini text': openai('models/m:generateContent', (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] })),
  'gemini two parts': openai('models/m:generateContent', (text) => ({ contents: [{ parts: half(text).map((part) => ({ text: part })) }] })),
  'gemini result': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ functionResponse: { name: 'f', response: { out: text } } }] }] })),
  'gemini arguments': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ functionCall: { name: 'f', args: { a: text } } }] }] })),
  'gemini signed arguments': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ functionCall: { name: 'f', args: { a: text } }, thoughtSignature: 'CsAB' }] }] })),
  'gemini system': openai('models/m:generateContent', (text) => ({ systemInstruction: { parts: [{ text }] }, contents: [] })),
  'gemini inline text': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data: base64(Buffer.from(text)) } }] }] })),
  'gemini inline UTF-16': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data: base64(Buffer.from(`\ufeff${text}`, 'utf16le')) } }] }] })),
  'gemini inline PDF': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: base64(pdfOf({ pages: [['x'], [ascii(text)]], packed: true })) } }] }] })),
  'bedrock text': openai('model/m/converse', (text) => ({ messages: [{ role: 'user', content: [{ text }] }] })),
  'bedrock result': openai('model/m/converse', (text) => ({ messages: [{ role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ json: { out: text } }] } }] }] })),
  'bedrock arguments': openai('model/m/converse', (text) => ({ messages: [{ role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input: { a: text } } }] }] })),
  'bedrock document': openai('model/m/converse', (text) => ({ messages: [{ role: 'user', content: [{ document: { name: 'd', format: 'docx', source: { bytes: base64(docxOf({ paragraphs: [[text.replace(/[\0-\x1f\x7f]/g, '')]] })) } } }] }] })),
  'ollama image': openai('api/chat', (text) => ({ messages: [{ role: 'user', content: 'x', images: [base64(Buffer.from(text))] }] })),
  'chat sheet': openai('chat/completions', (text) => user([{ type: 'file', file: { file_data: base64(xlsxOf([{ rows: [['a', text.replace(/[\0-\x1f\x7f]/g, '')]] }])) } }])),
  'chat lines of JSON in a file': openai('chat/completions', (text) => user([{ type: 'file', file: { file_data: base64(Buffer.from(`{"a":1}\n${JSON.stringify({ text })}\n`)) } }])),
  'responses archive': openai('responses', (text) => ({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${base64(zipOf({ 'a.txt': text }))}` }] }] })),
  'messages document': { path: '/proxy/anthropic/v1/messages', body: (text) => ({ ...(user([{ type: 'document', source: { type: 'base64', media_type: 'text/csv', data: base64(Buffer.from(`a,b\n1,"${text}"\n`)) } }]) as object), max_tokens: 9 }) },
  'chat key of an unknown object': openai('chat/completions', (text) => ({ ...(user('hi') as object), extra: { [text]: { deep: 1 } } })),
  'chat JSON in JSON in JSON': openai('chat/completions', (text) => user(JSON.stringify({ a: JSON.stringify({ b: [text] }) }))),
  'chat name behind a NUL': openai('chat/completions', (text) => ({ ...(user('hi') as object), ['a\0b']: { ['\ufeffcontent']: text } })),
  'responses file of text': openai('responses', (text) => ({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${base64(Buffer.from(text))}` }] }] })),
  'responses file name': openai('responses', (text) => ({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_file', filename: text, file_id: 'file-abc' }] }] })),
  'gemini file address': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ fileData: { mimeType: 'text/plain', fileUri: `gs://bucket/${text}` } }] }] })),
  'gemini code': openai('models/m:generateContent', (text) => ({ contents: [{ parts: [{ executableCode: { language: 'PYTHON', code: `print("${text}")` } }, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: text } }] }] })),
  'bedrock document of text': openai('model/m/converse', (text) => ({ messages: [{ role: 'user', content: [{ document: { name: 'd', format: 'txt', source: { bytes: base64(Buffer.from(text)) } } }] }] })),
  'bedrock document beside bytes': openai('model/m/converse', (text) => ({ messages: [{ role: 'user', content: [{ document: { name: text, format: 'txt', context: text, source: { text } } }] }] })),
  'bedrock system': openai('model/m/converse', (text) => ({ system: [{ text }], messages: [] })),
  'messages document of text': { path: '/proxy/anthropic/v1/messages', body: (text) => ({ ...(user([{ type: 'document', title: 't', context: text, source: { type: 'content', content: [{ type: 'text', text }] } }]) as object), max_tokens: 9 }) },
  'event': { path: '/v1/events', body: (text) => ({ type: 'ai.request', request_id: 'r', payload: user(text) }) },
  'event with a document': { path: '/v1/events', body: (text) => ({ type: 'ai.request', request_id: 'r', payload: user([{ type: 'file', file: { file_data: base64(pdfOf({ pages: [[ascii(text)]] })) } }]) }) },
}; // prettier-ignore

/** The characters that a page with a standard font can show. */
function ascii(text: string): string {
  return text.replace(/[^ -~]/g, '');
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const json = { 'content-type': 'application/json' };
const write = (value: unknown): string => JSON.stringify(value);
const multipart = (value: unknown, head: string): Sent => ({
  headers: { 'content-type': 'multipart/form-data; boundary=aaa' },
  body: Buffer.from(`--aaa\r\nContent-Disposition: form-data; ${head}\r\n\r\n${write(value)}\r\n--aaa--\r\n`),
});

/** The encodings of a body. */
const CODINGS: Readonly<Record<string, (value: unknown) => Sent>> = {
  plain: (value) => ({ headers: json, body: Buffer.from(write(value)) }),
  gzip: (value) => ({ headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(write(value)) }),
  deflate: (value) => ({ headers: { ...json, 'content-encoding': 'deflate' }, body: deflateSync(write(value)) }),
  br: (value) => ({ headers: { ...json, 'content-encoding': 'br' }, body: brotliCompressSync(write(value)) }),
  zstd: (value) => ({ headers: { ...json, 'content-encoding': 'zstd' }, body: zstdCompressSync(write(value)) }),
  gzip_in_br: (value) => ({ headers: { ...json, 'content-encoding': 'gzip, br' }, body: brotliCompressSync(gzipSync(write(value))) }),
  gzip_twice: (value) => ({ headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(gzipSync(write(value))) }),
  utf16_be: (value) => ({ headers: json, body: Buffer.from(`\ufeff${write(value)}`, 'utf16le').swap16() }),
  escaped: (value) => ({ headers: json, body: Buffer.from(write(value).replace(/[a-z](?=[^"]*"[^"]*$)/g, (letter) => `\\u${hex(letter, 4)}`)) }),
  byte_order_mark: (value) => ({ headers: json, body: Buffer.from(`\ufeff${write(value)}`) }),
  utf16: (value) => ({ headers: json, body: Buffer.from(`\ufeff${write(value)}`, 'utf16le') }),
  trailing_byte: (value) => ({ headers: json, body: Buffer.from(`${write(value)}x`) }),
  trailing_value: (value) => ({ headers: json, body: Buffer.from(`{"model":"m"}${write(value)}`) }),
  doubled_key: (value) => ({ headers: json, body: Buffer.from(write(value).replace(/^\{/, '{"messages":[],"prompt":"","input":"",')) }),
  upper_keys: (value) => ({ headers: json, body: Buffer.from(write(value).replace(/"(content|prompt|input|messages)":/g, (key) => key.toUpperCase())) }),
  not_a_number: (value) => ({ headers: json, body: Buffer.from(write(value).replace(/^\{/, '{"temperature":NaN,')) }),
  no_type: (value) => ({ headers: {}, body: Buffer.from(write(value)) }),
  text_type: (value) => ({ headers: { 'content-type': 'text/plain' }, body: Buffer.from(write(value)) }),
  binary_type: (value) => ({ headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from(write(value)) }),
  form: (value) => ({ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: Buffer.from(new URLSearchParams({ prompt: write(value) }).toString()) }),
  multipart: (value) => multipart(value, 'name="prompt"'),
  multipart_pdf: (value) => multipart(value, 'name="file"; filename="a.pdf"\r\nContent-Type: application/pdf'),
  multipart_image: (value) => multipart(value, 'name="file"; filename="a.png"\r\nContent-Type: image/png'),
  nested_multipart: (value) => ({ headers: { 'content-type': 'multipart/form-data; boundary=aaa' }, body: Buffer.from(`--aaa\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=bbb\r\n\r\n--bbb\r\nContent-Type: application/json\r\n\r\n${write(value)}\r\n--bbb--\r\n--aaa--\r\n`) }),
  preamble_multipart: (value) => ({ headers: { 'content-type': 'multipart/form-data; boundary=aaa' }, body: Buffer.from(`${write(value)}\r\n--aaa\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--aaa--\r\n${write(value)}`) }),
  latin1_type: (value) => ({ headers: { 'content-type': 'application/json; charset=iso-8859-1' }, body: Buffer.from(write(value)) }),
  utf16_by_name: (value) => ({ headers: { 'content-type': 'application/json; charset=utf-16le' }, body: Buffer.from(write(value), 'utf16le') }),
  utf32: (value) => ({ headers: json, body: Buffer.concat([...write(value)].map((letter) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(letter.codePointAt(0)!); return bytes; })) }),
  doubled_key_behind: (value) => ({ headers: json, body: Buffer.from(write(value).replace(/\}$/, ',"messages":[],"contents":[],"prompt":"","input":"hi","system":"","payload":{"messages":[{"role":"user","content":"hi"}]}}')) }),
  huge_number: (value) => ({ headers: json, body: Buffer.from(write(value).replace(/^\{/, `{"1e999":1e999,"n":${'9'.repeat(400)},`)) }),
  marks_twice: (value) => ({ headers: json, body: Buffer.from(`\ufeff\ufeff${write(value)}`) }),
  record_separators: (value) => ({ headers: { 'content-type': 'application/json-seq' }, body: Buffer.from(`\x1e${write(value)}\n\x1e${write(value)}\n`) }),
  deflate_raw_in_gzip: (value) => ({ headers: { ...json, 'content-encoding': 'deflate, gzip' }, body: gzipSync(deflateSync(write(value))) }),
  upper_coding: (value) => ({ headers: { ...json, 'content-encoding': 'GZIP' }, body: gzipSync(write(value)) }),
  x_gzip: (value) => ({ headers: { ...json, 'content-encoding': 'x-gzip' }, body: gzipSync(write(value)) }),
  gzip_members: (value) => ({ headers: { ...json, 'content-encoding': 'gzip' }, body: Buffer.concat([gzipSync(write(value).slice(0, 20)), gzipSync(write(value).slice(20))]) }),
  form_in_two: (value) => ({ headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, body: Buffer.from(`a=1&prompt=${encodeURIComponent(write(value)).replaceAll('%20', '+')};b=2`) }),
  json_lines: (value) => ({ headers: { 'content-type': 'application/x-ndjson' }, body: Buffer.from(`{"a":1}\n${write(value)}\n`) }),
}; // prettier-ignore

/**
 * Generates `count` requests, which the seed determines: every dialect and place with every coding and disguise in turn,
 * each with its own secret.
 */
export function* leakCases(count: number, seed: number): Generator<LeakCase, void> {
  const below = seededBelow(seed);
  const combinations = Object.keys(PLACES).flatMap((place) =>
    Object.keys(CODINGS).flatMap((coding) => Object.keys(DISGUISES).map((disguise) => ({ place, coding, disguise }))),
  );
  // A shuffle, so that each combination occurs once before any is repeated.
  for (let index = combinations.length - 1; index > 0; index--) {
    const other = below(index + 1);
    [combinations[index], combinations[other]] = [combinations[other]!, combinations[index]!];
  }
  for (let index = 0; index < count; index++) {
    const { place, coding, disguise } = combinations[index % combinations.length]!;
    const secret = secretOf(below);
    const hidden = DISGUISES[disguise]!(secret, below);
    const { path, body } = PLACES[place]!;
    const sent = CODINGS[coding]!(body(`use ${hidden} now`));
    yield { name: `${index}: ${place}, ${coding}, ${disguise}`, path, secret, ...sent };
  }
}
