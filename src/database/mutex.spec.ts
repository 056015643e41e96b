import { Mutex } from './mutex.js';

describe('A mutex', () => {
  it('runs one task at a time, urgent ones first, and one of the others after every two of them', async () => {
    const mutex = new Mutex();
    const order: string[] = [];
    let running = 0;
    const task = (name: string, isUrgent?: boolean): Promise<void> =>
      mutex.run(async () => {
        running += 1;
        expect(running).toBe(1);
        order.push(name);
        await Promise.resolve();
        running -= 1;
      }, isUrgent);
    const all = [task('first'), task('a'), task('b'), task('c')];
    for (const name of ['1', '2', '3', '4', '5']) all.push(task(name, true));
    expect(mutex.load).toBe(9);
    await Promise.all(all);
    expect(order).toEqual(['first', '1', '2', 'a', '3', '4', 'b', '5', 'c']);
    expect(mutex.load).toBe(0);
  });

  it('runs a task that ends its work after all that wait, also after urgent ones', async () => {
    const mutex = new Mutex();
    const order: string[] = [];
    const task = (name: string, isUrgent?: boolean): Promise<unknown> =>
      mutex.run(() => Promise.resolve(order.push(name)), isUrgent);
    const all = [task('first'), task('a')];
    for (const name of ['1', '2', '3', '4']) all.push(task(name, true));
    all.push(
      mutex.runAfterWaiting(() => Promise.resolve(order.push('last'))),
      task('b'),
    );
    await Promise.all(all);
    expect(order).toEqual(['first', '1', '2', '3', '4', 'a', 'last', 'b']);
  });

  it('passes errors to their callers, also those thrown at once, and continues', async () => {
    const mutex = new Mutex();
    await expect(mutex.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    const thrown = mutex.run(() => {
      throw new Error('thrown');
    });
    await expect(thrown).rejects.toThrow('thrown');
    expect(await mutex.run(() => Promise.resolve('done'))).toBe('done');
  });
});
