import fc from 'fast-check';
import type { SessionAdditions } from '../model/session.js';
import { afterCall, historyOf, NEW_SESSION, readState, SESSION_LIFE_MS, writtenState } from './session-state.js';

const MINUTE_MS = 60_000;
const same = (address: string): string => address;
const additions = (more: Partial<SessionAdditions>): SessionAdditions => ({ steps: [], calls: [], named: [], ...more });
const result = (name: string) => additions({ steps: [{ kind: 'tool_result', name }] });

describe('the stored state of a session', () => {
  it('contains each step once, in the order of its first occurrence', () => {
    const state = ['b', 'a', 'b'].reduce((before, name) => afterCall(before, result(name), 0), NEW_SESSION);
    expect(historyOf(state, 0, same).steps.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('counts all calls in a window, and the calls of one tool regardless of the case of its name', () => {
    const state = [9, 4, 1].reduce(
      (before, minutes) => afterCall(before, additions({ calls: ['Search', 'fetch'] }), -minutes * MINUTE_MS),
      NEW_SESSION,
    );
    const history = historyOf(state, 0, same);
    expect(history.callsWithin(5 * MINUTE_MS)).toBe(4);
    expect(history.callsWithin(5 * MINUTE_MS, 'SEARCH')).toBe(2);
    expect(history.callsWithin(10 * MINUTE_MS, 'search')).toBe(3);
  });

  it('keeps the first steps when it is full, and is marked as truncated', () => {
    let state = afterCall(NEW_SESSION, result('fetch_page'), 0);
    for (let index = 0; index < 400; index++) state = afterCall(state, result(`harmless_${index}`), index);
    const history = historyOf(state, 0, same);
    expect(history.steps[0]).toEqual({ kind: 'tool_result', name: 'fetch_page' });
    expect(history.isCut).toBe(true);
  });

  it('is marked as truncated if a name is too long or there are too many addresses', () => {
    expect(afterCall(NEW_SESSION, result('x'.repeat(200)), 0).isCut).toBe(true);
    const named = Array.from({ length: 1_500 }, (_, index) => `email:${index}@corp.example`);
    const state = afterCall(NEW_SESSION, additions({ named }), 0);
    expect(state.isCut).toBe(true);
    expect(historyOf(state, 0, same).hasNamed('email:0@corp.example')).toBe(true);
  });

  it('counts a result without a tool name as a result of each tool called before it', () => {
    const call = (name: string) => additions({ steps: [{ kind: 'tool_call', name }] });
    const told = [call('fetch_page'), call('search'), result(''), call('later')];
    const { steps } = told.reduce((before, added) => afterCall(before, added, 0), NEW_SESSION);
    const results = steps.filter(({ kind }) => kind === 'tool_result').map(({ name }) => name);
    expect(results).toEqual(['fetch_page', 'search']);
  });

  it('drops calls older than its lifetime', () => {
    const old = afterCall(NEW_SESSION, additions({ calls: ['search'] }), 0);
    expect(afterCall(old, additions({ calls: ['search'] }), SESSION_LIFE_MS).calls).toHaveLength(1);
  });

  it('stays within its limits for any calls, and is unchanged after writing and reading', () => {
    const name = fc.string({ maxLength: 300 });
    const one = fc.record({
      steps: fc.array(fc.record({ kind: fc.constantFrom('tool_call' as const, 'tool_result' as const), name })),
      calls: fc.array(name),
      named: fc.array(fc.string({ minLength: 22, maxLength: 22 })),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (calls) => {
        const state = calls.reduce((before, added, index) => afterCall(before, added, index), NEW_SESSION);
        expect(state.steps.length).toBeLessThanOrEqual(256);
        expect(state.calls.length).toBeLessThanOrEqual(256);
        expect(state.named.length).toBeLessThanOrEqual(1_024);
        expect(readState(writtenState(state))).toEqual(state);
      }),
    );
  });
});
