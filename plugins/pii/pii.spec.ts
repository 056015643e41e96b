import { readFileSync } from 'node:fs';
import fc from 'fast-check';
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

  it.each([
    ['card 4111_1111_1111_1111', 'CREDIT_CARD:4111_1111_1111_1111'],
    ['pay 4111/1111/1111/1111 now', 'CREDIT_CARD:4111/1111/1111/1111'],
    ['pay 4111 - 1111 - 1111 - 1111 now', 'CREDIT_CARD:4111 - 1111 - 1111 - 1111'],
    ['pay 4111  1111  1111  1111 now', 'CREDIT_CARD:4111  1111  1111  1111'],
    ['to DE89.3704.0044.0532.0130.00, please', 'IBAN:DE89.3704.0044.0532.0130.00'],
    ['to DE89_3704_0044_0532_0130_00.', 'IBAN:DE89_3704_0044_0532_0130_00'],
    ['to GB82.WEST.1234.5698.7654.32', 'IBAN:GB82.WEST.1234.5698.7654.32'],
    ['SSN: 536 - 90 - 4399', 'US_SSN:536 - 90 - 4399'],
    ['my SSN is 536/90/4399', 'US_SSN:536/90/4399'],
    ['SSN 536_90_4399', 'US_SSN:536_90_4399'],
    ['生年月日: 1980年7月4日', 'DATE_OF_BIRTH:1980年7月4日'],
    ['출생, 생년월일: 1980년 7월 4일', 'DATE_OF_BIRTH:1980년 7월 4일'],
  ])('finds a number or a date of birth whose groups are separated in an unusual way: %j', (text, value) => {
    expect(found(text)).toEqual([value]);
  });

  it.each([
    ['Дата рождения: 4 июля 1980', 'DATE_OF_BIRTH:4 июля 1980'],
    ['Родилась 04.07.1980 в Казани', 'DATE_OF_BIRTH:04.07.1980'],
    ['Hon är född 4 maj 1980', 'DATE_OF_BIRTH:4 maj 1980'],
    ['Syntymäaika 4.7.1980', 'DATE_OF_BIRTH:4.7.1980'],
    ['Narozena 4. 7. 1980', 'DATE_OF_BIRTH:4. 7. 1980'],
    ['Ngày sinh: 04/07/1980', 'DATE_OF_BIRTH:04/07/1980'],
    ['тел.: 8 495 123 45 67', 'PHONE:8 495 123 45 67'],
    ['我的手机13800138000', 'PHONE:13800138000'],
    ['celular: 11 91234 5678', 'PHONE:11 91234 5678'],
    ['전화번호는 010-1234-5678', 'PHONE:010-1234-5678'],
  ])('finds a date of birth or a telephone number after a word of another language: %s', (text, value) => {
    expect(found(text)).toContain(value);
  });

  it.each([
    ['IBAN DE89 3704 0044 0532\n0130 00 please', 'IBAN:DE89 3704 0044 0532\n0130 00'],
    ['> to DE89 3704 0044 \r\n> 0532 0130 00, please', 'IBAN:DE89 3704 0044 \r\n> 0532 0130 00'],
    ['charge 4111 1111 1111\n1111 today', 'CREDIT_CARD:4111 1111 1111\n1111'],
    ['Please charge 4111 1111\n  1111 1111.', 'CREDIT_CARD:4111 1111\n  1111 1111'],
    ['my card: 4111\n1111 1111 1111', 'CREDIT_CARD:4111\n1111 1111 1111'],
    ['amex 3782\n822463 10005', 'CREDIT_CARD:3782\n822463 10005'],
    ['my SSN is 536 90\n4399.', 'US_SSN:536 90\n4399'],
  ])('finds a number in groups although its line ends between two groups: %j', (text, value) => {
    expect(found(text)).toEqual([value]);
  });

  it.each([
    ['columns of numbers', '4111\n1111\n1111\n1111'],
    ['rows of numbers', '4111 1111 1111\n1111 2222 3333'],
    ['rows of a table', '1 4111 1111 1111\n1111 5'],
    ['columns of a table', '4111  1111  1111  1111\n4111  1111  1111  1111'],
    ['an IBAN over three lines', 'DE89 3704\n0044 0532\n0130 00'],
    ['a number with an empty line in it', 'my card: 4111 1111 1111\n\n1111'],
  ])('does not read %s as one number', (_what, text) => {
    expect(found(text).filter((one) => /^(?:CREDIT_CARD|IBAN|US_SSN)/.test(one))).toEqual([]);
  });

  it('finds a number in groups in a text that arrives in pieces, although its line ends between two groups', () => {
    const codes = new Set(['CREDIT_CARD', 'IBAN', 'US_SSN'] as const);
    const wrapped = pii.create(pii.meta.options.parse({}), { codes });
    const numbers = ['DE89 3704 0044 0532\n> 0130 00', '4111 1111 1111 \r\n1111', 'SSN 536 90\n4399', 'DE89 3704'];
    const pieces = fc.constantFrom(...numbers, 'card ', ' ', '\n', '\r', '> ', 'to ', '4111', '1', ', ', 'de');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        const stream = wrapped.stream?.({}, codes);
        const released = text.split('').flatMap((unit) => stream?.push(unit).findings ?? []);
        expect([...released, ...(stream?.end().findings ?? [])]).toEqual(wrapped(text));
      }),
    );
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
