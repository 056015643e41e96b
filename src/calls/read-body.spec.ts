import { contentTypeOf } from './content-type.js';
import { readBody, readingBody } from './read-body.js';

const CALL = Buffer.from('{"note":"\u00c1\\",\\"prompt\\":\\"x"}');

describe('A body that is JSON', () => {
  it.each(['shift_jis', 'gbk', 'gb18030', 'big5', 'euc-kr', 'windows-31j', 'ks_c_5601-1987'])(
    'is refused if it has another structure when decoded as %s',
    (charset) => {
      const type = contentTypeOf(`application/json; charset=${charset}`);
      for (const promised of [true, false]) expect(() => readBody(CALL, type, promised)).toThrow('malformed');
      expect(readBody(Buffer.from('{"note":"plain"}'), type, true).doc?.value).toEqual({ note: 'plain' });
    },
  );

  it.each(['utf-8', 'iso-8859-1', 'windows-1252', 'euc-jp'])(
    'is read in %s, which contains ASCII unchanged',
    (charset) => {
      const type = contentTypeOf(`application/json; charset=${charset}`);
      expect(readBody(CALL, type, true).doc?.value).toEqual({ note: '\u00c1","prompt":"x' });
    },
  );
});

describe('A body of JSON that is a file as well', () => {
  const page = Buffer.from('["to ma<!--", "-->il-1"]');
  const pdf = Buffer.from('["%PDF-1.4", "1 0 obj", "endstream endobj"]');

  it('is left to the readers of documents unless it has to be JSON', () => {
    for (const file of [page, pdf]) {
      for (const mark of ['', '\ufeff'])
        expect(readBody(Buffer.from(`${mark}${String(file)}`), undefined, false).beside.files).toMatchObject([
          { path: 'body', bytes: file },
        ]);
      expect(readBody(file, undefined, true).beside.files).toEqual([]);
    }
    expect(readBody(pdf, undefined, false).beside.unread).toMatchObject([{ path: 'body', why: 'document' }]);
    expect(readBody(Buffer.from('["text"]'), undefined, false).beside.files).toEqual([]);
  });
});

describe('A body of megabytes', () => {
  it.each([
    ['JSON', `[${'"plain",'.repeat(100_000)}""]`, 90],
    ['one text', 'plain', 1],
  ])('is read in steps that let other work run in between: %s', (_, body, stops) => {
    const steps = readingBody(Buffer.from(body), undefined, false);
    let seen = 0;
    while (steps.next().done !== true) seen++;
    expect(seen).toBeGreaterThanOrEqual(stops);
  });
});
