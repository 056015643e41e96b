import { NotStored } from '../object-storage/index.js';
import type { ClaimedErasure } from './erasures.js';
import { runErasure, type ErasureParts } from './run-erasure.js';
import { TurnOver } from '../resilience/index.js';

const [ACCOUNT, EVENT] = ['0192f000-0000-7000-8000-00000000000a', '0192f000-0000-7000-8000-000000000001'];
const PART = {
  ...{ account_id: ACCOUNT, id: 'part', environment: 'production', week: 'events_w20240101', state: 'archived' },
  ...{ object_key: 'key', first_id: EVENT, last_id: EVENT, events: 1, bytes: 1 },
  ...{ sha256: null, digest: null, rows_sum: null, keep_until: null },
};
const JOB = {
  ...{ accountId: ACCOUNT, id: 'erasure', runner: 'run', dryRun: true, by: { kind: 'token', id: null }, problem: null },
  selector: { metadata: { user_id: 'u1' } },
  progress: {
    ...{ pass: 1, cursor: null, untilId: null, openFrom: null, openCalls: 0, found: 0, counts: {}, tables: [] },
  },
} as unknown as ClaimedErasure;

/** A dry run for an account whose log has one event, or none, and whose archive has one part. */
function searching(events: number, more: object) {
  const positions: (string | null)[] = [];
  let left = events;
  const query = (statement: string): Promise<object[]> => {
    if (statement.includes('FROM archive_parts p')) return Promise.resolve([PART]);
    if (!statement.includes('AS last')) return Promise.resolve([]);
    left -= 1;
    return Promise.resolve(left >= 0 ? [{ last: EVENT }] : []);
  };
  const session = { query, transaction: (work: (transaction: object) => Promise<unknown>) => work({ query }) };
  const { erasures, ...rest } = { erasures: {}, ...more };
  const parts = {
    database: { clock: { nowMs: () => 0 }, sql: { forDuty: () => session } },
    holdsOf: () => Promise.resolve(new Map()),
    longestCallMs: 0,
    erasures: {
      advance: (_transaction: object, _job: object, progress: { readonly cursor: string | null }) =>
        Promise.resolve(void positions.push(progress.cursor)),
      overcome: () => Promise.resolve(),
      ...erasures,
    },
    ...rest,
  } as unknown as ErasureParts;
  return { positions, run: () => runErasure(JOB, parts, new AbortController().signal) };
}

describe('An erasure', () => {
  it('lets those of other accounts run after its turn, and keeps its position in the log', async () => {
    const { run, positions } = searching(2, { isTurnOver: () => true });
    await expect(run()).rejects.toBeInstanceOf(TurnOver);
    expect(positions).toEqual([EVENT]);
  });

  it('keeps its lease while the archive is slow', async () => {
    const [renewed, read] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    const { run } = searching(0, {
      archive: { files: { store: { get: () => read.promise } } },
      erasures: { keepUp: () => Promise.resolve(renewed.resolve()) },
      renewEveryMs: 1,
    });
    const running = run();
    await renewed.promise;
    read.reject(new NotStored('away'));
    await expect(running).rejects.toBeInstanceOf(NotStored);
  });
});
