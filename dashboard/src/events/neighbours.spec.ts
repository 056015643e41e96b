import { appOfCall, environmentOfCall, neighbours, rememberList, searchOfCall, searchOfSession } from './neighbours.ts';

describe('A call opened from a list', () => {
  it('is looked up in its own app, whatever apps the list is filtered by', () => {
    const search = searchOfCall('a-1')({ app: 'a-1,a-2', outcome: 'blocked' });
    expect(search['app']).toBe('a-1,a-2');
    expect(appOfCall(search)).toBe('a-1');
  });

  it('returns to the same list', () => {
    const list = { app: 'a-1,a-2', outcome: 'blocked' };
    expect(searchOfCall(undefined)(searchOfCall('a-1')(list))).toEqual({ ...list, event_app: undefined });
  });

  it('opens in the tab of the call before it, but the list has no tab', () => {
    const call = searchOfCall('a-1')({ ...searchOfCall('a-2')({}), tab: 'facts' });
    expect(call['tab']).toBe('facts');
    expect(searchOfCall(undefined)(call)['tab']).toBeUndefined();
  });

  it('is looked up in the app of the filter if the link names no other', () => {
    expect(appOfCall({ app: 'a-1' })).toBe('a-1');
    expect(appOfCall({ app: 'a-1,a-2' })).toBeUndefined();
    expect(appOfCall({})).toBeUndefined();
  });

  it('has the calls of the list before and after it', () => {
    const listed = ['one', 'two', 'three'].map((id) => ({ id, app: `app of ${id}` }));
    rememberList(listed);
    expect(neighbours('two')).toEqual({ at: 2, of: 3, before: listed[0], after: listed[2] });
    expect(neighbours('unknown')).toEqual({ at: 0, of: 0 });
  });
});

describe('A session opened from a list', () => {
  it('consists of the calls of its own app and environment, whose session id others may also have', () => {
    const search = searchOfSession('a-1', 'staging')({ env: 'all', app: 'a-1,a-2' });
    expect(search).toMatchObject({ env: 'all', app: 'a-1' });
    expect(environmentOfCall(search)).toBe('staging');
  });

  it('leaves its environment out of the addresses of its calls, whose ids are unique', () => {
    const session = searchOfSession('a-1', 'staging')({});
    expect(environmentOfCall(searchOfCall('a-1')(session))).toBeUndefined();
  });
});
