import { parameter } from './query-parameters.js';

describe('a time in a query string', () => {
  const read = (text: string): string => parameter.instant('').read(text).toISOString();

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T08:00:00+02:00', '2026-01-31T06:00:00.000Z'],
    ['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.001Z'],
    ['0000-01-01', '1970-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00+14:00', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T00:00:00.000Z'],
    ['9999-12-31T23:59:59-23:59', '9999-12-31T00:00:00.000Z'],
  ])('is read as a time that the database can store: %s', (text, instant) => {
    expect(read(text)).toBe(instant);
  });

  it.each(['now', '2026-13-01', '2026-01-31T08:00:00', '12026-01-01'])('is refused in another form: %s', (text) => {
    expect(() => read(text)).toThrow('must be an RFC 3339 time');
  });
});
