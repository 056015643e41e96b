import type { JsonValue } from '../core/index.js';
import type { SpendingCall } from '../events/index.js';
import { periodRequests } from './charges.js';

const BUDGET = {
  ...{ id: 'team', scope: ['metadata.team', 'model'], window: { per: 'day', timezone: 'UTC' } },
  ...{ limit: { unit: 'tokens', tokens: 100 }, warnAt: [], onExceed: 'record' },
};
const requestFor = (team: JsonValue, model = 'gpt-4o') => {
  const app = { id: 'app', name: 'App' };
  const call = {
    caller: { accountId: 'account', environment: 'production' },
    policy: { policy: { budgets: [BUDGET] } },
    context: { environment: 'production', app, key: app, model, metadata: { team } },
  } as unknown as SpendingCall;
  const stored = { model, metadata: JSON.stringify({ team }) };
  const [request] = periodRequests(call, (text) => new TextEncoder().encode(text), 0, stored);
  return request!;
};
const labelOf = (team: string): string => requestFor(team).scopeLabel['metadata.team'] ?? '';

describe('The label of a budget for the value of a call', () => {
  it('is the value, shortened if it is long', () => {
    expect(labelOf('payments')).toBe('payments');
    expect(labelOf('a'.repeat(200))).toBe('a'.repeat(200));
    expect(labelOf('a'.repeat(201))).toBe(`${'a'.repeat(200)}…`);
  });

  it.each([
    ['a pair of surrogates that is cut in two', `${'a'.repeat(199)}\u{1f701}x`, `${'a'.repeat(199)}\ufffd…`],
    ['a surrogate that stands alone', 'a\ud800', 'a\ufffd'],
    ['a NUL', 'a\u0000b', 'a\ufffdb'],
  ])('contains no character that the ledger cannot store: %s', (_what, team, label) => {
    expect(labelOf(team)).toBe(label);
    expect(requestFor('x', team).scopeLabel['model']).toBe(label);
  });

  it('can be the same for two budgets that count separately', () => {
    expect(requestFor('a\u0000b').scope).not.toBe(requestFor('a\ufffdb').scope);
  });
});
