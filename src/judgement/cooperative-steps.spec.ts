import { afterOthers } from './cooperative-steps.js';

describe('Long works that let others go first', () => {
  it('go on one at a time, each in its turn', async () => {
    const done: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) {
        await afterOthers();
        done.push(name);
      }
    };
    let isOver = false;
    // What comes in between is asked after each turn, and never after two of them.
    const between = (): void => {
      done.push('other');
      if (!isOver) setImmediate(between);
    };
    setImmediate(between);
    await Promise.all([work('a'), work('b'), work('c')]);
    isOver = true;
    const works = done.filter((name) => name !== 'other');
    expect(works).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
    for (const [index, name] of done.entries()) {
      if (name !== 'other' && index > 0) expect(done[index - 1]).toBe('other');
    }
  });

  it('bring what has begun to its end before others begin, and let those begin all the same', async () => {
    const done: string[] = [];
    const begun = async (): Promise<void> => {
      for (let taken = 1; taken <= 6; taken++) {
        await afterOthers(taken);
        done.push('begun');
      }
    };
    const waits = async (name: string): Promise<void> => {
      await afterOthers();
      done.push(name);
    };
    await Promise.all([waits('one'), waits('two'), begun()]);
    expect(done.filter((name) => name !== 'begun')).toEqual(['one', 'two']);
    // Of four turns one is for what waits: three at least of what has begun stand between the two.
    expect(done.indexOf('two') - done.indexOf('one')).toBeGreaterThan(3);
  });
});
