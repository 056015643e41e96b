import { DatabaseClock } from './database-clock.js';
import type { SqlExecutor } from './sql-runner.js';

/** A server and its database with different clocks, and a delay between them. */
class Clocks {
  ownMs = 1_000_000;
  readonly clock = new DatabaseClock(() => this.ownMs);

  constructor(public databaseAheadMs: number) {}

  /** @param thereMs the delay until the database reads its clock @param backMs the delay until the answer arrives */
  compare(thereMs: number, backMs: number): Promise<void> {
    const query = (): Promise<object[]> => {
      this.ownMs += thereMs;
      const ms = this.ownMs + this.databaseAheadMs;
      this.ownMs += backMs;
      return Promise.resolve([{ ms }]);
    };
    return this.clock.compare({ query } as unknown as SqlExecutor);
  }

  /** The difference between the clock and that of the database. */
  get errorMs(): number {
    return this.clock.nowMs() - this.ownMs - this.databaseAheadMs;
  }
}

const DAYS_40_MS = 40 * 86_400_000;

describe('The clock of the database', () => {
  it.each([DAYS_40_MS, -DAYS_40_MS, 3_000, 0])(
    'is known after one comparison when it is %i ms ahead',
    async (aheadMs) => {
      const clocks = new Clocks(aheadMs);
      await clocks.compare(2, 3);
      expect(Math.abs(clocks.errorMs)).toBeLessThanOrEqual(5);
    },
  );

  it('is known as accurately after a slow answer as before', async () => {
    const clocks = new Clocks(DAYS_40_MS);
    await clocks.compare(0, 0);
    await clocks.compare(700, 4_000);
    expect(clocks.errorMs).toBe(0);
    await clocks.compare(4_000, 0);
    expect(clocks.errorMs).toBe(0);
  });

  it('is followed when it is set, or when another server becomes the primary', async () => {
    const clocks = new Clocks(0);
    await clocks.compare(1, 1);
    for (const aheadMs of [90_000, -3_600_000]) {
      clocks.databaseAheadMs = aheadMs;
      await clocks.compare(1, 1);
      expect(Math.abs(clocks.errorMs)).toBeLessThanOrEqual(2);
    }
  });
});
