import type { DetectorExample } from '../../src/core/plugin-api.js';
import type { PiiCode } from './codes.js';
import { NATIONAL_EXAMPLES } from './national/examples.js';

/** Numbers that only a word identifies, with the word. */
const NAMED: readonly (readonly [code: PiiCode, text: string, number: string])[] = [
  ['NATIONAL_ID', 'cédula 1.020.304.050', '1.020.304.050'],
  ['TAX_NUMBER', 'EIN 12-3456789', '12-3456789'],
  ['VAT_ID', 'VAT NL004495445B01', 'NL004495445B01'],
  ['HEALTH_ID', 'medical record number 00482913', '00482913'],
  ['BANK_ACCOUNT', 'account number 000123456789', '000123456789'],
  ['CARD_CODE', 'CVV 123', '123'],
  ['DEVICE_ID', 'IMEI 490154203237518', '490154203237518'],
  ['VEHICLE_ID', 'VIN 1HGCM82633A004352', '1HGCM82633A004352'],
];
const NAMED_EXAMPLES: readonly DetectorExample<PiiCode>[] = NAMED.map(([code, text, number]) => ({
  text,
  finds: [{ code, text: number }],
  why: code,
}));

/** Examples that the spec runs and the documentation shows. No people, numbers or places are real. */
export const EXAMPLES: readonly DetectorExample<PiiCode>[] = [
  {
    why: 'the domain of an e-mail address must end with a public suffix',
    text: 'Write to ann.lee+news@mail.example.org. Or <bob@example.co.uk>, not @handle or a@b.',
    finds: [
      { code: 'EMAIL', text: 'ann.lee+news@mail.example.org' },
      { code: 'EMAIL', text: 'bob@example.co.uk' },
    ],
  },
  {
    why: 'telephone numbers in national and international form, with extensions',
    text: 'Call +49 30 901820 or (415) 555-0132 ext. 12, tel 0171 1234567. Since 2019-03-04 it is not 12.345.678.',
    finds: [
      { code: 'PHONE', text: '+49 30 901820' },
      { code: 'PHONE', text: '(415) 555-0132 ext. 12' },
      { code: 'PHONE', text: '0171 1234567' },
      { code: 'DATE_TIME', text: '2019-03-04' },
    ],
  },
  {
    why: 'a card number must be in the range of an issuer and pass the Luhn check',
    text: 'Card 4111 1111 1111 1111, not 4111 1111 1111 1112; amex 3782-822463-10005.',
    finds: [
      { code: 'CREDIT_CARD', text: '4111 1111 1111 1111' },
      { code: 'CREDIT_CARD', text: '3782-822463-10005' },
    ],
  },
  {
    why: 'an IBAN must have the length of its country and valid check digits',
    text: 'IBAN DE89 3704 0044 0532 0130 00 please, GB82WEST12345698765432, not DE88370400440532013000.',
    finds: [
      { code: 'IBAN', text: 'DE89 3704 0044 0532 0130 00' },
      { code: 'IBAN', text: 'GB82WEST12345698765432' },
    ],
  },
  {
    why: 'a Social Security number must be in an assigned range',
    text: 'SSN 536-90-4399, not 000-12-3456, 666-12-3456 or 536-00-4399.',
    finds: [{ code: 'US_SSN', text: '536-90-4399' }],
  },
  { why: 'taxpayer numbers start with 9', text: 'ITIN 912-70-1234', finds: [{ code: 'US_ITIN', text: '912-70-1234' }] },
  {
    why: 'IP addresses are found, version numbers are not',
    text: 'From 203.0.113.7 and 2001:db8::8a2e:370:7334 with version 10.2.3.4 of std::string at 12:30:45.',
    finds: [
      { code: 'IP_ADDRESS', text: '203.0.113.7' },
      { code: 'IP_ADDRESS', text: '2001:db8::8a2e:370:7334' },
      { code: 'DATE_TIME', text: '12:30:45' },
    ],
  },
  {
    why: 'MAC addresses',
    text: 'Ethernet 00:1B:44:11:3A:B7',
    finds: [{ code: 'MAC_ADDRESS', text: '00:1B:44:11:3A:B7' }],
  },
  {
    why: 'wallet addresses',
    text: 'Wallet bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    finds: [{ code: 'CRYPTO_ADDRESS', text: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }],
  },
  {
    why: 'a date is a date of birth if a word or key next to it means birth',
    text: 'Born on 4 July 1980 in Bonn; joined the company on 2001-02-03.',
    finds: [
      { code: 'DATE_OF_BIRTH', text: '4 July 1980' },
      { code: 'LOCATION', text: 'Bonn' },
      { code: 'DATE_TIME', text: '2001-02-03' },
    ],
  },
  {
    why: 'a JSON key names its value',
    text: '1980-07-04',
    key: 'date_of_birth',
    finds: [{ code: 'DATE_OF_BIRTH', text: '1980-07-04' }],
  },
  {
    why: 'a passport number is found only next to a word such as passport',
    text: 'Passport no. X1234567. The spare part that was ordered yesterday is no. X1234568.',
    finds: [{ code: 'PASSPORT', text: 'X1234567' }],
  },
  {
    why: 'a driving licence number is found only next to a word such as licence',
    text: "Driver's license D123-4567-8901",
    finds: [{ code: 'DRIVER_LICENSE', text: 'D123-4567-8901' }],
  },
  {
    why: 'web addresses, when switched on',
    text: 'See https://example.org/a?b=1.',
    finds: [{ code: 'URL', text: 'https://example.org/a?b=1' }],
  },
  {
    why: 'names of people are found by lexicon, shape and context',
    text: 'Dear Ms. Okonjo, Lena Andersson said that Piotr K. Nowakowski met Tom in San Antonio on Main Street.',
    finds: [
      { code: 'PERSON', text: 'Okonjo' },
      { code: 'PERSON', text: 'Lena Andersson' },
      { code: 'PERSON', text: 'Piotr K. Nowakowski' },
      { code: 'PERSON', text: 'Tom' },
      { code: 'LOCATION', text: 'San Antonio' },
    ],
  },
  {
    why: 'every value under a JSON key for names is found',
    text: 'Xi',
    key: 'last_name',
    finds: [{ code: 'PERSON', text: 'Xi' }],
  },
  {
    why: 'an address includes the postal code and the country after it',
    text: 'Ship it to 12 Oak Lane, Apt 4, Springfield, IL 62704 or to Hauptstraße 5.',
    finds: [
      { code: 'ADDRESS', text: '12 Oak Lane, Apt 4, Springfield, IL 62704' },
      { code: 'ADDRESS', text: 'Hauptstraße 5' },
    ],
  },
  {
    why: 'postal codes next to a word such as postcode',
    text: 'postcode SW1A 1AA, zip: 90210',
    finds: [
      { code: 'ZIP_CODE', text: 'SW1A 1AA' },
      { code: 'ZIP_CODE', text: '90210' },
    ],
  },
  {
    why: 'places, groups and firms, when switched on',
    text: 'A Belgian engineer from Portugal works for Acme Widgets Ltd.',
    finds: [
      { code: 'NRP', text: 'Belgian' },
      { code: 'LOCATION', text: 'Portugal' },
      { code: 'ORGANIZATION', text: 'Acme Widgets Ltd.' },
    ],
  },
  ...NAMED_EXAMPLES,
  ...NATIONAL_EXAMPLES,
];
