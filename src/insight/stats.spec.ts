import { OUTCOMES } from '../events/index.js';
import type { RuleHitsReader } from './rule-hits-reader.js';
import type { GroupedBy, Ranking, StatsCell, StatsReader } from './stats-reader.js';
import { METRICS } from './stats-query.js';
import { stats } from './stats.js';

const HOUR_MS = 3_600_000;
const range = { fromMs: 10 * HOUR_MS, toMs: 12 * HOUR_MS, stepSeconds: 3_600 };

function cell(at: number, group: string | null, calls: number): StatsCell {
  const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as StatsCell['outcomes'];
  const sums = { costNanoUsd: 5n, promptTokens: 2, completionTokens: 1 };
  return { at, group, calls, outcomes: { ...none, allowed: calls }, ...sums };
}

/** Readers of these cells, which note for which names they were asked. */
function readersOf(cells: readonly StatsCell[], before: readonly StatsCell[], ranking: Ranking) {
  const asked: (readonly string[] | undefined)[] = [];
  const noting =
    <T>(answer: T) =>
    (_filter: object, _range: object, grouped?: GroupedBy): Promise<T> => {
      asked.push(grouped?.names);
      return Promise.resolve(answer);
    };
  const figures = {
    ranking: () => Promise.resolve(ranking),
    cells: noting(cells),
    totals: noting(before),
    latencies: noting([{ at: 1, group: null, counts: [0, 4] }]),
    totalLatencies: () => Promise.resolve([]),
    deployments: () => Promise.resolve([]),
    labels: (_account: string, _by: string, ids: readonly string[]) => {
      asked.push(ids);
      return Promise.resolve(new Map([['a', 'App A']]));
    },
  };
  return { asked, readers: { figures: figures as unknown as StatsReader, rules: {} as RuleHitsReader } };
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
