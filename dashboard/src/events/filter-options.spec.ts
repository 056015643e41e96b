import { filtersBeside, MOST_COUNTED, optionsOf, optionsWith, withoutValue, withValues } from './filter-options.ts';

const APPS = [
  { value: 'a-1', label: 'checkout' },
  { value: 'a-2', label: 'support' },
  { value: 'a-3', label: 'Search' },
];

describe('The values of a filter', () => {
  it('are counted without the filter itself, so that others can be chosen beside the present one', () => {
    const filters = { app: 'a-1', 'not.app': 'a-2', model: 'm', 'metadata.app': 'x' };
    expect(filtersBeside(filters, 'app')).toEqual({ model: 'm', 'metadata.app': 'x' });
  });

  it('are all apps or words, also those that no event has', () => {
    const counted = [{ value: 'a-2', label: 'support', count: 7 }];
    const options = optionsOf({}, 'app', { known: APPS, counted });
    expect(options.map(({ label, count }) => [label, count])).toEqual([
      ['checkout', 0],
      ['support', 7],
      ['Search', 0],
    ]);
  });

  it('have no number while they are not counted, or if more values were found than the service counts', () => {
    expect(optionsOf({}, 'app', { known: APPS, counted: undefined })[0]?.count).toBeUndefined();
    const counted = Array.from({ length: MOST_COUNTED }, (_, n) => ({ value: `other-${n}`, count: 1 }));
    const options = optionsOf({}, 'app', { known: APPS, counted });
    expect(options[0]).toMatchObject({ label: 'checkout', count: undefined });
    expect(options).toHaveLength(APPS.length + MOST_COUNTED);
  });

  it('include those that were found or chosen, although they are not known', () => {
    const counted = [{ value: 'gone', label: null, count: 2 }];
    const options = optionsOf({ app: 'a-1,deleted' }, 'app', { known: APPS, counted });
    expect(options.map(({ value, isChosen }) => [value, isChosen])).toEqual([
      ['a-1', true],
      ['a-2', false],
      ['a-3', false],
      ['gone', false],
      ['deleted', true],
    ]);
  });

  it('are found by a part of their name', () => {
    const options = optionsOf({}, 'app', { known: APPS, counted: undefined });
    expect(optionsWith(options, ' SE').map(({ label }) => label)).toEqual(['Search']);
    expect(optionsWith(options, '')).toEqual(options);
    expect(optionsWith(options, 'nobody')).toEqual([]);
  });
});

describe('A chosen value', () => {
  it('is added to those that the filter has', () => {
    expect(withValues({ app: 'a-1' }, 'app', 'a-2')).toEqual({ app: 'a-1,a-2' });
    expect(withValues({}, 'outcome', 'blocked')).toEqual({ outcome: 'blocked' });
    expect(withValues({ outcome: 'blocked' }, 'outcome', 'error,blocked')).toEqual({ outcome: 'blocked,error' });
  });

  it('replaces that of a filter with a single value', () => {
    expect(withValues({ session: 's-1' }, 'session', 's-2')).toEqual({ session: 's-2' });
    expect(withValues({ 'metadata.team': 'ads' }, 'metadata.team', 'a,b')).toEqual({ 'metadata.team': 'a,b' });
  });

  it('is not excluded any more', () => {
    expect(withValues({ 'not.app': 'a-1,a-2' }, 'app', 'a-2')).toEqual({ app: 'a-2', 'not.app': 'a-1' });
    expect(withValues({ 'not.app': 'a-2' }, 'app', 'a-2')).toEqual({ app: 'a-2', 'not.app': undefined });
    const excluded = { 'not.metadata.team': 'ads' };
    expect(withValues(excluded, 'metadata.team', 'ads')).toMatchObject({ 'not.metadata.team': undefined });
    expect(withValues(excluded, 'metadata.team', 'search')).toEqual({ 'metadata.team': 'search' });
  });

  it('is no longer selected if it is excluded', () => {
    expect(withValues({ app: 'a-1,a-2' }, 'not.app', 'a-2')).toEqual({ app: 'a-1', 'not.app': 'a-2' });
  });

  it('is removed alone', () => {
    expect(withoutValue({ app: 'a-1,a-2' }, 'app', 'a-1')).toEqual({ app: 'a-2' });
    expect(withoutValue({ app: 'a-1' }, 'app', 'a-1')).toEqual({ app: undefined });
  });
});
