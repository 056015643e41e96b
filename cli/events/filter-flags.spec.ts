import { filterQuery, type FilterArgs } from './filter-flags.js';

const queryOf = (flags: object): string => decodeURIComponent(filterQuery(flags as FilterArgs, 0).toString());

describe('The filters of events', () => {
  it('contain each key of the metadata and each excluded name', () => {
    expect(queryOf({ metadata: 'team=a,user.id=42' })).toBe('metadata.team=a&metadata.user.id=42');
    expect(queryOf({ not: 'rule=a,b,model=x' })).toBe('not.rule=a,b&not.model=x');
  });

  it('are refused if one of them would replace another one', () => {
    expect(() => queryOf({ metadata: 'team=a,team=b' })).toThrow('--metadata takes each key only once');
    expect(() => queryOf({ not: 'rule=a,rule=b' })).toThrow('--not takes each name only once');
  });
});
