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
});
