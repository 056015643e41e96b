import { pathTarget } from './path-target.ts';

const noRange = { range: undefined, from: undefined, to: undefined };

describe('The target of a path from the service', () => {
  it('has the page and the parameters of the path', () => {
    expect(pathTarget('/events?env=staging&range=24h&rule=pii.a%2Bb')).toEqual({
      to: '/events',
      search: { env: 'staging', range: '24h', from: undefined, to: undefined, rule: 'pii.a+b' },
    });
  });

  it('keeps no time range of the page before', () => {
    expect(pathTarget('/budgets/production/day')).toEqual({ to: '/budgets/production/day', search: noRange });
  });

  it.each(['https://example.com/', '//example.com', '/\\example.com', 'events'])(
    'is the overview for %s, which is no path of this service',
    (path) => {
      expect(pathTarget(path)).toEqual({ to: '/', search: noRange });
    },
  );
});
