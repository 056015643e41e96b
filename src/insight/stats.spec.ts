import { OUTCOMES } from '../events/index.js';
import type { RuleHitsReader } from './rule-hits-reader.js';
import type { GroupedBy, Ranking, StatsCell, StatsReader } from './stats-reader.js';
import { METRICS } from './stats-query.js';
import { stats } from './stats.js';

const HOUR_MS = 3_600_000;
const range = { fromMs: 10 * HOUR_MS, toMs: 12 * HOUR_MS, stepSeconds: 3_600 };

function cell(at: number, group: string | null, calls: number): StatsCell {
  const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as StatsCell['outcomes'];
  const sums = { costNanoUsd: 5n, withoutPrice: 0, promptTokens: 2, completionTokens: 1 };
  return { at, group, calls, outcomes: { ...none, allowed: calls }, ...sums };
}

/** Readers of these cells, which note for which names they were asked. */
function readersOf(cells: readonly StatsCell[], before: readonly StatsCell[], ranking: Ranking) {
  const asked: (readonly string[] | undefined)[] = [];
  const periods: (readonly number[])[] = [];
  const noting =
    <T>(answer: T) =>
    (_filter: object, _range: object, grouped?: GroupedBy): Promise<T> => {
      asked.push(grouped?.names);
      return Promise.resolve(answer);
    };
  const figures = {
    ranking: () => Promise.resolve(ranking),
    cells: noting(cells),
    totals: (filter: object, { fromMs, toMs }: typeof range, grouped?: GroupedBy) => {
      periods.push([fromMs / HOUR_MS, toMs / HOUR_MS]);
      return noting(before)(filter, range, grouped);
    },
    latencies: noting([{ at: 1, group: null, counts: [0, 4] }]),
    totalLatencies: () => Promise.resolve([]),
    deployments: () => Promise.resolve([]),
    labels: (_account: string, _by: string, ids: readonly string[]) => {
      asked.push(ids);
      return Promise.resolve(new Map([['a', 'App A']]));
    },
  };
  const rules = {
    cells: (_filter: object, { fromMs, toMs }: typeof range) => {
      periods.push([fromMs / HOUR_MS, toMs / HOUR_MS]);
      return Promise.resolve([]);
    },
  };
  const readers = { figures: figures as unknown as StatsReader, rules: rules as unknown as RuleHitsReader };
  return { asked, periods, readers };
}

describe('The groups of statistics', () => {
  const request = { filter: { manager: { accountId: 'x' } }, range, by: 'app', top: 2, metrics: METRICS } as const;

  it('are read only for the names of the ranking, and all others as one group', async () => {
    const cells = [cell(0, 'a', 3), cell(1, 'b', 2), cell(0, null, 1), cell(1, null, 1)];
    const before = [cell(0, 'a', 7), cell(0, null, 9)];
    const { asked, readers } = readersOf(cells, before, { names: ['a', 'b'], groups: 5_000 });
    const { groups, totals, previous } = await stats(readers, request, 12 * HOUR_MS);
    expect(asked).toEqual(Array(4).fill(['a', 'b']));
    expect(groups).toMatchObject([
      { key: 'a', label: 'App A', calls: [3, 0], previous: { calls: 7, cost_nano_usd: '5' } },
      { key: 'b', label: 'b', calls: [0, 2], previous: { calls: 0, cost_nano_usd: '0' } },
      { key: 'other', label: '4998 others', calls: [1, 1], cost_nano_usd: ['5', '5'], tokens: [3, 3] },
    ]);
    expect(groups.map((group) => group.weir_ms?.p50.map((ms) => ms !== null))).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect([totals.calls, previous.calls]).toEqual([7, 16]);
  });

  it('include a group whose first call is stored after the ranking', async () => {
    const { readers } = readersOf([cell(0, 'a', 3), cell(0, null, 1)], [], { names: ['a'], groups: 1 });
    const { groups } = await stats(readers, request, 12 * HOUR_MS);
    expect(groups.map(({ key, label }) => [key, label])).toEqual([
      ['a', 'App A'],
      ['other', '1 others'],
    ]);
  });

  it('are only those of the ranking if there are no others', async () => {
    const { readers } = readersOf([cell(0, 'a', 3)], [], { names: ['a'], groups: 1 });
    expect((await stats(readers, request, 12 * HOUR_MS)).groups.map(({ key }) => key)).toEqual(['a']);
    const none = readersOf([], [], { names: [], groups: 0 });
    expect((await stats(none.readers, request, 12 * HOUR_MS)).groups).toEqual([]);
  });

  it('have no names without a grouping by name', async () => {
    const { asked, readers } = readersOf([cell(0, '', 3)], [], { names: ['a'], groups: 1 });
    const { groups } = await stats(readers, { ...request, by: 'outcome' }, 12 * HOUR_MS);
    expect(asked).toEqual([undefined, undefined]);
    expect(groups).toHaveLength(OUTCOMES.length);
  });
});

describe('The previous period of statistics', () => {
  const request = { filter: { manager: { accountId: 'x' } }, range, by: 'outcome', top: 2, metrics: METRICS } as const;
  const periodsAt = async (hour: number, by: 'outcome' | 'rule' = 'outcome') => {
    const { periods, readers } = readersOf([], [], { names: [], groups: 0 });
    await stats(readers, { ...request, by }, hour * HOUR_MS);
    return periods;
  };

  it('ends where the range has got to by now, so that the same traffic is no change', async () => {
    expect(await periodsAt(11.5)).toEqual([[8, 9.5]]);
    const aFewSeconds = 10 / 3_600;
    expect(await periodsAt(11.5 + aFewSeconds)).toEqual([[8, 9.5]]);
  });

  it('is as long as a range that has ended, or is still to come', async () => {
    expect(await periodsAt(12)).toEqual([[8, 10]]);
    expect(await periodsAt(300)).toEqual([[8, 10]]);
    expect(await periodsAt(9)).toEqual([[8, 10]]);
  });

  it('ends at a full hour for hits of rules, which are stored by the hour', async () => {
    const [calls, ...hits] = await periodsAt(11.25, 'rule');
    expect(calls).toEqual([8, 9.25]);
    expect(hits).toEqual([
      [10, 12],
      [8, 9],
    ]);
  });
});
