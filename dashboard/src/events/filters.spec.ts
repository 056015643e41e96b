import { hasSeveral, shownValue, typedFilters, wantedValue } from './filters.ts';

const APPS = [
  { id: 'a-1', name: 'checkout' },
  { id: 'a-2', name: 'support' },
];
const SECRET = `sk_live_wr1_${'a1B2'.repeat(12)}xy`;
const REFUSED = 'This looks like a secret. It was not sent.';

describe('A pasted secret', () => {
  it.each([SECRET, `why ${SECRET}?`, `key:${SECRET}`, SECRET.replace('sk_live', 'wt_live')])(
    'is not searched for: %s',
    (text) => {
      expect(typedFilters(text, APPS)).toEqual({ filters: {}, problem: REFUSED });
    },
  );

  it('does not become the value or the name of a filter', () => {
    expect(wantedValue('key', SECRET, APPS)).toEqual({ value: undefined, problem: REFUSED });
    expect(wantedValue('q', ` ${SECRET} `, APPS).problem).toBe(REFUSED);
    expect(wantedValue(`metadata.${SECRET}`, 'x', APPS).problem).toBe(REFUSED);
  });

  it('is not confused with the public part of a key', () => {
    expect(typedFilters('key:yTEz81Kd0aB2', APPS)).toEqual({ filters: { key: 'yTEz81Kd0aB2' } });
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
