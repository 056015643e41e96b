import fc from 'fast-check';
import { parseAnnotations } from './annotations.js';

describe('parseAnnotations', () => {
  it('removes annotations and returns their ranges', () => {
    expect(parseAnnotations('Pay {{IBAN:DE89}} to {{pii/EMAIL:a@b.co}}!')).toEqual({
      text: 'Pay DE89 to a@b.co!',
      annotations: [
        { code: 'IBAN', start: 4, end: 8 },
        { detector: 'pii', code: 'EMAIL', start: 12, end: 18 },
      ],
    });
  });

  it('reads four braces as two', () => {
    expect(parseAnnotations('Hello {{{{name}}, {{EMAIL:a@b}}')).toEqual({
      text: 'Hello {{name}}, a@b',
      annotations: [{ code: 'EMAIL', start: 16, end: 19 }],
    });
  });

  it('reads colons, slashes and single braces inside an annotation as text', () => {
    expect(parseAnnotations('{{URL:https://x/{id}?a=1}}').text).toBe('https://x/{id}?a=1');
  });

  it.each([
    ['{{name}}', /CODE/],
    ['{{EMAIL:a@b', /not closed/],
    ['{{EMAIL:}}', /no text/],
    ['{{URL:x{{EMAIL:a}}}}', /nested/],
    ['{{ EMAIL:a }}', /CODE/],
  ])('refuses %s', (source, message) => {
    expect(parseAnnotations(source).error).toMatch(message);
  });

  it('returns the text and the marked parts of any marked text', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'ab {:/😀') }).map((text) => text.replace(/\{+/g, '{'));
    const inner = fc.string({ unit: fc.constantFrom(...'ab :/😀'), minLength: 1 });
    const part = fc.oneof(
      plain.map((text) => ({ source: text.replace(/\{$/, '('), text: text.replace(/\{$/, '(') })),
      inner.map((text) => ({ source: `{{CODE:${text}}}`, text })),
      fc.constant({ source: '{{{{', text: '{{' }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const parsed = parseAnnotations(parts.map(({ source }) => source).join(''));
        expect(parsed.error).toBeUndefined();
        expect(parsed.text).toBe(parts.map(({ text }) => text).join(''));
        const marked = parts.filter(({ source }) => source.startsWith('{{CODE:')).map(({ text }) => text);
        expect(parsed.annotations.map(({ start, end }) => parsed.text.slice(start, end))).toEqual(marked);
      }),
    );
  });

  it('never throws and never marks outside the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}:/aA1 ') }), (source) => {
        const { text, annotations } = parseAnnotations(source);
        for (const { start, end } of annotations) expect(start < end && end <= text.length).toBe(true);
      }),
    );
  });
});
