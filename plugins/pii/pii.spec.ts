import { readFileSync } from 'node:fs';
import { describeDetector } from '../../test/support/describe-detector.js';
import { pii } from './pii.js';

describeDetector(pii);

const scan = pii.create(pii.meta.options.parse({}), { codes: new Set(Object.keys(pii.meta.codes) as never) });
const found = (text: string, key?: string): string[] =>
  scan(text, key === undefined ? {} : { key })
    .filter((finding) => finding.score >= pii.meta.codes[finding.code].minScore)
    .map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);

describe('pii', () => {
  it.each([
    ['a sequence of digits inside an identifier', 'build-4111111111111111-x f3d4111111111111111 0.4111111111111111'],
    ['a UUID', '550e8400-e29b-41d4-a716-446655440000'],
    ['amounts and counts', '12,345,678 rows, 1.234.567 EUR, 99.95, 1/2, 1234567'],
    ['code', 'std::vector<int> a::b; if (x == 12345678) return 0x1F;'],
    ['a time stamp in milliseconds', '{"at": 1732184400123}'],
    ['a bare number of nine digits', 'there are 536904399 of them in the file'],
    ['broadcast addresses', 'ff:ff:ff:ff:ff:ff 00:00:00:00:00:00'],
  ])('ignores %s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });

  it.each(['00:1b:44:11:3a:b7', 'de-ad-be-ef-ca-fe', '001B.4411.3AB7'])('finds the hardware address %s', (address) => {
    expect(found(`its MAC is ${address}.`)).toEqual([`MAC_ADDRESS:${address}`]);
    expect(found(`id:${address}:00 or 9-${address} or ${address}1`)).toEqual([]);
  });

  it('finds numbers with full-width digits, zero-width characters and unusual dashes', () => {
    expect(found('card ４１１１ １１１１ １１１１ １１１１')).toEqual([
      'CREDIT_CARD:４１１１ １１１１ １１１１ １１１１',
    ]);
    expect(found('ann@exa\u200bmple.org')).toEqual(['EMAIL:ann@exa\u200bmple.org']);
    expect(found('SSN 536\u201190\u20114399')).toEqual(['US_SSN:536\u201190\u20114399']);
  });

  it('reports well-known specimens of Social Security numbers only if the text names them as such', () => {
    for (const specimen of ['078-05-1120', '123-45-6789', '219-09-9999']) {
      expect(found(`My SSN is ${specimen}`)).toEqual([`US_SSN:${specimen}`]);
      expect(found(`part no ${specimen} is out of stock`)).not.toContain(`US_SSN:${specimen}`);
    }
  });

  it('classifies a text that consists only of a number by its checksum', () => {
    expect(found('401 023 2137')).toContain('UK_NHS:401 023 2137');
    expect(found('401 023 2138')).not.toContain('UK_NHS:401 023 2138');
  });

  it('finds national telephone numbers only of the configured countries', () => {
    const phones = (regions: string[]) =>
      pii.create(pii.meta.options.parse({ regions }), { codes: new Set(['PHONE']) });
    expect(phones(['CH'])('so 044 668 18 00 it is')).toHaveLength(1);
    expect(phones(['US'])('so 044 668 18 00 it is')).toEqual([]);
    const german = pii.create(pii.meta.options.parse({ locales: ['de'] }), { codes: new Set(['PHONE']) });
    expect(german('so 044 668 18 00 it is')).toHaveLength(1);
  });

  it('finds names in lower case if preceding words announce them', () => {
    expect(found('hi, my name is lena andersson and i am here')).toEqual(['PERSON:lena andersson']);
    expect(found('i am done, thanks for asking, said everyone')).toEqual([]);
  });

  it('refuses regions that do not exist', () => {
    expect(pii.meta.options.safeParse({ regions: ['XX'] }).success).toBe(false);
    expect(pii.meta.options.safeParse({ locales: ['constructor'] }).success).toBe(false);
  });

  it('lists every code correctly in its documentation', () => {
    const page = readFileSync(new URL('pii.md', import.meta.url), 'utf8').replace(/ {2,}|-{2,}/g, ' ');
    for (const [code, { title, enabled, minScore }] of Object.entries(pii.meta.codes)) {
      expect(page).toContain(`| \`${code}\` | ${title} | ${enabled ? 'on' : 'off'} | ${minScore} |`);
    }
  });
});
