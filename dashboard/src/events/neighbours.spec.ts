import { appOfCall, neighbours, rememberList, searchOfCall } from './neighbours.ts';

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
