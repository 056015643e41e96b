import { DatabaseUnavailable } from '../database/index.js';
import { PartDiffers } from '../events/index.js';
import { ErasureRunner } from './erasure-runner.js';
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
