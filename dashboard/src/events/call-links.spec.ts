import { searchLike, searchOfLast } from './call-links.ts';

const RANGES = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000, '90d': 7_776_000 };
const NOW = Date.parse('2026-11-30T12:00:00Z');
const DAY_MS = 86_400_000;

/** A call of staging that was received this many days ago. */
const call = (daysAgo: number) =>
  ({ environment: 'staging', received_at: new Date(NOW - daysAgo * DAY_MS).toISOString() }) as const;
const link = (daysAgo: number, before: Readonly<Record<string, string>>) =>
  searchLike(call(daysAgo), { app: 'a-1' }, RANGES, NOW)(before);

describe('A link from a call to calls like it', () => {
  it('lists the environment of the call', () => {
    expect(link(0.5, {})).toMatchObject({ app: 'a-1', env: 'staging' });
    expect(link(0.5, { env: 'production' })['env']).toBe('staging');
  });

  it('stays in a list of all environments', () => {
    expect(link(0.5, { env: 'all' })['env']).toBe('all');
  });

  it('keeps the range of the list if the call is in it', () => {
    expect(link(0.5, {})).toMatchObject({ range: undefined, from: undefined, to: undefined });
    expect(link(10, { range: '90d' })).toMatchObject({ range: '90d', from: undefined, to: undefined });
    const week = { from: '2026-11-15T00:00:00Z', to: '2026-11-22T00:00:00Z' };
    expect(link(10, week)).toMatchObject({ range: undefined, ...week });
  });

  it('widens a range that does not contain the call, because the call is older', () => {
    expect(link(10, {})).toMatchObject({ range: '30d', from: undefined, to: undefined });
    expect(link(0.5, { range: '1h' })).toMatchObject({ range: undefined, from: undefined });
    expect(link(10, { from: '2026-11-29T00:00:00Z', to: '2026-11-30T00:00:00Z' })).toMatchObject({
      ...{ range: '30d', from: undefined, to: undefined },
    });
  });

  it('leaves a range that ended before the call', () => {
    expect(link(2, { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' })).toMatchObject({
      ...{ range: '7d', from: undefined, to: undefined },
    });
  });

  it('begins shortly before the call if it is older than every usual range', () => {
    expect(link(100, { range: '90d' })).toMatchObject({ range: undefined, to: undefined });
    const from = Date.parse(link(100, { range: '90d' })['from'] ?? '');
    expect(NOW - 100 * DAY_MS - from).toBe(300_000);
  });

  it('is wider than a range that the call is about to leave', () => {
    expect(link(1 - 1 / (24 * 60), {})['range']).toBe('7d');
  });

  it('keeps the other filters of the list, but not the app by which the call was opened', () => {
    expect(link(0.5, { outcome: 'blocked', event_app: 'a-1', event_environment: 'staging' })).toMatchObject({
      ...{ outcome: 'blocked', event_app: undefined, event_environment: undefined },
    });
  });
});

describe('A link from a range without calls to the last call', () => {
  const last = (daysAgo: number, before: Readonly<Record<string, string>>) =>
    searchOfLast(call(daysAgo), before, RANGES, NOW);

  it('opens the day before the call if it is older than every usual range', () => {
    const { env, range, from, to } = last(120, { range: '7d' });
    const at = NOW - 120 * DAY_MS;
    expect([env, range]).toEqual(['staging', undefined]);
    expect(Date.parse(from ?? '')).toBe(at - DAY_MS);
    expect(Date.parse(to ?? '')).toBeGreaterThan(at);
  });

  it('opens the shortest usual range with the call otherwise', () => {
    expect(last(10, { range: '7d' })).toEqual({ env: 'staging', range: '30d', from: undefined, to: undefined });
    expect(last(0.5, { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' })).toEqual({
      ...{ env: 'staging', range: undefined, from: undefined, to: undefined },
    });
  });

  it('keeps the range if the call is only missing from it because of the environment', () => {
    expect(last(0.5, { env: 'production', range: '7d' })).toMatchObject({ env: 'staging', range: '7d' });
  });
});
