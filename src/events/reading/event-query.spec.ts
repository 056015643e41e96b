import type { Reach } from '../../access/index.js';
import type { WeirError } from '../../http/index.js';
import { readEventQuery } from './event-query.js';

const manager: Reach = { accountId: 'a' };
const refusal = (query: Record<string, unknown>): readonly { path: string; message: string }[] => {
  try {
    readEventQuery(query, manager);
  } catch (error) {
    return (error as WeirError).options.details ?? [];
  }
  return [];
};

describe('readEventQuery', () => {
  it('reads every parameter', () => {
    const query = {
      type: 'ai.request',
      environment: 'staging',
      app: 'default',
      request_id: 'r',
      session: 's',
      model: 'm',
      decision: 'block',
      rule: 'pii.x',
      from: '2026-01-31',
      to: '2026-01-31T08:00:00.5+02:00',
      q: 'needle',
      limit: '7',
      cursor: 'c',
      'metadata.user.id': '42',
    };
    expect(readEventQuery(query, manager)).toEqual({
      cursor: 'c',
      filters: {
        manager,
        type: ['ai.request'],
        environment: ['staging'],
        app: ['default'],
        requestId: 'r',
        sessionId: 's',
        model: ['m'],
        decision: ['block'],
        rule: ['pii.x'],
        from: new Date('2026-01-31T00:00:00Z'),
        to: new Date('2026-01-31T06:00:00.500Z'),
        text: 'needle',
        limit: 7,
        metadata: { 'user.id': '42' },
      },
    });
    expect(readEventQuery({}, manager)).toEqual({ filters: { manager } });
  });

  it.each([
    ['missed', { mark: ['missed'], ruleOfMark: ['pii.x'] }],
    ['wrong,missed', { mark: ['wrong', 'missed'], ruleOfMark: ['pii.x'] }],
    ['wrong', { mark: ['wrong'], rule: ['pii.x'] }],
    ['missed,none', { mark: ['missed', 'none'], rule: ['pii.x'] }],
  ])('reads the rule of the mark %s: a missed one did not fire', (mark, filters) => {
    expect(readEventQuery({ mark, rule: 'pii.x' }, manager).filters).toEqual({ manager, ...filters });
  });

  it.each([
    ['type', 'ai.requests'],
    ['environment', 'prod'],
    ['decision', 'deny'],
    ['from', 'yesterday'],
    ['from', '2026-13-01'],
    ['to', '2026-01-31T08:00:00'],
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '1e2'],
    ['q', ''],
    ['q', 'x'.repeat(1001)],
    ['app', ['a', 'b']],
    ['metadata.', '1'],
    ['metadata.a..b', '1'],
    ['metadata.__proto__', '1'],
    ['typ', 'ai.request'],
    ['__proto__x', '1'],
    ['constructor', '1'],
  ])('refuses %s=%j by name', (name, value) => {
    expect(refusal({ [name]: value })).toEqual([{ path: name, message: expect.any(String) as string }]);
  });

  it('names every invalid parameter at once, but no name that looks like content', () => {
    expect(refusal({ limit: 'x', decision: 'x', 'my secret': '1' }).map(({ path }) => path)).toEqual([
      'limit',
      'decision',
      '(a parameter)',
    ]);
  });

  it('does not repeat the name of a parameter that may be a credential', () => {
    const name = 'ghp' + '_x7Kq2mZt9LwYb4RfNs8VcD1hJ6gP3uEaQ0iT';
    expect(refusal({ [name]: '1' }).map(({ path }) => path)).toEqual(['(a parameter)']);
  });

  it('bounds the number of metadata terms', () => {
    const terms = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`metadata.k${index}`, '1']));
    expect(refusal(terms)).toEqual([{ path: 'metadata', message: 'must be at most 10 terms' }]);
  });
});
