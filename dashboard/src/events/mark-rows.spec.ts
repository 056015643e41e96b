import { judgedIn, markRows, restoreMarks, type MarkStore } from './mark-rows.ts';
import type { Marking } from './marking.ts';
import type { ListedEvent } from './use-events.ts';

type Stored = Awaited<ReturnType<MarkStore['put']>>;

const RULE = 'pii.mask';

function row(id: string, given: object = {}): ListedEvent {
  return { id, type: 'ai.request', violations: [{ rule: RULE }], marks: [], parent_id: null, ...given } as never;
}

/** The service with these marks, by the id of their call. */
function service(marks: Readonly<Record<string, Marking>>, callOf: Readonly<Record<string, string>> = {}) {
  const stored = new Map(Object.entries(marks));
  const requests: string[] = [];
  const shown = (call: string, marking: Marking): Stored =>
    ({ call, rule: RULE, mark: marking.mark, note: marking.note ?? null }) as Stored;
  const of = (event: string): string => callOf[event] ?? event;
  const marksOf = (event: string): readonly Stored[] => {
    const marking = stored.get(of(event));
    return marking === undefined ? [] : [shown(of(event), marking)];
  };
  const store: MarkStore = {
    load: (event) => {
      requests.push(`load ${event}`);
      return Promise.resolve(marksOf(event));
    },
    put: ({ row: { id } }, marking) => {
      requests.push(`put ${id}`);
      if (id === 'lost') return Promise.reject(new Error('no answer'));
      stored.set(of(id), marking);
      return Promise.resolve(shown(of(id), marking));
    },
    restore: ({ call, before }) => {
      requests.push(`restore ${call}`);
      if (before === null) stored.delete(call);
      else stored.set(call, before);
      return Promise.resolve();
    },
  };
  return { stored, requests, store, marksOf };
}

describe('Selected rows that are marked together', () => {
  it('are marked for each rule that fired, once', () => {
    const violations = ['x', 'y', 'x'].map((rule) => ({ rule }));
    const rows = [row('a', { violations }), row('b', { violations: [] })];
    expect(judgedIn(rows).map(({ row: { id }, rule }) => `${id} ${rule}`)).toEqual(['a x', 'a y']);
  });

  it('leave an equal mark of a colleague alone', async () => {
    const { store, requests, marksOf } = service({ a: { mark: 'wrong', note: 'seen with Ada' } });
    const marked = await markRows([row('a', { marks: marksOf('a') }), row('b')], 'wrong', store);
    expect(requests).toEqual(['put b']);
    expect(marked).toMatchObject({ unchanged: 1, error: null, changes: [{ call: 'b', rule: RULE, before: null }] });
  });

  it('keep the note of a mark that changes', async () => {
    const { store, stored, marksOf } = service({ a: { mark: 'right', note: 'seen with Ada' } });
    await markRows([row('a', { marks: marksOf('a') })], 'wrong', store);
    expect(stored.get('a')).toEqual({ mark: 'wrong', note: 'seen with Ada' });
  });

  it('get their earlier marks and notes back', async () => {
    const { store, stored, marksOf } = service({ a: { mark: 'right', note: 'seen with Ada' } });
    const { changes } = await markRows([row('a', { marks: marksOf('a') }), row('b')], 'wrong', store);
    expect((await restoreMarks(changes, store)).changes).toEqual(changes);
    expect([...stored]).toEqual([['a', { mark: 'right', note: 'seen with Ada' }]]);
  });

  it('keep the note of a mark that the row does not contain, because it arrived live', async () => {
    const { store, stored, requests } = service({ a: { mark: 'right', note: 'seen with Ada' } });
    await markRows([row('a', { marks: undefined })], 'wrong', store);
    expect(requests).toEqual(['load a', 'put a']);
    expect(stored.get('a')).toEqual({ mark: 'wrong', note: 'seen with Ada' });
  });

  it('keep the note of the call if the row is a later event of it, or reports about it', async () => {
    const calls = { answer: 'a', report: 'a' };
    for (const one of [row('answer', { type: 'ai.response' }), row('report', { type: 'policy.violation' })]) {
      const { store, stored } = service({ a: { mark: 'right', note: 'seen with Ada' } }, calls);
      await markRows([one], 'wrong', store);
      expect(stored.get('a')).toEqual({ mark: 'wrong', note: 'seen with Ada' });
    }
  });

  it('ask about the event that a report belongs to', async () => {
    const { store, requests } = service({});
    await markRows([row('report', { type: 'policy.violation', parent_id: 'a' })], 'wrong', store);
    expect(requests[0]).toBe('load a');
  });

  it.each([
    ['the answer before the request', ['answer', 'a']],
    ['the request before the answer', ['a', 'answer']],
  ])('change a call only once, and get its first mark back: %s', async (_, order) => {
    const { store, stored, requests } = service({}, { answer: 'a' });
    const rows = order.map((id) => row(id, id === 'answer' ? { type: 'ai.response' } : {}));
    const { changes, unchanged } = await markRows(rows, 'right', store);
    expect(requests.filter((each) => each.startsWith('put'))).toHaveLength(1);
    expect([changes.length, unchanged]).toEqual([1, 0]);
    await restoreMarks(changes, store);
    expect(requests.filter((each) => each.startsWith('restore'))).toEqual(['restore a']);
    expect(stored.size).toBe(0);
  });

  it('are counted up to a failure, and those before it can be taken back', async () => {
    const { store, stored } = service({});
    const { changes, error } = await markRows([row('a'), row('lost'), row('b')], 'right', store);
    expect(changes.map(({ call }) => call)).toEqual(['a']);
    expect(error?.message).toBe('no answer');
    await restoreMarks(changes, store);
    expect(stored.size).toBe(0);
  });

  it('are taken back up to a failure, so that the others can be tried again', async () => {
    const { store } = service({});
    const { changes } = await markRows([row('a'), row('b')], 'right', store);
    const failing = ({ call }: { readonly call: string }): Promise<void> =>
      call === 'b' ? Promise.reject(new Error('no answer')) : Promise.resolve();
    const { changes: restored, error } = await restoreMarks(changes, { restore: failing });
    expect(restored.map(({ call }) => call)).toEqual(['a']);
    expect(error).not.toBeNull();
  });
});
