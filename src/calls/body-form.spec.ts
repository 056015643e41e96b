import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { sampled } from '../../test/support/sampled.js';
import { atOnce, documentEdits, segmentsOf, type JsonDocument } from '../core/index.js';
import { readingBodyForm, readingMarkedJson } from './body-form.js';
import { contentTypeOf } from './content-type.js';
import { readBody, readingBody } from './read-body.js';
import { UnreadableBody } from './unreadable-body.js';

const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
const LINES = 'application/x-ndjson';
/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PARTS = 'multipart/form-data; boundary="b 1"';

const read = (body: string | Buffer, type?: string) => atOnce(readingBodyForm(Buffer.from(body), contentTypeOf(type)));
const texts = (body: string | Buffer, type?: string): unknown => read(body, type).textBody?.doc.value;
const edited = (body: string | Buffer, type?: string): Buffer => {
  const { textBody } = read(body, type);
  return textBody === undefined ? Buffer.from(body) : atOnce(textBody.editing([]));
};

/** Replaces each text that contains a word with `*`. */
function masked(body: string | Buffer, type: string | undefined, word: string): Buffer {
  const textBody = read(body, type).textBody!;
  return atOnce(textBody.editing(maskEdits(textBody.doc, word)));
}

function maskEdits(doc: JsonDocument, word: string) {
  const segments = segmentsOf(doc, [], 'other');
  const edits = segments.flatMap(({ text }, segment) => {
    const start = text.indexOf(word);
    return start < 0 ? [] : [{ segment, start, end: start + word.length, replacement: '*"\r\n' }];
  });
  return documentEdits(doc, segments, edits);
}

const part = (head: string, content: string): string =>
  `--b 1\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

describe('readingBodyForm', () => {
  it.each<[string | undefined, string, unknown]>([
    ['text/plain', 'a "b" \u00e9', 'a "b" \u00e9'],
    ['text/xml; charset=utf-8', '<a/>', '<a/>'],
    ['image/svg+xml', '<a/>', '<a/>'],
    [undefined, 'x', 'x'],
    ['application/octet-stream', 'x', 'x'],
    [LINES, '{"a":1}\n\r\n ["b"]\r\n3\n', [{ a: 1 }, ['b'], 3]],
    ['application/octet-stream', '{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['application/json-seq', '\x1e{"a":1}\n\x1e{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    [LINES, '{"a":1}\n{b}\n{"c":2}', [{ a: 1 }, '\n{b}\n', { c: 2 }]],
    ['image/png', '{"a":1}{"b":2} {"c":[3]}x', [{ a: 1 }, { b: 2 }, { c: [3] }, 'x']],
    [undefined, 'go: {"a":\n[1]}\0', ['go: ', { a: [1] }, '\0']],
    [undefined, '{"a":1,}\n{', '{"a":1,}\n{'],
    ['text/plain', '[a](b)\n[c] {d', '[a](b)\n[c] {d'],
    [FORM, 'to=anna%40x.org&note=a+b=c&flag&=', ['to', 'anna@x.org', 'note', 'a b=c', 'flag', '', '']],
    [FORM, 'bad=%61%zz&%ff', ['bad', 'a%zz', '\udcff']],
  ])('reads %s', (contentType, body, expected) => {
    expect(texts(body, contentType)).toEqual(expected);
    expect(edited(body, contentType).toString()).toBe(body);
  });

  it('reads the names and texts of parts, and keeps every byte if nothing is edited', () => {
    const body = Buffer.concat([
      Buffer.from(part('name="prompt"', 'say hi')),
      Buffer.from(part('name=file; filename="j.jsonl"\r\ncontent-type: application/jsonl', '{"a":1}\n{"b":2}\n')),
      Buffer.from(part('name="n"; filename*=UTF-8\'\'jan%40x.org\r\ncontent-type: audio/wav', 'words')),
      Buffer.from(part('name="z"\r\ncontent-type: application/octet-stream', 'P\0\x01\xff')),
      Buffer.from('--b 1--\r\n'),
    ]);
    expect(texts(body, PARTS)).toEqual([
      'prompt',
      'say hi',
      'file',
      'j.jsonl',
      { a: 1 },
      { b: 2 },
      'n',
      'jan@x.org',
      'words',
      'z',
      'P\0\x01\xff',
    ]);
    expect(edited(body, PARTS)).toEqual(body);
  });

  it.each([
    ['utf16le', ''],
    ['utf16le', '\ufeff'],
  ] as const)('reads text in %s and writes it back as it was', (encoding, mark) => {
    const body = Buffer.from(`${mark}{"a": "mail"}\n{"b": 2}`, encoding);
    expect(texts(body, 'application/pdf')).toEqual([{ a: 'mail' }, { b: 2 }]);
    expect(edited(body)).toEqual(body);
    expect(masked(body, undefined, 'mail').toString(encoding)).toBe(`${mark}{"a": "*\\"\\r\\n"}\n{"b": 2}`);
  });

  it('lists unreadable content, and recognises images', () => {
    const noise = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(read(noise, 'text/plain').beside.unread).toEqual([{ path: 'body', why: 'binary', bytes: 256 }]);
    expect(read(PNG, 'text/plain').beside.media).toEqual([{ path: 'body', type: 'image/png', bytes: PNG.length }]);
    expect(read(PNG).textBody).toBeUndefined();
  });

  it.each<[string, string, string | Buffer]>([
    ['text in an unknown character set', 'text/plain; charset=x-own', 'x'],
    ['a boundary that is given twice', 'multipart/form-data; x="; boundary=aaa"; boundary=b; boundary=c', '--b--'],
    ['a boundary in the extended form', "multipart/form-data; boundary*=utf-8''b", '--b--'],
    ['a boundary after another kind of line ending', PARTS, `${part('name=a', 'x\n--b 1\nsecret')}--b 1--`],
    [
      'a field of a head that is given twice',
      PARTS,
      `${part('name=a\r\nContent-Disposition: form-data; name=b', 'x')}--b 1--`,
    ],
    ['a name that is given twice', PARTS, `${part('name=a; name=b', 'x')}--b 1--`],
    ['a name in pieces', PARTS, `${part('name*0=a; name*1=b', 'x')}--b 1--`],
    ['a compressed part', PARTS, `${part('name=a\r\nContent-Encoding: gzip', 'x')}--b 1--`],
    ['parts in a part', PARTS, `${part('name=a\r\ncontent-type: multipart/mixed; boundary=c', 'x')}--b 1--`],
    ['text in a character set in which letters are other bytes', 'text/plain; charset="UTF-7"', 'x'],
    [
      'parts in a character set in which letters are other bytes',
      `${PARTS}; charset=cp037`,
      `${part('name=a', 'x')}--b 1--`,
    ],
    ['parts without a boundary', 'multipart/form-data', '--b\r\n\r\nx\r\n--b--'],
    ['parts after a preamble', PARTS, `words\r\n${part('name=a', 'x')}--b 1--`],
    ['parts before an epilogue', PARTS, `${part('name=a', 'x')}--b 1--\r\nwords`],
    ['parts without an end', PARTS, part('name=a', 'x')],
    ['a line that continues after the boundary', PARTS, `${part('name=a', 'x')}--b 12\r\n\r\n\r\n--b 1--`],
    ['a part without a head', PARTS, '--b 1\r\nwords\r\n--b 1--'],
    ['a folded head', PARTS, `${part('name=a\r\n ; x', 'x')}--b 1--`],
    ['a head with other line endings', PARTS, `${part('name=a\ncontent-type: image/png', 'x')}--b 1--`],
    [
      'a part in a transfer encoding',
      PARTS,
      `${part('name=a\r\nContent-Transfer-Encoding: base64', 'bWFpbA==')}--b 1--`,
    ],
  ])('refuses %s', (_, contentType, body) => {
    expect(() => read(body, contentType)).toThrow(UnreadableBody);
  });
});

describe('a body with edits', () => {
  it('changes only the edited values of a form', () => {
    expect(masked('to=anna%40x.org&%6eote=a+b&to=%7a', FORM, 'anna@x.org').toString()).toBe(
      'to=*%22%0D%0A&%6eote=a+b&to=%7a',
    );
  });

  it('reads JSON in a value of a form as JSON', () => {
    const value = encodeURIComponent('{"a":["an\\u006ea@x.org",1e400]}');
    expect(masked(`prompt=${value}&b=1`, FORM, 'anna@x.org').toString()).toBe(
      `prompt=${encodeURIComponent('{"a":["*\\"\\r\\n",1e400]}')}&b=1`,
    );
  });

  it('reads JSON inside a form value with other text around it, because some receivers end values earlier', () => {
    const form = 'a=x%zz&b=ü+%E4%20%7b%22d%22:%22mail%C3%BC%22};c=%u00fc&e={';
    expect(read('a=1;b=2;c=%5b3]', FORM).textBody!.doc.value).toEqual(['a', '1;b=2', 'c', [3]]);
    const texts = ['a', 'x%zz', 'b', expect.stringMatching(/^ü . $/u), { d: 'mailü' }, ';c=ü', 'e', '{'];
    expect(read(form, FORM).textBody!.doc.value).toEqual(texts);
    expect(masked(form, FORM, 'mail').toString()).toBe(
      'a=x%zz&b=ü+%E4%20%7B%22d%22%3A%22*%5C%22%5Cr%5Cn%C3%BC%22%7D;c=%u00fc&e={',
    );
  });

  it('changes only the strings of JSON lines', () => {
    const body = '{"a": "mail" ,"n":1e400}\r\n\n\t["ma\\u0069l"]\n';
    expect(masked(body, LINES, 'mail').toString()).toBe('{"a": "*\\"\\r\\n" ,"n":1e400}\r\n\n\t["*\\"\\r\\n"]\n');
  });

  it('keeps the bytes of another character set around the changes', () => {
    const body = Buffer.from('caf\xe9 mail \xff', 'latin1');
    expect(masked(body, 'text/plain; charset=iso-8859-1', 'mail')).toEqual(
      Buffer.from('caf\xe9 *"\r\n \xff', 'latin1'),
    );
  });

  it('changes parts and file names, and inserts no character that ends a name early', () => {
    const body = `${part('name="a"; filename="mail.txt"', 'x mail')}${part('name="b"', 'y')}--b 1--`;
    expect(masked(body, PARTS, 'mail').toString()).toBe(
      `${part('name="a"; filename="*___.txt"', 'x *"\r\n')}${part('name="b"', 'y')}--b 1--`,
    );
  });

  it('is unchanged without edits, whatever it contains', () => {
    const line = fc.oneof(fc.json(), fc.constantFrom('', ' ', '\r'));
    const body = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.array(line).map((lines) => Buffer.from(lines.join('\n'))),
    );
    fc.assert(
      fc.property(body, fc.constantFrom('text/plain', LINES, FORM, undefined), (bytes, contentType) => {
        expect(edited(bytes, contentType)).toEqual(bytes);
      }),
    );
  });

  it('keeps all bytes of a multipart body without edits, whatever its parts contain', () => {
    const content = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    const type = fc.constantFrom('', '\r\ncontent-type: application/octet-stream', '\r\ncontent-type: image/png');
    fc.assert(
      fc.property(fc.array(fc.tuple(content, type), { minLength: 1 }), (parts) => {
        fc.pre(parts.every(([text]) => !text.includes('--b 1')));
        const body = Buffer.from(
          parts.map(([text, head]) => part(`name="a"${head}`, text)).join('') + '--b 1--',
          'latin1',
        );
        const { textBody } = read(body, PARTS);
        expect(atOnce(textBody!.editing([]))).toEqual(body);
        expect(atOnce(textBody!.editing(maskEdits(textBody!.doc, '\u2603')))).toEqual(body);
      }),
    );
  });
});

/** A body as Python's generator of emails writes it. */
const FEEDS = 'multipart/related; boundary="==b=="';
const related = (...parts: readonly string[]): string => `${parts.map((one) => `--==b==\n${one}\n`).join('')}--==b==--`;
const META = 'Content-Type: application/json\nMIME-Version: 1.0\n\n{"file":{"display_name":"mail"}}';

describe('A body of related parts with bare line feeds', () => {
  it('is read, masked and written with its own line ends', () => {
    const file = 'Content-Type: text/plain\nContent-Transfer-Encoding: binary\n\nmy mail and\r\nmore';
    const body = related(META, file);
    expect(texts(body, FEEDS)).toEqual([{ file: { display_name: 'mail' } }, 'my mail and\r\nmore']);
    expect(edited(body, FEEDS).toString()).toBe(body);
    expect(edited(`${body}\n`, FEEDS).toString()).toBe(`${body}\n`);
    expect(masked(body, FEEDS, 'mail').toString()).toBe(
      related(META.replace('"mail"', '"*\\"\\r\\n"'), file.replace('mail', '*"\r\n')),
    );
  });

  it.each<[string, string, string?]>([
    ['of another type', related(META), 'multipart/form-data; boundary="==b=="'],
    ['with a boundary after the other line end', related(META, `${META}\r\n--==b==\n${META}`)],
    ['with a boundary before the other line end', related(META).replace(/--==b==\n/, '--==b==\r\n')],
    ['with a later boundary before the other line end', related(META, META).replace('}\n--==b==\n', '}\n--==b==\r\n')],
    ['with a closing boundary after the other line end', related(`${META}\r`)],
    ['with the other line end at its end', `${related(META)}\r\n`],
    ['with a boundary after a carriage return', related(`${META}\r--==b==\r`)],
    ['with the other line end in a head', related(META.replace('json\n', 'json\r\n'))],
    ['with a second empty line at which a head could end', related(`${META}\r\n\r\nwords`)],
  ])('is refused %s', (_, body, type = FEEDS) => {
    expect(() => read(body, type)).toThrow(UnreadableBody);
  });
});

describe('A text of many characters', () => {
  it.each([262_142, 262_143, 262_144, 524_286])(
    'is read unchanged if it has a surrogate pair after %d other characters',
    (at) => {
      const text = `${'a'.repeat(at)}\u{1f600} "quoted"\n${'b'.repeat(at)}`;
      expect(read(text, 'text/plain').textBody?.doc.text).toBe(JSON.stringify(text));
    },
  );
});

describe('Reading a body', () => {
  it('keeps the byte order mark in front of JSON', () => {
    const read = atOnce(readingMarkedJson(Buffer.from('\ufeff {"a":"mail"}')))!;
    expect(read.doc.value).toEqual({ a: 'mail' });
    expect(atOnce(read.editing(maskEdits(read.doc, 'mail'))).toString()).toBe('\ufeff {"a":"*\\"\\r\\n"}');
    expect(atOnce(readingMarkedJson(Buffer.from('{}')))).toBeUndefined();
  });

  it('reads all fields in the heads of parts, except names of fields and files, as further texts', () => {
    const heads = [
      'name="a"; note="sesame"',
      'name="b"\r\ncontent-type: text/plain; note=sesame',
      'name="c"\r\nx-note: sesame',
      'name="d"\r\nx-sesame: yes',
    ];
    for (const head of heads) {
      const found = read(`${part(head, 'x')}--b 1--`, PARTS).beside.texts;
      expect(found.map(({ text, fixed }) => [text.includes('sesame'), fixed])).toEqual([[true, true]]);
    }
    const plain = `${part('name="sesame"; filename="sesame.txt"\r\nContent-Type: text/plain; charset=utf-8', 'x')}--b 1--`;
    expect(read(plain, PARTS).beside.texts).toEqual([]);
  });

  it.each(['shift_jis', 'gbk', 'gb18030', 'big5', 'euc-kr', undefined])(
    'reads words like a decoder that takes a letter for half of another character as well: %s',
    (charset) => {
      const type = charset === undefined ? 'text/plain' : `text/plain; charset=${charset}`;
      const body = Buffer.from('say \x8aAsesame\x8aB now', 'latin1');
      expect(read(body, type).beside.texts.map(({ text }) => text)).toEqual([' sesame ']);
    },
  );

  it('reads parts and their heads in the character set of the whole body as well', () => {
    // In UTF-8 a character of three bytes; in GBK the third of them and the letter after it are one character.
    const body = `${part('name="n\u4f60Acinnamon"', 'say \u4f60Asesame')}--b 1--`;
    const found = read(body, `${PARTS}; charset=gbk`).beside.texts.map(({ text }) => text.split(' ').at(-1));
    expect(found).toEqual(expect.arrayContaining(['sesame', expect.stringMatching(/^cinnamon"/)]));
    expect(read(body, PARTS).beside.texts).toEqual([]);
  });

  it('reads the decoded values of a form in its character set', () => {
    const found = read('a=%81xsesame', 'application/x-www-form-urlencoded; charset=gbk').beside.texts;
    expect(found.map(({ text }) => text)).toEqual([' sesame']);
    expect(read('a=b%0Ac', FORM).beside.texts).toEqual([]);
  });

  it('reads the files in the values of a form', () => {
    const escaped = (bytes: Buffer): string => bytes.toString('hex').replace(/../g, '%$&');
    const packed = gzipSync('sesame and some words');
    const { unread, files } = read(`a=b&file=${escaped(packed)}`, FORM).beside;
    expect(unread).toEqual([{ path: 'body', why: 'archive', bytes: packed.length }]);
    expect(files.map(({ bytes }) => bytes)).toEqual([packed]);
    expect(read(`file=${escaped(PNG)}`, FORM).beside.media).toEqual([expect.objectContaining({ type: 'image/png' })]);
    const wide = escaped(Buffer.from('\ufeffsesame and some words', 'utf16le'));
    expect(read(`a=${wide}`, FORM).beside.texts.map(({ text }) => text)).toContain('sesame and some words');
  });

  it('reads no further text if no byte of a letter can be part of another character', () => {
    expect(read(Buffer.from('le caf\xe9 est \xe0 nous', 'latin1'), 'text/plain').beside.texts).toEqual([]);
    expect(read('le caf\u00e9 est \u4f60A\u597d', 'text/plain').beside.texts).toEqual([]);
  });
});

/** Long bodies that are not JSON, of the kinds that are most expensive to read. */
const LONG_BODIES: readonly (readonly [string, string, Buffer])[] = [
  ['bytes that are not UTF-8', 'text/plain', Buffer.from('caf\xe9 '.repeat(200_000), 'latin1')],
  ['JSON lines', 'application/x-ndjson', Buffer.from('{"a":1}\n'.repeat(20_000))],
  ['a form of many pairs', FORM, Buffer.from('&a=b'.repeat(50_000))],
  ['a form of one value in escapes', FORM, Buffer.from(`a=${'%41'.repeat(200_000)}`)],
  ['a form of one value in signs for spaces', FORM, Buffer.from(`a=${'+b'.repeat(200_000)}`)],
  ['JSON that is called a form', FORM, Buffer.from(`["${'%41&'.repeat(100_000)}"]`)],
  ['a word in escapes', 'text/plain', Buffer.from('\\u0041'.repeat(100_000))],
  ['a word in UTF-7', 'text/plain', Buffer.from('+AEE-'.repeat(100_000))],
  ['UTF-16', 'text/plain', Buffer.from(`\ufeff${'some words '.repeat(100_000)}`, 'utf16le')],
  ['letters of two bytes', 'text/plain; charset=gbk', Buffer.from('\x81A'.repeat(100_000), 'latin1')],
];

describe('A long body that is not JSON', () => {
  it.each<[string, string]>([
    ['record separators', `${'\x1e'.repeat(100_000)}{"a":"b"}`],
    ['record separators and blanks', `${'\x1e '.repeat(100_000)}{"a":"b"}`],
    ['values before blanks', `x{}${'{}'.repeat(2_000)}\n{"a":"b"}${' '.repeat(1_000_000)}`],
  ])('is read once, and JSON in it is found: %s', (_, body) => {
    const { textBody } = readBody(Buffer.from(body), contentTypeOf('text/plain'), false);
    expect(JSON.stringify(textBody!.doc.value)).toContain('{"a":"b"}');
  });

  it.each(sampled(LONG_BODIES, 3))('is read in steps that let other work run in between: %s', (_, type, body) => {
    const steps = readingBody(body, contentTypeOf(type), false);
    let stops = 0;
    while (steps.next().done !== true) stops++;
    expect(stops).toBeGreaterThanOrEqual(20);
  });

  it('is rewritten in steps', () => {
    const { textBody } = readBody(Buffer.from('{"a":"x"}\n'.repeat(20_000)), contentTypeOf('application/jsonl'), false);
    const steps = textBody!.editing([]);
    let stops = 0;
    while (steps.next().done !== true) stops++;
    expect(stops).toBeGreaterThanOrEqual(20);
  });
});
