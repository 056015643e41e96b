import { idInPath } from './id-in-path.ts';

describe('The id that is copied with a key', () => {
  it.each([
    ['/events/order-1', 'order-1'],
    ['/events/a%2Fb%20c', 'a/b c'],
    ['/sessions/s_9f31', 's_9f31'],
    ['/apps/7/settings/keys', '7'],
    ['/budgets/production/team-day', 'team-day'],
    ['/policies/staging/rules/pii.mask', 'pii.mask'],
    ['/exports/schedules/4', '4'],
  ])('of %s is %s', (path, id) => {
    expect(idInPath(path)).toBe(id);
  });

  it.each(['/', '/events', '/budgets/production', '/policies/production/files/a.yaml', '/apps/new/setup', '/apps/new'])(
    'does not exist on %s',
    (path) => {
      expect(idInPath(path)).toBeUndefined();
    },
  );

  it('is taken as it is if its escapes are broken', () => {
    expect(idInPath('/events/100%')).toBe('100%');
  });
});
