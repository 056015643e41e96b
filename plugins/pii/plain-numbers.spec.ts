import { isIdentifier, isNameLike, isPlain, isPlainOf } from '../../src/core/index.js';
import { NATIONAL_EXAMPLES } from './national/examples.js';
import { pii } from './pii.js';

const scan = pii.create(pii.meta.options.parse({}), { codes: new Set(Object.keys(pii.meta.codes) as never) });

/** The least score that the shipped policies act on; see `policies/_shared/lists.yaml`. */
const LEAST_SCORE = 0.7;
/** Codes outside of the shipped list of a person's numbers. Plates of vehicles are a known exception: words of models look like them. */
const NOT_OF_A_PERSON =
  /^(?:DATE_TIME|IP_ADDRESS|LOCATION|NRP|ORGANIZATION|PERSON|ZIP_CODE|URL|.*(?:VEHICLE|LICENSE_PLATE|VAT|GSTIN|UEN|NIP|CNPJ|ABN|ACN|BRN|NPI|LANR|ROUTING|ORGANISATION).*)$/;

/** Numbers in forms that the examples do not have: with a date since 2000, and found only near a word that names them. */
const OTHERS: readonly (readonly [text: string, number: string])[] = [
  ['NINO AB123456C', 'AB123456C'],
  ['personnummer 20040101-1234', '20040101-1234'],
  ['DNI 20040131R', '20040131R'],
  ['RUT 20.040.131-K', '20.040.131-K'],
  ['RUT 20040131-K', '20040131-K'],
  ['license D123-456', 'D123-456'],
  ['passport AB123456', 'AB123456'],
  ['card 38202401010002', '38202401010002'],
  ['SSN 536-90-4399', '536-90-4399'],
];

const NUMBERS = [...NATIONAL_EXAMPLES.map(({ text, finds }) => [text, finds[0]!.text] as const), ...OTHERS].map(
  ([text, number]) => {
    const label = text.slice(0, text.indexOf(number)).replace(/[^A-Za-z]/g, '');
    return { label: label.slice(-15), number };
  },
);

/** A number as it is printed, and with other separators, in capitals and small letters. */
const spellings = (number: string): string[] => {
  const forms = [number, ...['', '-', '.', '_', '/', ':'].map((separator) => number.replace(/[ ./-]+/g, separator))];
  return [...new Set(forms.flatMap((form) => [form, form.toLowerCase(), form.toUpperCase()]))];
};
const isFound = (text: string, key?: string): boolean =>
  scan(text, key === undefined ? {} : { key }).some(
    ({ code, score }) => score >= LEAST_SCORE && !NOT_OF_A_PERSON.test(code),
  );

describe('A number of a person', () => {
  it('is neither a plain value nor an identifier, alone or after a word', () => {
    const all = NUMBERS.flatMap(({ label, number }) =>
      spellings(number).flatMap((form) => [
        form,
        `${label}:${form}`,
        `${label}-${form}`,
        `${label}/${form}`,
        `a/${form}`,
      ]),
    );
    expect(all.filter((text) => (isPlain(text) || isIdentifier(text)) && isFound(text))).toEqual([]);
  });

  it('is not plain below a name that a client chooses, such as that of a header', () => {
    const named = NUMBERS.flatMap(({ label, number }) => spellings(number).map((form) => ({ name: label, form })));
    const passed = named.filter(({ name, form }) => isPlainOf(name, form) && isFound(form, name));
    expect(passed).toEqual([]);
    expect(isPlainOf('x-birth-date', '2004-01-31')).toBe(false);
  });

  it('is no name of a member, which would be a part of a path and so of errors and violations', () => {
    const all = NUMBERS.flatMap(({ label, number }) =>
      spellings(number).flatMap((form) => [form, `${label}_${form}`, `${label}--${form}`, `_${form}`, `${form}_x`]),
    );
    expect(all.filter((text) => isNameLike(text) && isFound(text))).toEqual([]);
  });
});

describe('A value of a usual form', () => {
  it.each([
    ...[
      'claude-sonnet-4-5-20250929',
      'claude-opus-4-20250514',
      'gpt-4o-2024-08-06',
      'o1-2024-12-17',
      'gpt-3.5-turbo-0125',
    ],
    ...[
      'meta-llama/Llama-3.3-70B-Instruct',
      'gemini-2.5-flash-preview-05-20',
      'anthropic.claude-3-5-sonnet-20241022-v2:0',
    ],
    ...[
      'computer_use_20250124',
      '2025-09-29T12:13:14Z',
      'application/pdf',
      'text-embedding-ada-002',
      'HARM_CATEGORY_HATE_SPEECH',
    ],
  ])('is plain: %s', (value) => {
    expect(isPlain(value)).toBe(true);
  });

  it.each([
    ['anthropic-version', '2023-06-01'],
    ['anthropic-beta', 'fine-grained-tool-streaming-2025-05-14'],
    ['x-stainless-runtime-version', 'v22.14.0'],
    ['x-stainless-package-version', '4.104.0'],
    ['x-stainless-retry-count', '0'],
    ['ttl', '1h'],
  ])('is plain below the name %s: %s', (name, value) => {
    expect(isPlainOf(name, value)).toBe(true);
  });
});
