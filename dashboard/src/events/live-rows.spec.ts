import {
  EMPTY_RING,
  eventsOfCalls,
  isGapped,
  liveHindrance,
  ringWith,
  rowsOfCalls,
  rowsOfEvents,
} from './live-rows.ts';
import type { ListedEvent } from './use-events.ts';

/** An event with the fields that rows show. The number is the time at which it was received. */
function event(nth: number, given: object = {}): ListedEvent {
  return {
    id: `0000000${nth}-0000-7000-8000-000000000000`,
    type: 'ai.request',
    app: { id: 'app-1', name: 'checkout' },
    environment: 'production',
    request_id: 'r-1',
    outcome: 'allowed',
    decision: 'allow',
    reason: null,
    violations: [],
    excepted: [],
    usage: null,
    cost_nano_usd: null,
    latency_ms: { total: null, provider: null, weir: 1 },
    upstream_status: null,
    ...given,
  } as unknown as ListedEvent;
}
const answer = (nth: number, given: object = {}): ListedEvent =>
  event(nth, {
    type: 'ai.response',
    latency_ms: { total: 800, provider: 790, weir: 3 },
    usage: { prompt_tokens: 11, completion_tokens: 5 },
    cost_nano_usd: '120',
    upstream_status: 200,
    ...given,
  });
const blocked = { outcome: 'blocked', decision: 'block', violations: [{ rule: 'secrets.block' }] };
const idsOf = (rows: readonly ListedEvent[]): readonly string[] => rows.map(({ id }) => id);

describe('A followed list of calls', () => {
  it('shows a call as blocked if its answer was blocked', () => {
    const request = event(1, { excerpt: 'hello' });
    const [row, ...others] = rowsOfCalls([answer(2, blocked), request], []);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ id: request.id, type: 'ai.request', excerpt: 'hello', ...blocked });
  });

  it('keeps the outcome of a request that is stronger than that of its answer', () => {
    const masked = { outcome: 'redacted', decision: 'redact', violations: [{ rule: 'pii.mask' }] };
    expect(rowsOfCalls([answer(2), event(1, masked)], [])).toMatchObject([masked]);
    expect(rowsOfCalls([answer(2, { type: 'ai.error', outcome: 'error' }), event(1, masked)], [])).toMatchObject([
      { outcome: 'error', violations: masked.violations },
    ]);
  });

  it('shows the cost, the tokens and the times of the answer', () => {
    expect(rowsOfCalls([answer(2), event(1)], [])).toMatchObject([
      {
        cost_nano_usd: '120',
        usage: { prompt_tokens: 11, completion_tokens: 5 },
        latency_ms: { total: 800, provider: 790, weir: 3 },
        upstream_status: 200,
      },
    ]);
  });

  it('adds up the costs of several ends', () => {
    const retry = answer(3, { cost_nano_usd: '7', usage: { prompt_tokens: 1, completion_tokens: null } });
    expect(rowsOfCalls([retry, answer(2), event(1)], [])).toMatchObject([
      { cost_nano_usd: '127', usage: { prompt_tokens: 12, completion_tokens: 5 } },
    ]);
  });

  it('completes a listed call that had not ended when the list was loaded', () => {
    expect(rowsOfCalls([answer(3, blocked)], [event(2, { request_id: 'r-2' }), event(1)])).toMatchObject([
      { request_id: 'r-2', outcome: 'allowed' },
      { request_id: 'r-1', outcome: 'blocked', cost_nano_usd: '120' },
    ]);
  });

  it('shows a call as the list has it once the list contains its end', () => {
    const listed = event(1, { ...blocked, cost_nano_usd: '120', latency_ms: { total: 800, provider: 790, weir: 3 } });
    expect(rowsOfCalls([answer(2, blocked), event(1)], [listed])).toEqual([listed]);
  });

  it('merges an answer that arrives before its request', () => {
    expect(rowsOfCalls([event(1), answer(2, blocked)], [])).toMatchObject([{ type: 'ai.request', outcome: 'blocked' }]);
  });

  it('gives an answer to the newest call before it if several calls have the same request id', () => {
    expect(rowsOfCalls([event(4), answer(3, blocked), event(2), event(1)], [])).toMatchObject([
      { id: event(4).id, outcome: 'allowed' },
      { id: event(2).id, outcome: 'blocked' },
      { id: event(1).id, outcome: 'allowed' },
    ]);
  });

  it('does not merge calls of different apps or environments with the same request id', () => {
    const other = answer(3, { ...blocked, app: { id: 'app-2', name: 'support' } });
    const tested = answer(4, { ...blocked, environment: 'staging' });
    expect(idsOf(rowsOfCalls([tested, other, event(1)], []))).toEqual([tested.id, other.id, event(1).id]);
    expect(rowsOfCalls([tested, other, event(1)], [])[2]).toMatchObject({ outcome: 'allowed' });
  });
});

describe('A followed list', () => {
  it('has no rows for events that only report about a call', () => {
    const reports = [event(3, { type: 'policy.violation' }), event(2, { type: 'budget.exceeded' })];
    expect(idsOf(rowsOfCalls([...reports, event(1)], []))).toEqual([event(1).id]);
  });

  it('shows an answer in a row of its own if its request is unknown', () => {
    expect(rowsOfCalls([answer(2, blocked)], [])).toMatchObject([{ type: 'ai.response', outcome: 'blocked' }]);
  });

  it('has new rows where their time belongs, and keeps the order of listed rows', () => {
    const of = (nth: number): ListedEvent => event(nth, { request_id: `r-${nth}` });
    const listed = [of(4), of(1), of(3)];
    expect(idsOf(rowsOfCalls([of(5), of(2)], listed))).toEqual(idsOf([of(5), of(4), of(2), of(1), of(3)]));
    expect(idsOf(rowsOfEvents([of(5), of(4), of(2)], listed))).toEqual(idsOf([of(5), of(4), of(2), of(1), of(3)]));
  });

  it('shows each single event as the list has it', () => {
    const marked = event(1, { mark: 'wrong' });
    expect(rowsOfEvents([answer(2), event(1)], [marked])).toEqual([answer(2), marked]);
  });
});

describe('A list that is followed for long', () => {
  const kept = ringWith(ringWith(EMPTY_RING, [event(3), event(2)], 3), [event(5), event(4)], 3);

  it('keeps the newest events', () => {
    expect(idsOf(kept.rows)).toEqual(idsOf([event(5), event(4), event(3)]));
    expect(idsOf(ringWith(kept, [event(7), event(6)], 3).rows)).toEqual(idsOf([event(7), event(6), event(5)]));
  });

  it('reports a gap if an event that is not kept is newer than the loaded ones', () => {
    expect(isGapped(kept, [event(1)])).toBe(true);
    expect(isGapped(ringWith(kept, [event(6)], 3), [event(2), event(1)])).toBe(true);
    expect(isGapped(kept, [])).toBe(true);
  });

  it('reports no gap while all events are kept, or after the list was loaded again', () => {
    expect(isGapped(EMPTY_RING, [event(1)])).toBe(false);
    expect(isGapped(kept, [event(2), event(1)])).toBe(false);
    expect(isGapped(kept, [event(1), event(5)])).toBe(false);
  });

  it('keeps the events of its rows longer than others', () => {
    const needed = (events: readonly ListedEvent[]): ReadonlySet<string> =>
      new Set(idsOf(events).filter((id) => id === event(2).id));
    const ring = ringWith(EMPTY_RING, [event(4), event(3), event(2), event(1)], 4, needed);
    const grown = ringWith(ringWith(ring, [event(5)], 4, needed), [event(6)], 4, needed);
    expect(idsOf(grown.rows)).toEqual(idsOf([event(6), event(5), event(4), event(2)]));
    expect(grown.dropped).toBeUndefined();
  });

  it('reports a gap if even an event of its rows is not kept', () => {
    const all = (events: readonly ListedEvent[]): ReadonlySet<string> => new Set(idsOf(events));
    const ring = ringWith(EMPTY_RING, [event(3), event(2), event(1)], 2, all);
    expect(idsOf(ring.rows)).toEqual(idsOf([event(3), event(2)]));
    expect(ring.dropped).toBe(event(1).id);
  });

  it('needs every event of a selected call, also the answer to a listed one', () => {
    const other = event(4, { request_id: 'r-2' });
    const ofFirst = eventsOfCalls([other, answer(3), event(2)], [], ({ row }) => row.request_id === 'r-1');
    expect([...ofFirst].sort()).toEqual(idsOf([event(2), answer(3)]));
    expect([...eventsOfCalls([answer(3)], [event(2)], () => true)]).toEqual([answer(3).id]);
  });
});

describe('The stream of new events', () => {
  it('is not offered for a text or for a range with an end', () => {
    expect(liveHindrance({ q: 'hello' })).toMatch(/text/);
    expect(liveHindrance({ from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' })).toMatch(/range/);
    expect(liveHindrance({ from: '2026-11-01T00:00:00Z', app: 'a' })).toBeUndefined();
  });
});
