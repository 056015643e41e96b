import '../parts/stored-zone-for-tests.ts';
import { CHANGE_PATTERN, changedBy, changeOf, differencesOf } from './amounts.ts';

describe('A change of an amount', () => {
  it.each([
    ['-2.50', '-2.50'],
    ['+2.50', '2.50'],
    ['−2.50', '-2.50'],
    [' 3 ', '3'],
  ])('may be typed with a sign: %s', (typed, change) => {
    expect(changeOf(typed, 'usd')).toBe(change);
    // Browsers compile the pattern of an input with this flag.
    expect(typed.trim()).toMatch(new RegExp(`^(?:${CHANGE_PATTERN})$`, 'v'));
  });

  it.each(['', '-', '2,50', '1e3', '+-1', '1.1234567891'])('is no amount: %j', (typed) => {
    expect(changeOf(typed, 'usd')).toBeUndefined();
  });

  it('has no fraction of a token', () => {
    expect(changeOf('2.5', 'tokens')).toBeUndefined();
    expect(changeOf('+25', 'tokens')).toBe('25');
  });

  it('is added exactly', () => {
    expect(changedBy('0.1', '0.2')).toBe('0.300000000');
    expect(changedBy('205.105', '-205.105000001')).toBe('-0.000000001');
    expect(changedBy('999999999999', '1')).toBe('1000000000000.000000000');
  });
});

describe('The difference of ledger and log', () => {
  const line: Parameters<typeof differencesOf>[0] = {
    budget: 'team-day',
    environment: 'production',
    period_id: 'p',
    scope: {},
    start: '2026-11-30T00:00:00Z',
    unit: 'usd',
    usage: '3.50',
    ledger: '3.50',
    events: '3.00',
    estimated: '1.00',
    adjusted: '-0.50',
    reserved: '0.00',
    held: '0.00',
    missing_events: 0,
    exact: true,
  };

  it('is none if the ledger has the costs, the estimates and the corrections', () => {
    expect(differencesOf(line)).toEqual([]);
  });

  it('is named with its amount and direction', () => {
    expect(differencesOf({ ...line, events: '2.75' })).toEqual(['the ledger has $0.25 more than the log']);
    expect(differencesOf({ ...line, usage: '3.00', reserved: '0.1' })).toEqual([
      'the budget has $0.50 less than the ledger',
      'the budget has reserved $0.10 more than the ledger',
    ]);
    expect(differencesOf({ ...line, missing_events: 2 })).toEqual(['2 events of the ledger are not in the log']);
  });

  it('has the unit of the budget', () => {
    const tokens = { ...line, unit: 'tokens', usage: '40', ledger: '40', events: '50' } as const;
    expect(differencesOf({ ...tokens, estimated: '0', adjusted: '0' })).toEqual([
      'the ledger has 10 tokens less than the log',
    ]);
  });
});

export {};
