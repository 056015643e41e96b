import { HashingQueue, TooManyPasswords } from './hashing-queue.js';

describe('the queue of passwords to hash', () => {
  /** Work that ends when the test ends it. */
  const works = (queue: HashingQueue) => {
    const ends: (() => void)[] = [];
    let most = 0;
    let running = 0;
    const start = () =>
      queue.run(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running -= 1;
      });
    return { start, ends, most: () => most };
  };

  it('runs work up to its limit, queues further work, and refuses work when the queue is full', async () => {
    const { start, ends, most } = works(new HashingQueue(2, 3));
    const all = [start(), start(), start(), start(), start()];
    await expect(start()).rejects.toThrow(TooManyPasswords);
    for (let ended = 0; ended < all.length; ended += 1) {
      while (ends.length <= ended) await Promise.resolve();
      ends[ended]?.();
    }
    await Promise.all(all);
    expect(most()).toBe(2);
    const again = start();
    while (ends.length <= all.length) await Promise.resolve();
    ends.at(-1)?.();
    await again;
  });

  it('continues after failed work', async () => {
    const queue = new HashingQueue(1, 1);
    const failed = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(() => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
