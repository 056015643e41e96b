import { DatabaseUnavailable } from '../database/index.js';
import { PartDiffers } from '../events/index.js';
import { ErasureRunner } from './erasure-runner.js';
import type { runErasure } from './run-erasure.js';
import { ErasureTaken, ErasureUnreadable, type ClaimedErasure } from './erasures.js';
import { TurnOver } from '../resilience/index.js';

type Parts = ConstructorParameters<typeof ErasureRunner>[0];

/**
 * A runner that finds an erasure of each of two accounts; the one of `first` fails, and that of `second` ends.
 * @param unreadable rejects the claim of `first`
 */
function runner(failure: Error, unreadable?: ErasureUnreadable) {
  const logged: object[] = [];
  const claimed: string[] = [];
  const rested: unknown[][] = [];
  const tried = Promise.withResolvers<void>();
  const erasures = {
    accountsWithWork: () => Promise.resolve(claimed.length === 0 ? ['first', 'second'] : []),
    claim: (accountId: string) => {
      claimed.push(accountId);
      if (accountId === 'first' && unreadable !== undefined) return Promise.reject(unreadable);
      const job = { accountId, id: `erasure of ${accountId}`, selector: { session: 's' } };
      return Promise.resolve(job as unknown as ClaimedErasure);
    },
    rest: (...args: unknown[]) => Promise.resolve(void rested.push(args.slice(1))),
  };
  const of = (accountId: string): Promise<never> => {
    if (accountId === 'first') return Promise.reject(failure);
    tried.resolve();
    return Promise.reject(new ErasureTaken());
  };
  const log = {
    error: (about: object, message: string) => {
      logged.push({ ...about, message });
      if (message.startsWith('the search')) tried.resolve();
    },
  };
  const runs = new ErasureRunner({ archive: {}, erasures, keys: { of } } as unknown as Parts, log);
  return { runs, tried: tried.promise, logged, claimed, rested };
}

describe('The runner of erasures', () => {
  it('reports a statement that took too long with its erasure, and continues with other accounts', async () => {
    const { runs, tried, logged, claimed, rested } = runner(new DatabaseUnavailable('canceling statement', '57014'));
    runs.start();
    await tried;
    await runs.stop();
    expect(claimed).toEqual(['first', 'second']);
    expect(logged).toEqual([
      {
        ...{ error: 'DatabaseUnavailable', code: '57014', erasure: 'erasure of first' },
        message: 'a step of an erasure failed; it will be retried',
      },
    ]);
    expect(rested).toEqual([['running', 60, null]]);
  });

  it('stores the next step for a damaged archive, without the name of the object', async () => {
    const { runs, tried, rested } = runner(new PartDiffers('the object of the archived part 4711 is missing'));
    runs.start();
    await tried;
    await runs.stop();
    const problem = 'A part of the archive is damaged or missing: run weir archive verify, and put its object back';
    expect(rested).toEqual([['running', 60, problem]]);
  });

  it('reports an erasure that cannot be decrypted, and continues with other accounts', async () => {
    const unreadable = new ErasureUnreadable('erasure of first');
    const { runs, tried, logged, claimed } = runner(new Error('no erasure of first runs'), unreadable);
    runs.start();
    await tried;
    await runs.stop();
    expect(claimed).toEqual(['first', 'second']);
    expect(logged).toEqual([
      {
        ...{ error: 'ErasureUnreadable', erasure: 'erasure of first' },
        message: 'a step of an erasure failed; it will be retried',
      },
    ]);
  });

  it('releases an erasure whose turn is over, and continues with other accounts', async () => {
    const { runs, tried, logged, claimed, rested } = runner(new TurnOver());
    runs.start();
    await tried;
    await runs.stop();
    expect([claimed, rested, logged]).toEqual([['first', 'second'], [['running', 0]], []]);
  });

  it('lets the erasures of other accounts run between two parts of the archive, and then continues where it was', async () => {
    const order: string[] = [];
    const waiting = ['large', 'small'];
    const ended = Promise.withResolvers<void>();
    const erasures = {
      accountsWithWork: () => Promise.resolve(waiting.slice(0)),
      claim: (accountId: string) => {
        waiting.splice(waiting.indexOf(accountId), 1);
        return Promise.resolve({ accountId, id: accountId } as unknown as ClaimedErasure);
      },
      rest: () => Promise.resolve(order.push('released')),
    };
    const erase: typeof runErasure = async ({ accountId }, { giveWay }, signal) => {
      for (let part = 1; part <= (accountId === 'large' ? 3 : 1); part++) {
        signal.throwIfAborted();
        order.push(`part ${part} of ${accountId}`);
        // Another account asks for an erasure meanwhile.
        if (part === 2) waiting.push('later');
        await giveWay?.();
      }
      if (accountId === 'large') ended.resolve();
    };
    const parts = { archive: {}, erasures } as unknown as Parts;
    const runs = new ErasureRunner(parts, { error: (_about, message) => void order.push(message) }, 0, erase);
    runs.start();
    await ended.promise;
    await runs.stop();
    expect(order).toEqual([
      ...['part 1 of large', 'part 1 of small', 'part 2 of large'],
      ...['part 1 of later', 'part 3 of large'],
    ]);
  });

  it('runs the erasures of one account one after the other, in turns with another account', async () => {
    const order: string[] = [];
    const waiting = ['first of one', 'second of one', 'first of other'];
    const accountOf = (erasure: string): string => erasure.split(' ').at(-1)!;
    const ended = Promise.withResolvers<void>();
    const erasures = {
      accountsWithWork: () => Promise.resolve([...new Set(waiting.map(accountOf))]),
      claim: (accountId: string) => {
        const id = waiting.find((erasure) => accountOf(erasure) === accountId);
        if (id === undefined) return Promise.resolve(null);
        waiting.splice(waiting.indexOf(id), 1);
        return Promise.resolve({ accountId, id } as unknown as ClaimedErasure);
      },
    };
    const erase: typeof runErasure = async ({ id }, { giveWay }) => {
      for (let part = 1; part <= 3; part++) {
        order.push(`part ${part} of ${id}`);
        await giveWay?.();
      }
      if (id === 'second of one') ended.resolve();
    };
    const parts = { archive: {}, erasures } as unknown as Parts;
    const runs = new ErasureRunner(parts, { error: (_about, message) => void order.push(message) }, 0, erase);
    runs.start();
    while (order.length < 6) await new Promise(setImmediate);
    runs.look();
    await ended.promise;
    await runs.stop();
    expect(order).toEqual([
      ...['part 1 of first of one', 'part 1 of first of other', 'part 2 of first of one', 'part 2 of first of other'],
      ...['part 3 of first of one', 'part 3 of first of other'],
      ...['part 1 of second of one', 'part 2 of second of one', 'part 3 of second of one'],
    ]);
  });

  it('releases erasures that wait for their turn when the service stops', async () => {
    let rested = 0;
    const paused = Promise.withResolvers<void>();
    const erasures = {
      accountsWithWork: () => Promise.resolve(['one']),
      claim: (accountId: string) => Promise.resolve({ accountId, id: accountId } as unknown as ClaimedErasure),
      rest: () => Promise.resolve(void (rested += 1)),
    };
    const erase: typeof runErasure = async (_job, { giveWay }, signal) => {
      for (;;) {
        signal.throwIfAborted();
        paused.resolve();
        await giveWay?.();
      }
    };
    const runs = new ErasureRunner({ archive: {}, erasures } as unknown as Parts, { error: () => undefined }, 0, erase);
    runs.start();
    await paused.promise;
    await runs.stop();
    expect(rested).toBeGreaterThan(0);
  });

  it('waits during an outage of the database', async () => {
    const outage = new DatabaseUnavailable('connection refused', 'ECONNREFUSED');
    const { runs, tried, logged, claimed, rested } = runner(outage);
    runs.start();
    await tried;
    await runs.stop();
    expect([claimed, rested]).toEqual([['first'], []]);
    expect(logged).toEqual([
      {
        ...{ error: 'DatabaseUnavailable', code: 'ECONNREFUSED' },
        message: 'the search for pending erasures failed; retrying',
      },
    ]);
  });
});
