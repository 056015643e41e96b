import { isIdentifier, isPlain } from '../../src/core/index.js';
import { pii } from './pii.js';

const codes = new Set(Object.keys(pii.meta.codes) as (keyof typeof pii.meta.codes)[]);
const scan = pii.create(pii.meta.options.parse({}), { codes });

/** The findings of numbers that name a person or an account; telephone numbers and dates have boundaries of their own. */
const found = (text: string): string[] =>
  scan(text, {})
    .filter(({ code, score }) => score >= pii.meta.codes[code].minScore && !/PHONE|DATE_TIME|PERSON/.test(code))
    .map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);

describe('The boundaries of a number', () => {
  it.each([
    ['id,card,cvv\n1001,4111111111111111,123', 'CREDIT_CARD:4111111111111111'],
    ['1001,4111111111111111,123', 'CREDIT_CARD:4111111111111111'],
    ['7,4111 1111 1111 1111,12', 'CREDIT_CARD:4111 1111 1111 1111'],
    ['name,ssn,salary\nAnn,536-90-4399,80000', 'US_SSN:536-90-4399'],
    ['12,536-90-4399,80000', 'US_SSN:536-90-4399'],
    ['id,ssn,salary\n7,536904399,80000', 'US_SSN:536904399'],
    ['id,itin,n\n7,912-70-1234,3', 'US_ITIN:912-70-1234'],
    ['12,12345678Z,30', 'ES_NIF:12345678Z'],
    ['1001,111.444.777-35,500', 'BR_CPF:111.444.777-35'],
    ['id,nhs number,age\n7,401 023 2137,30', 'UK_NHS:401 023 2137'],
    ['id,passport,age\n7,C01X00T47,30', 'PASSPORT:C01X00T47'],
  ])('let a row of a table be read: %j', (text, value) => {
    expect(found(text)).toEqual([value]);
  });

  it.each([
    'pay 4111111111111111/12/28',
    '4111111111111111:12:28',
    '4111111111111111:1228:123',
    '4111111111111111,12,28',
  ])('let the expiry date of a card follow: %j', (text) => {
    expect(found(text)).toEqual(['CREDIT_CARD:4111111111111111']);
  });

  it.each([
    ['pay 4111 1111 1111 1111 12/26', 'CREDIT_CARD:4111 1111 1111 1111'],
    ['pay 4111 1111 1111 1111 12/2026 123', 'CREDIT_CARD:4111 1111 1111 1111'],
    ['card 4111 1111 1111 1111 123', 'CREDIT_CARD:4111 1111 1111 1111'],
    ['card 4111 1111 1111 1111 123 12/26', 'CREDIT_CARD:4111 1111 1111 1111'],
    ['pay 4111 1111-1111 1111 now', 'CREDIT_CARD:4111 1111-1111 1111'],
    ['NHS number 401 023 2137 1980-05-01', 'UK_NHS:401 023 2137'],
    ['NHS number 401 023 2137 01.05.1980', 'UK_NHS:401 023 2137'],
  ])('let a date or a security code follow groups of digits behind a space: %j', (text, value) => {
    expect(found(text)).toEqual([value]);
  });

  it.each(['4111 1111 1111 1111 123', 'card 4111 1111 1111 1111 2222', 'card 4111 1111 1111 1111 123 4567'])(
    'keep out a row of further groups: %s',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );

  it.each([
    ['SSN #536-90-4399', 'US_SSN:536-90-4399'],
    ['ss#536-90-4399', 'US_SSN:536-90-4399'],
    ['SSN#:536-90-4399', 'US_SSN:536-90-4399'],
    ['card #4111111111111111', 'CREDIT_CARD:4111111111111111'],
    ['passport #C01X00T47', 'PASSPORT:C01X00T47'],
    ["driver's license #D1234567", 'DRIVER_LICENSE:D1234567'],
    ['NHS number #401 023 2137', 'UK_NHS:401 023 2137'],
  ])('let a number sign stand before a number that a word names: %j', (text, value) => {
    expect(found(text)).toEqual([value]);
  });

  it.each([
    ['thousands', 'a total of 1,234,567,890 rows, and 536,904,399 of them twice'],
    ['an amount with a decimal comma', 'BSN fee 111.222.333,00 EUR, 111 222 333,50 EUR and licence 1234567,50 EUR'],
    ['coordinates', '52.520008,13.404954 and 52.5200081234,13.4049541234'],
    ['a list of keys', '123456789,987654321,536904399,4010232137'],
    ['seconds and milliseconds since 1970', 'at,n\n1732184406,5\n1732184409123,7'],
    ['long keys of rows', '4000000000006,5\n4000000000000000006,7'],
    ['the number of an order', '#4111111111111111, #536-90-4399 and order #111444777-35'],
    ['an order paid by card', 'the card was charged for order #4111111111111111 and invoice no. #4111111111111111'],
    ['a colour', 'license badge #ff0000 and #A12345'],
    ['an amount in money', 'card $4111111111111111'],
    ['a bank account with its bank', '123456789/0800 and 19-2000145399/0800'],
    ['a part of a decimal', 'card 0.4111111111111111 and 4111111111111111.5'],
  ])('keep out %s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });

  it.each(['1001,4111111111111111,123', 'ss#536-90-4399', '4111111111111111/12/28', '4111111111111111:12:28'])(
    'make no plain value or identifier out of %s',
    (text) => {
      expect(isPlain(text) || isIdentifier(text)).toBe(false);
    },
  );

  it('are read alike in a text that arrives unit by unit', () => {
    const text =
      'id,card,cvv\n1001,4111111111111111,123\nss#536-90-4399 4111111111111111/12/28 7,12345678Z,3 #1,536-90-4399,\n' +
      'card 4111 1111 1111 1111 12/26 card 4111 1111 1111 1111 123 NHS 401 023 2137 1980-05-01 card 4111 1111 1111';
    const stream = pii.create(pii.meta.options.parse({}), { codes }).stream?.({}, codes);
    const released = text.split('').flatMap((unit) => stream?.push(unit).findings ?? []);
    expect([...released, ...(stream?.end().findings ?? [])]).toEqual(scan(text, {}));
  });
});
