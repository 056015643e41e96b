import { zipOf } from '../../../test/support/documents.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import { splice } from '../json/splice.js';
import type { DecodedCall } from '../model/call.js';
import { decodeRequest } from '../providers/decode-call.js';

const SECRET = 'mail@example.com';
const WORDS = `Grüße an ${SECRET}`;

function read(body: unknown): { doc: JsonDocument; call: DecodedCall } {
  const doc = parseJson(JSON.stringify(body));
  return { doc, call: decodeRequest('generic', doc) };
}

/** The body after the secret has been masked in every text. */
function masked(body: unknown): unknown {
  const { doc, call } = read(body);
  const edits = call.segments.flatMap(({ text }, segment) => {
    const start = text.indexOf(SECRET);
    return start < 0 ? [] : [{ segment, start, end: start + SECRET.length, replacement: '[MAIL]' }];
  });
  return JSON.parse(splice(doc, call.segments, edits));
}

/** The files of a body, with their bytes as hexadecimal digits. */
function filesOf(body: unknown): { path: string; digits: string; unsaid?: true; judged?: true }[] {
  const { doc, call } = read(body);
  return (call.embedded ?? []).map(({ path, ref, unsaid, judged }) => {
    return { path, digits: doc.node(ref).text, ...(unsaid && { unsaid }), ...(judged && { judged }) };
  });
}

describe('a file whose bytes are numbers', () => {
  const bytes = Buffer.from(WORDS);
  const signed = [...bytes].map((byte) => (byte < 0x80 ? byte : byte - 0x100));
  const text = 'Grüße an [MAIL]';

  it.each<[string, unknown, unknown]>([
    ['a buffer', bytes.toJSON(), { type: 'Buffer', data: [text] }],
    ['a typed array', Uint8Array.from(bytes), { 0: text }],
    ['a list', [...bytes], [text]],
    ['a list of signed bytes', signed, [text]],
    ['a list in UTF-16', [...Buffer.from(WORDS, 'utf16le')], [text]],
  ])('is read as a text and masked in place if letters beyond ASCII are in it: %s', (_, file, expected) => {
    expect(masked({ file })).toEqual({ file: expected });
  });

  it('is read in the order of the indices of a typed array', () => {
    const members = [...bytes].map((byte, index) => `"${index}":${byte}`).reverse();
    const { segments } = decodeRequest('generic', parseJson(`{"file":{${members.join()}}}`));
    expect(segments.map((segment) => segment.text)).toContain(WORDS);
  });

  it('is read as JSON if its text is JSON', () => {
    const { call } = read({ file: [...Buffer.from(JSON.stringify({ to: WORDS }))] });
    expect(call.segments).toContainEqual(expect.objectContaining({ path: 'file.to', text: WORDS }));
  });

  it('is handed on as a file, whose text is judged once', () => {
    const binary = Buffer.from([0x1f, 0x8b, 8, ...Array.from({ length: 40 }, (_, at) => (at * 73) % 256)]);
    const digits = binary.toString('hex');
    expect(filesOf({ file: [...binary] })).toEqual([{ path: 'file', digits, unsaid: true }]);
    expect(filesOf({ file: binary.toJSON() })).toEqual([{ path: 'file.data', digits }]);
    expect(filesOf({ bytes: Uint8Array.from(binary) })).toEqual([{ path: 'bytes', digits, unsaid: true }]);
    const declared = { mimeType: 'application/gzip', bytes: Uint8Array.from(binary) };
    expect(filesOf(declared)).toEqual([{ path: 'bytes', digits }]);
    const ascii = Buffer.from(`{\\rtf1 to ${SECRET}}`);
    expect(filesOf([...ascii])).toEqual([{ path: '$', digits: ascii.toString('hex'), unsaid: true, judged: true }]);
  });

  it('is read as a text of digits only if it is declared as a file', () => {
    const digits = Buffer.from('4111 1111 1111 1111');
    const textsOf = (body: unknown): string[] => read(body).call.segments.map((segment) => segment.text);
    expect(textsOf({ file: digits.toJSON() })).toContain('4111 1111 1111 1111');
    expect(textsOf({ file: [...digits] })).not.toContain('4111 1111 1111 1111');
  });

  it.each(['data', 'result', 'bytes'])(
    'is not declared by the name %s, which lists in results of tools have',
    (name) => {
      const textsOf = (list: object): string[] => {
        const message = { role: 'tool', tool_call_id: 'c', content: [{ [name]: list }] };
        const { call } = read({ messages: [message, { role: 'user', content: [{ type: 'text', [name]: list }] }] });
        expect((call.embedded ?? []).filter(({ unsaid }) => unsaid !== true)).toEqual([]);
        return call.segments.map(({ text }) => text);
      };
      const digits = '4111 1111 1111 1111';
      expect(textsOf([...Buffer.from(digits)]).join()).not.toMatch(/4111|52, 49/);
      expect(textsOf([0, 3, 7, 1, 4, 0, 2, 5, 9, 3, 1, 0, 8, 6, 2, 4, 1]).join()).not.toContain('3, 7');
    },
  );

  it('is read in a part of a message if the part declares it', () => {
    const data = [...Buffer.from('4111 1111 1111 1111')];
    for (const part of [
      { type: 'Buffer', data },
      { type: 'file', mime_type: 'application/pdf', data },
    ]) {
      const doc = parseJson(JSON.stringify({ messages: [{ role: 'user', content: [part] }] }));
      const texts = decodeRequest('openai.chat', doc).segments.map(({ text }) => text);
      expect(texts).toContain('4111 1111 1111 1111');
    }
  });

  it('is read in the order of many indices', () => {
    const text = `${WORDS} `.repeat(200);
    const members = [...Buffer.from(text)].map((byte, index) => `"${index}":${byte}`);
    const half = members.splice(0, 1_000);
    const { segments } = decodeRequest('generic', parseJson(`{"file":{${[...members, ...half].join()}}}`));
    expect(segments.map((segment) => segment.text)).toContain(text);
  });

  it.each([
    ['ages', Array.from({ length: 99 }, (_, at) => 20 + ((at * 7) % 60))],
    ['labels', Array.from({ length: 99 }, (_, at) => at % 3)],
    ['pixels', Array.from({ length: 99 }, (_, at) => (at * 73) % 256)],
    ['an embedding in bytes', Array.from({ length: 99 }, (_, at) => ((at * 73) % 256) - 128)],
    ['a short list', [...Buffer.from('äöüßäöüß').subarray(0, 15)]],
  ])('is not assumed in %s', (_, list) => {
    expect(read({ list }).call.segments.map((segment) => segment.text)).toEqual(['list']);
  });
});

describe('a file in base64 that several strings of a list form', () => {
  const base64 = zipOf({ 'a.txt': `to ${SECRET}` }).toString('base64');

  it.each([20, 40, 76])('is put together from lines of %d letters', (length) => {
    const lines = base64.match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
    const files = filesOf({ file: ['words', ...lines, 'more words'] });
    expect(files).toContainEqual({ path: 'file[1]', digits: base64, unsaid: true });
  });

  it('is not put together from whole files of one length', () => {
    const other = zipOf({ 'a.txt': `at ${SECRET}` }).toString('base64');
    expect(filesOf({ files: [base64, other, base64] }).map(({ digits }) => digits)).toEqual([base64, other, base64]);
  });

  it('is not put together from strings of different lengths', () => {
    const files = filesOf({ ids: ['UEsDBBQAAAgIAAAA', 'a-word', 'UEsDBBQAAAgIAAAAx', 'UEsDBBQAAAgIAAAAxyz'] });
    expect(files).toEqual([]);
  });
});
