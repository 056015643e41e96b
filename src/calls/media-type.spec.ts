import { isReadableCharset, kindOfType, looksWide, parameterOf } from './media-type.js';

describe('kindOfType', () => {
  it.each([
    ['text/csv; charset=utf-8', 'text'],
    ['application/x-ndjson', 'text'],
    ['application/vnd.x+json', 'text'],
    ['image/svg+xml', 'text'],
    ['Application/X-WWW-Form-Urlencoded', 'form'],
    ['multipart/form-data; boundary=x', 'multipart'],
    ['audio/mpeg', 'binary'],
    ['application/pdf', 'binary'],
    ['application/octet-stream', 'unknown'],
    ['application/octet-stream; name=a.json', 'unknown'],
    ['nonsense', 'unknown'],
    [undefined, 'unknown'],
  ])('classifies %s as %s', (type, kind) => {
    expect(kindOfType(type)).toBe(kind);
  });
});

describe('a parameter of a media type', () => {
  it('is read with or without quotes', () => {
    expect(parameterOf('multipart/form-data; x=y; Boundary="a \\"b"', 'boundary')).toBe('a "b');
    expect(parameterOf('multipart/form-data;boundary=ab;c=d', 'boundary')).toBe('ab');
    expect(parameterOf('multipart/form-data; xboundary=ab', 'boundary')).toBeUndefined();
  });

  it('names a readable character set only if the set contains ASCII unchanged', () => {
    expect(
      ['utf-8', 'ISO-8859-1', '"Shift_JIS"'].map((set) => isReadableCharset(`text/plain; charset=${set}`)),
    ).toEqual([true, true, true]);
    expect(
      ['utf-16', '"UTF-7"', 'utf32le', 'IBM037'].map((set) => isReadableCharset(`text/plain; charset=${set}`)),
    ).toEqual([false, false, false, false]);
  });
});

describe('looksWide', () => {
  it.each(['{"x":1}', '"words"'])('recognises UTF-16 and UTF-32 by their first bytes: %s', (text) => {
    const little = Buffer.from(text, 'utf16le');
    expect(looksWide(little)).toBe(true);
    expect(looksWide(Buffer.from(little).swap16())).toBe(true);
    expect(looksWide(Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe(true);
    expect(looksWide(Buffer.from(text))).toBe(false);
    expect(looksWide(Buffer.from(`\0${text}`))).toBe(false);
    for (const marked of [text, `\ufeff${text}`]) {
      const wide = Buffer.from(
        [...marked].flatMap((letter) => [letter.charCodeAt(0) & 255, letter.charCodeAt(0) >> 8, 0, 0]),
      );
      expect(looksWide(wide)).toBe(true);
      expect(looksWide(Buffer.from(wide).swap32())).toBe(true);
    }
  });
});
