import { filtersOfStream, selectionOf } from './live-filters.ts';
import { rowsOfCalls } from './live-rows.ts';
import type { ListedEvent } from './use-events.ts';

/** An event with the fields that rows and filters need. The number is the time at which it was received. */
function event(nth: number, given: object = {}): ListedEvent {
  return {
    id: `0000000${nth}-0000-7000-8000-000000000000`,
    type: 'ai.request',
    app: { id: 'app-1', name: 'checkout' },
    environment: 'production',
    request_id: 'r-1',
    ...{ model: 'gpt-4o', provider: 'openai', session_id: 's-1', key_id: 'k-1', metadata: { team: 'ads' } },
    ...{ outcome: 'allowed', decision: 'allow', reason: null, violations: [], excepted: [] },
    ...{ usage: null, cost_nano_usd: null, upstream_status: null },
    latency_ms: { total: null, provider: null, weir: 12 },
    ...given,
  } as unknown as ListedEvent;
}
/** An answer that an application submitted: it repeats nothing of its request but the request id. */
const answer = (nth: number, given: object = {}): ListedEvent =>
  event(nth, {
    ...{ type: 'ai.response', model: null, provider: null, session_id: null, key_id: 'k-2', metadata: null },
    latency_ms: { total: 800, provider: 790, weir: 3 },
    ...{ cost_nano_usd: '120000000', upstream_status: 200 },
    ...given,
  });
const fired = (rule: string, outcome = 'flagged'): object => ({
  ...{ outcome, violations: [{ rule }] },
});
const blocked = { ...fired('secrets.block', 'blocked'), decision: 'block' };

type Filters = Readonly<Record<string, string>>;
const rows = (live: readonly ListedEvent[], listed: readonly ListedEvent[], filters: Filters) =>
  rowsOfCalls(live, listed, selectionOf(filters));
const isShown = (live: readonly ListedEvent[], filters: Filters): boolean => rows(live, [], filters).length > 0;

describe('The stream of a list of calls', () => {
  it('has only filters by values that all events of a call have in common', () => {
    const common = { app: 'a', 'not.app': 'b', request_id: 'r', call: 'c' };
    const own = { rule: 'x', exception: 'y', decision: 'allow', min_cost_usd: '0.05', min_weir_ms: '10', mark: 'none' };
    const ofFirst = { model: 'm', provider: 'p', session: 's', key: 'k', 'metadata.team': 'ads', type: 'ai.request' };
    const negated = Object.fromEntries(Object.keys({ ...own, ...ofFirst }).map((name) => [`not.${name}`, 'x']));
    expect(filtersOfStream({ ...common, ...own, ...ofFirst, ...negated })).toEqual(common);
  });

  it('leaves filters by outcomes that may still change to the page', () => {
    expect(filtersOfStream({ outcome: 'allowed', app: 'a' })).toEqual({ app: 'a' });
    expect(filtersOfStream({ outcome: 'redacted,blocked' })).toEqual({});
    expect(filtersOfStream({ 'not.outcome': 'blocked' })).toEqual({});
  });

  it('leaves outcomes after which a call still gets its cost to the page', () => {
    expect(filtersOfStream({ outcome: 'redacted,error,unavailable,blocked' })).toEqual({});
  });

  it('selects outcomes that no later event changes, unless other filters need all events of the call', () => {
    expect(filtersOfStream({ outcome: 'blocked', app: 'a' })).toEqual({ outcome: 'blocked', app: 'a' });
    expect(filtersOfStream({ outcome: 'unavailable,blocked' })).toEqual({ outcome: 'unavailable,blocked' });
    expect(filtersOfStream({ outcome: 'blocked', rule: 'x' })).toEqual({});
  });
});

describe('A followed list of calls with filters', () => {
  const ended = { outcome: 'blocked', cost_nano_usd: '120000000', latency_ms: { total: 800, provider: 790, weir: 3 } };

  it.each<[string, Filters]>([
    ['rule', { rule: 'pii.mask' }],
    ['exception', { exception: 'EX-1' }],
    ['decision', { decision: 'allow' }],
    ['Weir time', { min_weir_ms: '10' }],
    ['model', { model: 'gpt-4o,gpt-4o-mini' }],
    ['provider', { provider: 'openai' }],
    ['session', { session: 's-1' }],
    ['key', { key: 'k-1' }],
    ['metadata', { 'metadata.team': 'ads' }],
    ['mark', { mark: 'none' }],
    ['type', { type: 'ai.request' }],
  ])('shows a call that its request selects by %s with the final outcome and the cost of its answer', (_, filters) => {
    const request = event(1, { ...fired('pii.mask'), excepted: [{ rule: 'pii.mask', exception: 'EX-1' }] });
    expect(rows([answer(2, blocked), request], [], filters)).toMatchObject([{ id: request.id, ...ended }]);
    expect(rows([answer(2, blocked)], [request], filters)).toMatchObject([{ id: request.id, ...ended }]);
  });

  it('shows a call as soon as its answer matches', () => {
    const [request, end] = [event(1), answer(2, blocked)];
    const matching: readonly Filters[] = [{ rule: 'secrets.block' }, { decision: 'block' }, { min_cost_usd: '0.12' }];
    for (const filters of matching) {
      expect(isShown([request], filters)).toBe(false);
      expect(rows([end, request], [], filters)).toMatchObject([{ id: request.id, ...ended }]);
    }
  });

  it('compares the cost and the time of each event, as the service does', () => {
    const live = [answer(3), answer(2), event(1)];
    expect(rows(live, [], { min_cost_usd: '0.12' })).toMatchObject([{ cost_nano_usd: '240000000' }]);
    expect(isShown(live, { min_cost_usd: '0.13' })).toBe(false);
    expect(isShown(live, { min_weir_ms: '12' })).toBe(true);
    expect(isShown(live, { min_weir_ms: '12.5' })).toBe(false);
  });

  it('shows no call of other values', () => {
    const live = [answer(2), event(1, fired('pii.mask'))];
    for (const [name, value] of Object.entries({
      ...{ rule: 'pii.maskx', exception: 'EX-1', decision: 'block', min_cost_usd: '1', min_weir_ms: '100' },
      ...{ model: 'gpt', provider: 'x', session: 's-1,s-2', key: 'k-2', 'metadata.team': 'search' },
      ...{ 'metadata.x': 'ads', mark: 'wrong', type: 'ai.response', outcome: 'allowed,blocked' },
    }))
      expect([name, isShown(live, { [name]: value })]).toEqual([name, false]);
  });

  it('shows no call that a negated filter excludes, whichever of its events it excludes', () => {
    const live = [answer(2, blocked), event(1, fired('pii.mask'))];
    for (const [name, value] of Object.entries({
      ...{ 'not.rule': 'x,pii.mask', 'not.decision': 'block', 'not.outcome': 'blocked', 'not.model': 'gpt-4o' },
      ...{ 'not.session': 's-1', 'not.key': 'k-1', 'not.metadata.team': 'ads', 'not.type': 'ai.request' },
    }))
      expect([name, isShown(live, { [name]: value })]).toEqual([name, false]);
    for (const name of ['not.rule', 'not.exception', 'not.model', 'not.provider', 'not.metadata.team', 'not.type'])
      expect([name, isShown(live, { [name]: 'other' })]).toEqual([name, true]);
  });

  it('removes a listed call if its answer is excluded, or changes its outcome', () => {
    const excluding: readonly Filters[] = [
      { 'not.rule': 'secrets.block' },
      { 'not.decision': 'block' },
      { outcome: 'allowed' },
    ];
    for (const filters of excluding) {
      expect(rows([], [event(1)], filters)).toHaveLength(1);
      expect(rows([answer(2, blocked)], [event(1)], filters)).toEqual([]);
    }
  });

  it('keeps a listed call whose row does not show what the service found in one of its events', () => {
    const listed = event(1, { ...blocked, latency_ms: { total: 800, provider: 790, weir: 3 }, cost_nano_usd: '5' });
    const found: readonly Filters[] = [{ decision: 'allow' }, { min_weir_ms: '10' }, { mark: 'wrong' }];
    for (const filters of found) expect(rows([event(3, { request_id: 'r-2' })], [listed], filters)).toContain(listed);
  });

  it('is not affected by filters that the service applies to the stream', () => {
    expect(isShown([event(1)], { app: 'checkout', request_id: 'r-1', call: event(1).id })).toBe(true);
  });
});
