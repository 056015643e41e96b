import fc from 'fast-check';
import type { SessionAdditions } from '../model/session.js';
import {
  afterCall,
  historyOf,
  NEW_SESSION,
  readState,
  SESSION_LIFE_MS,
  writtenState,
  type SessionState,
} from './session-state.js';

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
    const calls = [call('fetch_page'), call('search'), result(''), call('later')];
    const { steps } = calls.reduce((before, added) => afterCall(before, added, 0), NEW_SESSION);
    const results = steps.filter(({ kind }) => kind === 'tool_result').map(({ name }) => name);
    expect(results).toEqual(['fetch_page', 'search']);
  });

  describe('with more calls than it stores', () => {
    const called = (...names: readonly string[]) => additions({ calls: names });
    const times = (count: number, name: string) => Array.from({ length: count }, () => name);
    const countOf = (state: SessionState, tool: string, minutes = 60, nowMs = 0) => {
      const history = historyOf(state, nowMs, same);
      const count = history.callsWithin(minutes * MINUTE_MS, tool);
      return history.mayHaveMoreCalls(minutes * MINUTE_MS, tool) ? `at least ${count}` : count;
    };

    it('still counts the calls of one tool after hundreds of calls of other tools', () => {
      let state = afterCall(NEW_SESSION, called('pay', 'pay'), -50 * MINUTE_MS);
      for (let index = 0; index < 600; index++) state = afterCall(state, called('search'), -index);
      expect(countOf(state, 'pay')).toBe(2);
      expect(countOf(state, 'pay', 10)).toBe(0);
      expect(historyOf(state, 0, same).callsWithin(60 * MINUTE_MS)).toBeGreaterThanOrEqual(256);
    });

    it('counts up to 256 calls of each of two tools exactly, in one answer or in many', () => {
      const inOne = afterCall(NEW_SESSION, called(...times(400, 'read'), ...times(400, 'write')), -MINUTE_MS);
      const inMany = [...times(400, 'read'), ...times(400, 'write')].reduce(
        (before, name) => afterCall(before, called(name), -MINUTE_MS),
        NEW_SESSION,
      );
      for (const state of [inOne, inMany])
        expect([countOf(state, 'read'), countOf(state, 'write')]).toEqual([256, 256]);
    });

    it('reports a minimum for the tools whose calls it had to leave out, and exact numbers for the others', () => {
      const busy = ['a', 'b', 'c', 'd'].flatMap((name) => times(200, name));
      let state = afterCall(NEW_SESSION, called('pay', ...busy), -30 * MINUTE_MS);
      state = afterCall(state, called(...times(256, 'search')), -MINUTE_MS);
      expect(countOf(state, 'pay')).toBe(1);
      expect(countOf(state, 'a')).toMatch(/^at least \d+$/);
      expect(countOf(state, 'a', 20)).toBe(0);
      expect(countOf(state, 'search')).toBe(256);
    });

    it('reports minimums for every tool if it had to leave out whole tools', () => {
      const many = Array.from({ length: 600 }, (_, index) => `tool_${index}`);
      let state = afterCall(NEW_SESSION, called('pay', ...many), -30 * MINUTE_MS);
      state = afterCall(state, called(...times(256, 'search')), -MINUTE_MS);
      expect(countOf(state, 'pay')).toBe('at least 0');
      expect(countOf(state, 'pay', 20)).toBe(0);
    });

    it('counts like the list of all calls, or reports a smaller number as a minimum', () => {
      const call = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'pay'), many: fc.constantFrom(1, 2, 90, 300) });
      fc.assert(
        fc.property(fc.array(call, { maxLength: 12 }), (made) => {
          const all: { name: string; atMs: number }[] = [];
          let state = NEW_SESSION;
          for (const [index, { name, many }] of made.entries()) {
            const atMs = (index - made.length) * 10 * MINUTE_MS;
            state = readState(writtenState(afterCall(state, called(...times(many, name)), atMs)));
            for (let one = 0; one < many; one++) all.push({ name, atMs });
          }
          const history = historyOf(state, 0, same);
          for (const minutes of [5, 15, 45, 95, 200]) {
            const sinceMs = -minutes * MINUTE_MS;
            const young = all.filter(({ atMs }) => atMs > sinceMs);
            expect(Math.min(history.callsWithin(-sinceMs), 256)).toBe(Math.min(young.length, 256));
            for (const tool of ['a', 'b', 'c', 'pay']) {
              const truth = Math.min(young.filter(({ name }) => name === tool).length, 256);
              const counted = Math.min(history.callsWithin(-sinceMs, tool), 256);
              expect(counted).toBeLessThanOrEqual(truth);
              if (!history.mayHaveMoreCalls(-sinceMs, tool)) expect(counted).toBe(truth);
            }
          }
        }),
      );
    });

    it('reports minimums if an earlier version may have dropped calls', () => {
      const stored = { steps: [], calls: times(256, 'search').map((name) => [name, -MINUTE_MS]), named: [] };
      const full = readState(JSON.stringify(stored));
      expect(countOf(full, 'pay')).toBe('at least 0');
      expect(countOf(full, 'pay', 1)).toBe(0);
      const short = readState(JSON.stringify({ ...stored, calls: stored.calls.slice(1) }));
      expect(countOf(short, 'pay')).toBe(0);
    });

    it('is written so that an earlier version can read it', () => {
      const state = afterCall(NEW_SESSION, called(...times(300, 'read'), ...times(300, 'write')), 5);
      const { calls } = JSON.parse(writtenState(state)) as { calls: unknown[] };
      expect(calls.every((call) => Array.isArray(call) && call.length === 2)).toBe(true);
      expect(calls.slice(-256)).toEqual(times(256, 'write').map((name) => [name, 5]));
      const small = { steps: [], calls: [['read', 5]], named: [] };
      expect(JSON.parse(writtenState(afterCall(NEW_SESSION, called('read'), 5)))).toEqual(small);
    });
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
        expect(state.calls.length).toBeLessThanOrEqual(512);
        expect(state.dropped.length).toBeLessThanOrEqual(513);
        expect(state.named.length).toBeLessThanOrEqual(1_024);
        expect(readState(writtenState(state))).toEqual(state);
      }),
    );
  });
});
