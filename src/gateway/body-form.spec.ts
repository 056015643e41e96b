import fc from 'fast-check';
import { bodyWithTexts, textsOfBody } from './body-form.js';

const FORM = 'application/x-www-form-urlencoded; charset=utf-8';

describe('textsOfBody', () => {
  it.each([
    ['text/plain', 'a "b" \u00e9', 'a "b" \u00e9'],
    ['application/x-ndjson', '{"a":1}\n{"b":2}\n', '{"a":1}\n{"b":2}\n'],
    ['text/xml; charset=utf-8', '<a/>', '<a/>'],
    [FORM, 'to=anna%40x.org&note=a+b=c&flag&=', ['to', 'anna@x.org', 'note', 'a b=c', 'flag', '', '']],
    [FORM, 'bad=%zz&%ff', ['bad', '%zz', '%ff']],
  ])('reads %s', (contentType, body, texts) => {
    const read = textsOfBody(body, contentType)!;
    expect(read.doc.value).toEqual(texts);
    expect(bodyWithTexts(read, read.doc.text)).toBe(body);
  });

  it.each([undefined, 'application/octet-stream', 'multipart/form-data; boundary=x', 'image/png'])(
    'knows no text in %s',
    (contentType) => {
      expect(textsOfBody('x', contentType)).toBeUndefined();
    },
  );
});

describe('bodyWithTexts', () => {
  it('changes only the parts of a form that were changed', () => {
    const body = 'to=anna%40x.org&%6eote=a+b&to=%7a';
    const changed = '["to","[E 1]&","note","a b","to","z"]';
    expect(bodyWithTexts(textsOfBody(body, FORM)!, changed)).toBe('to=%5BE+1%5D%26&%6eote=a+b&to=%7a');
  });

  it('gives back the very same body when nothing was changed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('text/plain', FORM), (body, contentType) => {
        const read = textsOfBody(body, contentType)!;
        expect(bodyWithTexts(read, read.doc.text)).toBe(body);
      }),
    );
  });
});
