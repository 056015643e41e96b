import { seededBelow } from '../../test/support/seeded-random.js';
import { pii } from './pii.js';

const codes = new Set(Object.keys(pii.meta.codes) as (keyof typeof pii.meta.codes)[]);
const scan = pii.create(pii.meta.options.parse({}), { codes });

/** The least score that the shipped policies act on; see `policies/_shared/lists.yaml`. */
const SHIPPED_SCORE = 0.7;

/** The findings of national identifiers. */
const foundFrom = (text: string, least: number): string[] =>
  scan(text, {})
    .filter(({ code, score }) => score >= least && /^[A-Z]{2}_/.test(code))
    .map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);
const found = (text: string): string[] => foundFrom(text, SHIPPED_SCORE);

/** Numbers of orders: they pass the check of no identifier. */
const ORDERS = ['98765432101', '98765432102', '98765432103'];
/** Numbers that pass the check of Brazilian taxpayers. */
const CPF = ['11144477735', '12345678909', '52998224725', '98765432100'];
const last = CPF[0]!;

const below = seededBelow(7);
/** A random number of eleven digits. */
const randomNumber = (): string => {
  const half = (): string => String(below(100_000)).padStart(5, '0');
  return `${1 + below(9)}${half()}${half()}`;
};

describe('A number in a column of a table', () => {
  it.each([
    ['commas', (number: string) => `Ann,${number},10\n`],
    ['semicolons', (number: string) => `${number};Ann;10\n`],
    ['tabs', (number: string) => `Ann\t${number}\r\n`],
    ['bars', (number: string) => `| Ann | ${number} | 10 |\n`],
    ['quotation marks', (number: string) => `"Ann, and Bob","${number}","10"\n`],
    ['one column', (number: string) => `${number}\n`],
    ['escaped line ends', (number: string) => `${number},Ann\\n`],
  ])('is no identifier because of its checksum alone if the numbers before it pass none: %s', (_what, row) => {
    expect(found([...ORDERS, last].map(row).join(''))).toEqual([]);
    expect(found(row(last))).toContain(`BR_CPF:${last}`);
  });

  it('is still reported to a policy that sets no score', () => {
    const text = [...ORDERS, last].map((number) => `${number},Ann\n`).join('');
    expect(foundFrom(text, pii.meta.codes.BR_CPF.minScore)).toContain(`BR_CPF:${last}`);
  });

  it('is found if most numbers of its column pass a check, even that of another country', () => {
    const foreign = ['10000000146', '11223344595'];
    for (const column of [
      [...CPF.slice(1), last],
      [...foreign, last],
      [ORDERS[0]!, ...foreign, last],
    ]) {
      const text = column.map((number) => `${number},10\n`).join('');
      expect(found(text)).toContain(`BR_CPF:${last}`);
    }
  });

  it('is found if fewer than two rows before it hold a number', () => {
    expect(found(`order,amount\n${ORDERS[0]!},10\n${last},10\n`)).toEqual([`BR_CPF:${last}`]);
    expect(found(`${ORDERS[0]!},10\n,10\n12,10\n${last},10\n`)).toEqual([`BR_CPF:${last}`]);
  });

  it.each(['CPF', 'customerCpf', 'tax_number', 'National ID'])('is found below the heading %s', (heading) => {
    const rows = [...ORDERS, last].map((number) => `A long description of this item,${number}\n`);
    expect(found(`name,${heading}\n${rows.join('')}`)).toContain(`BR_CPF:${last}`);
  });

  it('is found if the numbers before it are in another column, in other words or in a sentence', () => {
    const rows = ORDERS.map((number) => `${number},Ann\n`).join('');
    expect(found(`${rows}Ann,${last}\n`)).toEqual([`BR_CPF:${last}`]);
    expect(found(`${rows}The customer is ${last}.\n`)).toEqual([`BR_CPF:${last}`]);
    expect(found(`${rows}111.444.777-35,Ann\n`)).toEqual(['BR_CPF:111.444.777-35']);
  });

  it('is rarely found among a thousand random numbers', () => {
    const rows = Array.from({ length: 1_000 }, () => `${randomNumber()},${below(900)}\n`);
    expect(found(`order,amount\n${rows.join('')}`).length).toBeLessThan(5);
  });

  it('is judged alike in a text that arrives in pieces', () => {
    const rows = Array.from({ length: 600 }, (_unused, row) => {
      const number = row % 9 === 0 ? CPF[row % CPF.length]! : randomNumber();
      return row % 50 < 25 ? `${number},Ann,${row}\n` : `"Ann, ${row}";"${number}"\n`;
    });
    const text = rows.join('');
    const stream = scan.stream?.({}, codes);
    if (stream === undefined) throw new Error('the detector has no stream');
    const pieces = text.match(/[^]{1,7}/g) ?? [];
    const streamed = pieces.flatMap((piece) => stream.push(piece).findings);
    expect([...streamed, ...stream.end().findings]).toEqual(scan(text, {}));
  });
});
