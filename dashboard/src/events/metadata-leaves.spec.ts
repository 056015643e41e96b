import { readFileSync } from 'node:fs';
import { hasValue, isFilter, leavesOf } from './metadata-leaves.ts';

/** The filters that the values are linked to, as parameters. */
function filtersIn(metadata: Record<string, unknown>): readonly string[] {
  return leavesOf(metadata).flatMap(({ path, values }) =>
    values.filter((value) => isFilter(path, value)).map(({ text }) => `${path}=${text}`),
  );
}

/** `{a: {a: … value}}` of this depth. */
const nested = (depth: number, value: unknown): Record<string, unknown> => ({
  a: depth === 1 ? value : nested(depth - 1, value),
});

describe('Metadata of a call', () => {
  it('is linked to filters by its single values, as the service indexes them', () => {
    const metadata = { user: { id: 7, vip: true }, tags: ['a', 'b'], team: 'ads', note: null };
    expect(filtersIn(metadata)).toEqual(['user.id=7', 'user.vip=true', 'tags=a', 'tags=b', 'team=ads', 'note=null']);
  });

  it('shows every value, also those that no filter finds', () => {
    const metadata = { list: [{ id: 1 }, null, 2], empty: {}, none: [], long: 'x'.repeat(257), deep: nested(4, 'y') };
    expect(leavesOf(metadata).map(({ path, values }) => [path, ...values.map(({ text }) => text)])).toEqual([
      ['list', '{"id":1}', 'null', '2'],
      ['empty', '{}'],
      ['none', '[]'],
      ['long', 'x'.repeat(257)],
      ['deep.a.a.a', '{"a":"y"}'],
    ]);
    expect(filtersIn(metadata)).toEqual(['list=2']);
  });

  it('has no link for a value that the index leaves out because of its size', () => {
    expect(filtersIn({ a: 'x'.repeat(256), b: 'x'.repeat(257) })).toEqual([`a=${'x'.repeat(256)}`]);
    expect(filtersIn({ ['k'.repeat(128)]: 1, ['l'.repeat(129)]: 1 })).toEqual([`${'k'.repeat(128)}=1`]);
    expect(filtersIn(nested(4, 1))).toEqual(['a.a.a.a=1']);
    expect(filtersIn(nested(5, 1))).toEqual([]);
  });

  it('has no link beyond the number of values that the index has', () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`k${n}`, n]));
    expect(filtersIn(many)).toHaveLength(64);
    const last = leavesOf({ ...many, last: { id: 1 } }).at(-1);
    expect(last).toMatchObject({ path: 'last', values: [{ text: '{"id":1}' }] });
  });

  it('has no link where the link would have no filter, or one that the service refuses', () => {
    expect(filtersIn({ empty: '', '': 'x', 'a..b': 1, a: { '': 1 } })).toEqual([]);
    expect(filtersIn(JSON.parse('{"__proto__":"x","team":"ads"}') as Record<string, unknown>)).toEqual(['team=ads']);
  });

  it('is not shown without any value', () => {
    expect(leavesOf({})).toEqual([]);
    expect(leavesOf(null)).toEqual([]);
  });

  it('matches a filter by one of its values', () => {
    const metadata = { user: { id: 7 }, 'user.id': 8, tags: ['a', 'b'] };
    expect(hasValue(metadata, 'user.id', '7')).toBe(true);
    expect(hasValue(metadata, 'user.id', '8')).toBe(true);
    expect(hasValue(metadata, 'tags', 'b')).toBe(true);
    expect(hasValue(metadata, 'user', '{"id":7}')).toBe(false);
    expect(hasValue(null, 'tags', 'b')).toBe(false);
  });

  it('has the limits of the index of the service', () => {
    const limit = /^const MAX_\w+ = \d+;$/gm;
    const limitsOf = (path: string): readonly string[] =>
      [...readFileSync(new URL(path, import.meta.url), 'utf8').matchAll(limit)].map(([line]) => line);
    expect(limitsOf('metadata-leaves.ts')).toEqual(limitsOf('../../../src/events/search-index.ts'));
    expect(limitsOf('metadata-leaves.ts')).toHaveLength(4);
  });
});
