import { memoizeByObject } from './memoize.js';

describe('a value memoized by an object', () => {
  it('is computed once for each object, even if the value is undefined', () => {
    const asked: object[] = [];
    const lengthOf = memoizeByObject((list: readonly string[]) => {
      asked.push(list);
      return list.length === 0 ? undefined : list.length;
    });
    const [empty, two] = [[], ['a', 'b']];
    expect([lengthOf(empty), lengthOf(two), lengthOf(empty), lengthOf(two)]).toEqual([undefined, 2, undefined, 2]);
    expect(asked).toEqual([empty, two]);
  });

  it('is computed separately for an equal but different object', () => {
    const copyOf = memoizeByObject((list: readonly string[]) => [...list]);
    expect(copyOf(['a'])).not.toBe(copyOf(['a']));
  });

  it('is computed again after a failure', () => {
    let fails = true;
    const nameOf = memoizeByObject(({ name }: { readonly name: string }) => {
      if (fails) throw new Error('not now');
      return name;
    });
    const person = { name: 'Ada' };
    expect(() => nameOf(person)).toThrow('not now');
    fails = false;
    expect(nameOf(person)).toBe('Ada');
  });
});
