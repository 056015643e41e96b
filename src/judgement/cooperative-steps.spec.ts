import { afterOthers } from './cooperative-steps.js';

describe('Long tasks that yield to others', () => {
  it('take turns, with other work between two turns', async () => {
    const done: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) {
        await afterOthers();
        done.push(name);
      }
    };
    let isOver = false;
    // Interleaved work runs after each turn, never only after two.
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

  it('finish tasks that have begun before new ones begin, without starving the new ones', async () => {
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
    // One of four turns goes to waiting tasks, so at least three turns of tasks in progress lie between the two.
    expect(done.indexOf('two') - done.indexOf('one')).toBeGreaterThan(3);
  });
});
