import { commandOf, type Shown } from './as-command.ts';

const commandAt = (pathname: string, search: Shown['search'] = {}, shown: Partial<Shown> = {}) =>
  commandOf({
    pathname,
    search,
    environment: 'production',
    concrete: 'production',
    range: '24h',
    to: undefined,
    ...shown,
  });

describe('The command for a page', () => {
  it('has the filters and the time range of the audit log', () => {
    expect(commandAt('/audit', { actor: 'p-1', action: 'key.created' }, { range: '30d' })).toBe(
      'weir audit --actor p-1 --action key.created --since 30d',
    );
    const [from, to] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'];
    expect(commandAt('/audit', { subject: '-x', from, to }, { range: null, to })).toBe(
      `weir audit --subject=-x --since ${from} --until ${to}`,
    );
  });

  it('shows the sessions of a list, and the calls of one session', () => {
    expect(commandAt('/sessions', { app: 'web', outcome: 'blocked', page: '2' })).toBe(
      'weir sessions list --env production --app web --outcome blocked --since 24h',
    );
    const place = { app: 'web', event_environment: 'staging' };
    expect(commandAt("/sessions/it's one", place)).toBe("weir sessions show --app web --env staging 'it'\\''s one'");
    expect(commandAt('/sessions/-x', place)).toBe('weir sessions show --app web --env staging -- -x');
  });

  it('does not exist for the playground, which is not an environment', () => {
    expect(commandAt('/policies/playground')).toBeUndefined();
    expect(commandAt('/policies/staging')).toBe('weir rules stats staging');
  });

  it('has an id as it was typed into the address, although it is not encoded', () => {
    expect(commandAt('/events/100%')).toBe('weir events show 100%');
  });

  it('has the filters of the list of events, and no parameter that is not a filter', () => {
    expect(commandAt('/events', { outcome: 'blocked', min_cost_usd: '0.05', constructor: 'x' } as never)).toBe(
      'weir events list --env production --outcome blocked --min-cost 0.05 --since 24h --calls',
    );
  });
});
