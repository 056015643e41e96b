import { NEW_EXPORT } from './api-schemas.js';

/** The maximum size of a management request. */
const BODY_BYTES = 64 * 1024;

describe('The filters of an export', () => {
  const order = (filters: Readonly<Record<string, string>>) => ({ format: 'csv', filters });
  const filtersOf = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`metadata.key${index}`, value]));

  it.each([
    ['of one byte per character', filtersOf(40, 'x'.repeat(390))],
    ['of three bytes per character', filtersOf(5, '漢'.repeat(1_000))],
  ])('may have as many bytes as a query string, and then fit into a request, even with escapes: %s', (_, filters) => {
    expect(NEW_EXPORT.safeParse(order(filters)).success).toBe(true);
    const escaped = JSON.stringify(order(filters)).replace(
      /[^ -~]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(Buffer.byteLength(escaped)).toBeLessThan(BODY_BYTES);
  });

  it.each([
    ['more bytes', filtersOf(6, '漢'.repeat(1_000)), 'must have at most 16 KiB together'],
    ['more filters', filtersOf(41, 'x'), 'must be at most 40'],
  ])('may not have %s', (_, filters, message) => {
    expect(NEW_EXPORT.safeParse(order(filters)).error?.issues).toMatchObject([{ path: ['filters'], message }]);
  });
});
