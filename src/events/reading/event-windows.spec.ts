import { DatabaseUnavailable, type QueryOptions } from '../../database/index.js';
import { Conditions } from './event-filters.js';
import {
  PAGE_PATIENCE,
  UNHURRIED,
  WindowWalk,
  type AskIds,
  type EventWindow,
  type SearchLimits,
} from './event-windows.js';

const ROWS = 1_000_000;
const WALK = { alias: 'e', where: new Conditions(), isSparse: false, isExact: false };

/** Simulated costs: the first `near` rows are in memory, each other row takes `farMs`. */
interface Costs {
  readonly near: number;
  readonly farMs: number;
}

const NEAR_MS = 0.002;

/** Searches one page of a simulated log with ids from 1 and a clock of its own. */
async function page({ near, farMs }: Costs, after = 0, patience: SearchLimits = PAGE_PATIENCE, isExact = false) {
  let nowMs = 0;
  const statements: number[] = [];
  const costs = (from: number, to: number): number =>
    Math.max(0, Math.min(to, near) - from) * NEAR_MS + Math.max(0, to - Math.max(from, near)) * farMs;
  const read = (from: number, to: number, { endAfterMs = Infinity }: QueryOptions): void => {
    const ms = costs(from, to);
    statements.push(to - from);
    nowMs += Math.min(ms, endAfterMs);
    if (ms > endAfterMs) throw new DatabaseUnavailable('the database cannot answer (SQLSTATE 57014)', '57014');
  };
  const position = (id: string | undefined): number => Number(id ?? after);
  const ask: AskIds = (statement, _parameters, options) => {
    const rows = Number(/OFFSET (\d+)/.exec(statement)?.[1]) + 1;
    const [from, to] = [position(walk.position), position(walk.position) + rows];
    read(from, Math.min(to, ROWS), options);
    return Promise.resolve(to > ROWS ? [] : [{ id: String(to) }]);
  };
  const options = { direction: 'asc', patience, after: String(after), nowMs: () => nowMs } as const;
  const walk: WindowWalk = new WindowWalk({ ...WALK, isExact }, ask, options);
  const look = (window: EventWindow): Promise<void> => {
    read(position(window.after), Number(window.upTo ?? ROWS), walk.limit);
    walk.done(window);
    return Promise.resolve();
  };
  do await walk.next(look);
  while (walk.goesOn);
  return { ms: nowMs, reached: walk.isAtEnd ? ROWS : position(walk.position), statements };
}

describe('A search without matches', () => {
  it('ends in time, with a position to continue from, if the log is in memory', async () => {
    const { ms, reached } = await page({ near: ROWS, farMs: 0 });
    expect(ms).toBeLessThanOrEqual(180);
    expect(reached).toBeGreaterThan(20_000);
    expect(reached).toBeLessThan(ROWS);
  });

  it('ends in time if the log gets slower after windows have grown', async () => {
    for (const farMs of [0.05, 0.5, 20]) {
      const { ms, reached } = await page({ near: 12_000, farMs });
      expect(ms).toBeLessThanOrEqual(180);
      expect(reached).toBeGreaterThanOrEqual(2_000);
    }
  });

  it('waits for the result of a small window if the first window is too large, so that each page makes progress', async () => {
    const { reached, statements } = await page({ near: 0, farMs: 1 });
    expect(reached).toBe(250);
    expect(statements).toEqual([2_000, 250, 250]);
  });

  it('reaches the end of the log page by page, even if rows are slow', async () => {
    let [reached, pages] = [ROWS - 20_000, 0];
    for (; reached < ROWS; pages++) ({ reached } = await page({ near: 0, farMs: 0.2 }, reached));
    expect(pages).toBeLessThan(100);
  });

  it('limits the windows of an exact walk, once an unlimited statement has taken too long', async () => {
    const { reached, statements } = await page({ near: 0, farMs: 1 }, 0, PAGE_PATIENCE, true);
    expect(statements).toEqual([ROWS, 250, 250]);
    expect(reached).toBe(250);
  });

  it('searches all events without a time limit if no user waits for the page', async () => {
    const { reached, statements } = await page({ near: 0, farMs: 5 }, ROWS - 6_000, UNHURRIED);
    expect(reached).toBe(ROWS);
    expect(statements.reduce((sum, rows) => sum + rows, 0)).toBe(2 * 6_000);
  });
});
