import { hasSeveral, isSameSelection, shownValue, wantedValue } from './filters.ts';

const APPS = [
  { id: 'a-1', name: 'checkout' },
  { id: 'a-2', name: 'support' },
];
const SECRET = `sk_live_wr1_${'a1B2'.repeat(12)}xy`;
const REFUSED = 'This looks like a secret. It was not sent.';

describe('A pasted secret', () => {
  it('does not become the value or the name of a filter', () => {
    expect(wantedValue('key', SECRET, APPS)).toEqual({ value: undefined, problem: REFUSED });
    expect(wantedValue('q', ` ${SECRET} `, APPS).problem).toBe(REFUSED);
    expect(wantedValue(`metadata.${SECRET}`, 'x', APPS).problem).toBe(REFUSED);
  });

  it('is not confused with the public part of a key', () => {
    expect(wantedValue('key', 'sk_live_wr1_yTEz81Kd0aB2', APPS).problem).toBeUndefined();
  });
});

describe('The value of a filter', () => {
  it('is shown as several values only if the filter accepts several', () => {
    expect(shownValue({ name: 'outcome', value: 'blocked,error' }, APPS)).toBe('blocked, error');
    expect(shownValue({ name: 'not.app', value: 'a-1,a-2' }, APPS)).toBe('checkout, support');
    expect(shownValue({ name: 'app', value: 'a-1,gone' }, APPS)).toBe('checkout, gone');
    expect(shownValue({ name: 'q', value: 'a,b' }, APPS)).toBe('a,b');
    expect(shownValue({ name: 'metadata.team', value: 'ads,search' }, APPS)).toBe('ads,search');
  });

  it.each([
    ['q', 'a,b'],
    ['q', 'a, b'],
    ['metadata.team', 'x,y'],
    ['not.metadata.team', 'x,y'],
    ['session', 's,1'],
    ['model', 'gpt-4o,gpt-4o-mini'],
    ['not.app', 'a-1,a-2'],
  ])('is unchanged after it was opened and confirmed: %s=%s', (name, value) => {
    expect(wantedValue(name, shownValue({ name, value }, APPS), APPS)).toEqual({ value });
  });

  it('consists of several values if the filter accepts several and a comma separates them', () => {
    expect(hasSeveral({ name: 'app', value: 'a-1,a-2' })).toBe(true);
    expect(hasSeveral({ name: 'not.model', value: 'a,b' })).toBe(true);
    expect(hasSeveral({ name: 'app', value: 'a-1' })).toBe(false);
    expect(hasSeveral({ name: 'q', value: 'a,b' })).toBe(false);
  });
});

describe('A value that the service would refuse', () => {
  it.each([
    ['outcome', 'blocked,foo', '“foo” is not one of allowed, flagged'],
    ['not.type', 'ai.unknown', '“ai.unknown” is not one of ai.request'],
    ['min_cost_usd', 'x', '“x” is not a number such as 0.05.'],
    ['min_weir_ms', '0.0000000001', '“0.0000000001” is not a number'],
    ['call', 'abc', '“abc” is not the id of an event.'],
    ['key', 'k'.repeat(41), 'A value has at most 40 characters.'],
    ['metadata.a..b', '1', '“metadata.a..b” does not name a key'],
    ['metadata.', '1', '“metadata.” does not name a key'],
  ])('is refused before it is sent: %s=%s', (name, value, problem) => {
    const wanted = wantedValue(name, value, APPS);
    expect(wanted.value).toBeUndefined();
    expect(wanted.problem).toContain(problem);
  });
});

describe('The environment of an export', () => {
  it('may be one of several', () => {
    expect(wantedValue('environment', 'staging, production', APPS)).toEqual({ value: 'staging,production' });
    expect(wantedValue('environment', 'prod', APPS).problem).toContain('is not one of production');
  });
});

describe('A view', () => {
  it('is the shown one in whatever order its filters were chosen', () => {
    expect(
      isSameSelection({ mark: 'none', outcome: 'blocked,redacted' }, { outcome: 'blocked,redacted', mark: 'none' }),
    ).toBe(true);
    expect(isSameSelection({ rule: 'y', outcome: 'blocked' }, { outcome: 'blocked', rule: 'y' })).toBe(true);
    expect(isSameSelection({ outcome: 'redacted,blocked' }, { outcome: 'blocked,redacted' })).toBe(true);
  });

  it('is not the shown one if a filter is missing or differs', () => {
    expect(isSameSelection({ outcome: 'blocked', rule: 'y' }, { outcome: 'blocked' })).toBe(false);
    expect(isSameSelection({ outcome: 'blocked' }, { 'not.outcome': 'blocked' })).toBe(false);
    expect(isSameSelection({ q: 'a,b' }, { q: 'b,a' })).toBe(false);
  });

  it('without filters is the shown one if none is chosen', () => {
    expect(isSameSelection({}, { outcome: undefined, rule: '' })).toBe(true);
    expect(isSameSelection({}, { outcome: 'blocked' })).toBe(false);
  });
});
