import './stored-zone-for-tests.ts';
import {
  ago,
  amount,
  relativeChange,
  columnAmount,
  costSum,
  dollars,
  duration,
  money,
  tableTime,
  unpricedWords,
} from './format.ts';
import { fileSize } from './numbers.ts';
import { isLocalInput, LAST_LOCAL_INPUT, ofLocalInput } from './zone.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');

describe('A time', () => {
  it('is relative within a day', () => {
    expect(ago('2026-11-29T11:57:00Z', NOW)).toMatch(/3/);
    expect(ago('2026-11-28T13:00:00Z', NOW)).toMatch(/23/);
    expect(ago('2026-11-29T14:00:00Z', NOW)).toMatch(/2/);
  });

  it('has its day and hour if it is further away, in the past and in the future', () => {
    for (const at of ['2026-11-27T11:00:00Z', '2026-12-24T11:00:00Z']) {
      expect(ago(at, NOW)).toBe(tableTime(at, NOW));
      expect(ago(at, NOW)).toMatch(/12:00/);
    }
  });
});

describe('A sum of costs', () => {
  it('is no amount if the price of all its calls is unknown, and marked as too low if that of some is', () => {
    expect([costSum('0', 3, 2), unpricedWords(3)]).toEqual(['no price', '3 calls have no price']);
    expect([costSum('1250000000', 1, 2), unpricedWords(1)]).toEqual(['$1.25+', '1 call has no price']);
  });

  it('is the whole amount otherwise, also with a service that does not report calls without a price', () => {
    for (const withoutPrice of [0, undefined]) {
      expect([costSum('0', withoutPrice, 2), unpricedWords(withoutPrice)]).toEqual(['$0', '']);
    }
  });
});

describe('The same amount', () => {
  it.each([
    ['1226000', '0.001226', '$0.00123'],
    ['1224999', '0.001224999', '$0.00122'],
    ['999999999', '0.999999999', '$1.00000'],
    ['7000', '0.000007', '<$0.00001'],
    ['205105000000', '205.105', '$205.10500'],
  ])('has the same digits as the cost of a call and in the ledger of a budget: %s', (nano, decimal, written) => {
    expect(money(nano, 5)).toBe(written);
    expect(columnAmount(decimal, 'usd')).toBe(written);
  });

  it('is rounded half up in sums', () => {
    for (const [nano, decimal, written] of [
      ['205105000000', '205.105', '$205.11'],
      ['-2495000000', '-2.495', '−$2.50'],
      ['1999999999', '1.999999999', '$2.00'],
    ] as const) {
      expect([money(nano, 2), dollars(decimal)]).toEqual([written, written]);
    }
  });

  it('has as many digits as it needs below a dollar', () => {
    expect([dollars('0'), dollars('0.5'), dollars('0.1234567'), dollars('250')]).toEqual([
      ...['$0.00', '$0.50', '$0.12346', '$250.00'],
    ]);
  });
});

describe('A number with a noun', () => {
  it('has the plural unless it is one', () => {
    expect(['0', '1', '2', '1000'].map((tokens) => amount(tokens, 'tokens'))).toEqual([
      ...['0 tokens', '1 token', '2 tokens', '1,000 tokens'],
    ]);
  });
});

describe('A duration', () => {
  it('has the unit and the digits of its rounded value', () => {
    expect([1.34, 99.96, 842, 999.7, 1_250, 1_234_567].map(duration)).toEqual([
      ...['1.3 ms', '100 ms', '842 ms', '1.0 s', '1.3 s', '1,234.6 s'],
    ]);
    expect(duration(null)).toBe('–');
  });
});

describe('A change', () => {
  it('is in percent like shares, with its sign', () => {
    expect([
      relativeChange(106, 100),
      relativeChange(88, 100),
      relativeChange(100, 100),
      relativeChange(2_100, 100),
    ]).toEqual([...['+6%', '−12%', '0%', '+2,000%']]);
  });
});

describe('The size of a file', () => {
  it('is in the largest unit of which there is at least one', () => {
    expect([214, 3_100, 84_000_000, 12_345_600_000].map(fileSize)).toEqual(['214 B', '3 kB', '84.0 MB', '12.3 GB']);
  });
});

describe('The end of a day', () => {
  it('is a minute before midnight in the chosen time zone', () => {
    expect(ofLocalInput('2026-12-01T23:59')).toBe('2026-12-01T22:59:00.000Z');
    expect(ofLocalInput('2026-07-01T23:59')).toBe('2026-07-01T21:59:00.000Z');
  });
});

describe('A typed time', () => {
  it('is refused if its year has more than four digits, because such a time has no standard text', () => {
    expect(isLocalInput('12026-11-01T10:00')).toBe(false);
    expect(isLocalInput('122026-11-01T10:00')).toBe(false);
    expect(isLocalInput('')).toBe(false);
  });

  it('is accepted up to the last year of four digits', () => {
    for (const text of ['2026-11-01T10:00', LAST_LOCAL_INPUT]) {
      expect(isLocalInput(text)).toBe(true);
      expect(ofLocalInput(text)).toMatch(/^\d{4}-/);
    }
  });
});

export {};
