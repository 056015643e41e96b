import type { Stats } from '../api/stats.ts';
import { histogramDrawing } from './histogram-drawing.ts';

const NO_TOTALS = {
  ...{ calls: 9, allowed: 5, flagged: 0, would_block: 0, redacted: 2, blocked: 1, unavailable: 0, errors: 1 },
  ...{ cost_nano_usd: '0', prompt_tokens: 0, completion_tokens: 0, weir_ms: { p50: null, p95: null, p99: null } },
};
const statsOf = (calls: Readonly<Record<string, readonly number[]>>): Stats => ({
  ...{ from: '', to: '', step_seconds: 3_600, complete_until: '', buckets: ['0', '1'], deployments: [] },
  groups: Object.entries(calls).map(([key, values]) => ({ key, label: null, calls: values })),
  ...{ totals: NO_TOTALS, previous: null },
});
const [ONE_APP, OTHER_APP] = ['01a2010e-e313-7000-8000-000000000001', '01a2010e-e313-7000-8000-000000000002'] as const;
const BY_OUTCOME = statsOf({ allowed: [3, 2], redacted: [2, 0], blocked: [0, 1], error: [1, 0] });

/** The query, and the drawn values by series. */
function drawn(filters: Readonly<Record<string, string>>, stats = BY_OUTCOME) {
  const drawing = histogramDrawing(filters);
  const series = drawing?.seriesOf(stats)?.map(({ key, values }) => [key, values]);
  return (
    drawing && { query: drawing.query, groupBy: drawing.groupBy, series: Object.fromEntries(series ?? []) as object }
  );
}

describe('The chart above the list', () => {
  it('draws only the chosen outcomes, which the statistics cannot select', () => {
    expect(drawn({ outcome: 'blocked' })).toEqual({
      query: {},
      groupBy: 'outcome',
      series: { blocked: [0, 1] },
    });
    expect(drawn({ outcome: 'error,unavailable', app: 'a-1' })).toEqual({
      query: { app: 'a-1' },
      groupBy: 'outcome',
      series: { error: [1, 0] },
    });
    expect(drawn({ 'not.outcome': 'allowed' })?.series).toEqual({ redacted: [2, 0], blocked: [0, 1], error: [1, 0] });
  });

  it('draws calls without a mark with a note, because the statistics do not know marks', () => {
    expect(drawn({ outcome: 'blocked,redacted', mark: 'none' })?.series).toEqual({ redacted: [2, 0], blocked: [0, 1] });
    expect(histogramDrawing({ mark: 'none' })?.note).toBe('The bars also count calls with a mark.');
    expect(histogramDrawing({ outcome: 'blocked' })?.note).toBeUndefined();
  });

  it('draws the hits of one rule', () => {
    const hits = statsOf({ 'pii.mail': [4, 5] });
    expect(drawn({ rule: 'pii.mail', app: 'a-1' }, hits)).toEqual({
      query: { rule: 'pii.mail', app: 'a-1' },
      groupBy: 'rule',
      series: { 'pii.mail': [4, 5] },
    });
  });

  it('draws the hits of several rules together, also those of a rule that did not fire', () => {
    const hits = statsOf({ 'pii.mail': [4, 5], 'pii.ssn': [1, 0], 'pii.iban': [7, 7] });
    expect(drawn({ rule: 'pii.mail,pii.ssn,pii.card', app: 'a-1' }, hits)).toEqual({
      query: { app: 'a-1' },
      groupBy: 'rule',
      series: { selected: [5, 5] },
    });
    expect(histogramDrawing({ rule: 'a,b' })?.note).toContain('counts once for each');
  });

  it('draws the calls of several apps, models or keys together', () => {
    const calls = statsOf({ [ONE_APP]: [4, 5], [OTHER_APP]: [1, 0], 'a third app': [7, 7] });
    expect(drawn({ app: `${ONE_APP},${OTHER_APP}`, model: 'm' }, calls)).toEqual({
      query: { model: 'm' },
      groupBy: 'app',
      series: { selected: [5, 5] },
    });
    expect(drawn({ model: 'm-1,m-2' }, statsOf({ 'm-2': [0, 3] }))?.series).toEqual({ selected: [0, 3] });
  });

  it('is not drawn if the statistics merge some of the selected groups with others', () => {
    const merged = { key: 'other', label: '7 others', calls: [9, 9] };
    const stats = statsOf({ a: [1, 1], b: [2, 2] });
    const withOthers = { ...stats, groups: [...stats.groups, merged] };
    expect(histogramDrawing({ rule: 'a,c' })?.seriesOf(withOthers)).toBeUndefined();
    expect(histogramDrawing({ rule: 'a,b' })?.seriesOf(withOthers)).toMatchObject([{ values: [3, 3] }]);
  });

  it.each([
    [{ rule: 'a,b', outcome: 'blocked' }],
    [{ rule: 'a,b', app: 'a-1,a-2' }],
    [{ model: 'm-1,m-2', key: 'k-1,k-2' }],
    [{ model: 'm-1,m-2', outcome: 'blocked' }],
    [{ rule: 'a', model: 'm' }],
    [{ rule: 'a', outcome: 'blocked' }],
    [{ rule: 'a', mark: 'none' }],
    [{ mark: 'wrong' }],
    [{ app: 'a-1,a-2' }],
    [{ q: 'text' }],
    [{ 'not.model': 'm' }],
  ])('is left out where no statistics count the listed calls: %j', (filters) => {
    expect(histogramDrawing(filters)).toBeUndefined();
  });
});
