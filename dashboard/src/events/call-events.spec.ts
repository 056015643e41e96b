import type { CallEvent } from '../api/types.ts';
import { endsOf, firedIn, judgedEvents, titledEvents, wholeCall } from './call-events.ts';

const USAGE = {
  ...{ prompt_tokens: 10, completion_tokens: 1, cache_read_tokens: 8, cache_write_tokens: null },
  ...{ cache_write_1h_tokens: null, reasoning_tokens: null, other: null, estimated: false },
};

function event(id: string, type: CallEvent['type'], given: object = {}): CallEvent {
  return {
    ...{ id, type, outcome: 'allowed', decision: 'allow', reason: null, violations: [], excepted: [] },
    ...{ usage: null, cost_nano_usd: null, price_version: null, upstream_status: null },
    latency_ms: { total: null, provider: null, weir: 1 },
    ...given,
  } as unknown as CallEvent;
}
const request = event('1', 'ai.request');
const blocked = { outcome: 'blocked', decision: 'block', violations: [{ rule: 'secrets.block', action: 'block' }] };

describe('The page of a call', () => {
  it('shows the answers and errors of the call in their order, and not the call itself or reports about it', () => {
    const events = [event('4', 'policy.violation'), event('3', 'ai.response'), event('2', 'ai.error'), request];
    expect(endsOf(request.id, events).map(({ id }) => id)).toEqual(['2', '3']);
    expect(endsOf('3', [event('3', 'ai.response')])).toEqual([]);
  });

  it('has a verdict for an answer that a rule refused', () => {
    const answer = event('2', 'ai.response', blocked);
    expect(judgedEvents(request, [answer])).toEqual([
      { title: 'Request', event: request },
      { title: 'Answer', event: answer },
    ]);
    expect(firedIn(request, [answer])).toBe(answer);
  });

  it('has a verdict for an answer that only an exception, or the lack of facts, concerned', () => {
    const excepted = event('2', 'ai.response', { excepted: [{ rule: 'pii.mask', exception: 'EX-1', kept: 'redact' }] });
    const unavailable = event('3', 'ai.response', { decision: 'block', reason: 'guardrail_unavailable' });
    expect(judgedEvents(request, [excepted, unavailable]).map(({ title }) => title)).toEqual([
      ...['Request', 'Answer 1', 'Answer 2'],
    ]);
  });

  it('has one verdict if nothing was decided about the answer', () => {
    expect(judgedEvents(request, [event('2', 'ai.response'), event('3', 'ai.error', { decision: null })])).toEqual([
      { title: 'Request', event: request },
    ]);
    expect(firedIn(request, [event('2', 'ai.response')])).toBe(request);
  });

  it('shows the facts and the record of each event, also of those about which nothing was decided', () => {
    const events = [request, event('2', 'ai.error'), event('3', 'ai.response'), event('4', 'ai.response')];
    expect(titledEvents(events).map(({ title, event: { id } }) => [id, title])).toEqual([
      ['1', 'Request'],
      ['2', 'Error'],
      ['3', 'Answer 1'],
      ['4', 'Answer 2'],
    ]);
  });

  it('has the outcome, the rules and the times of the whole call, as lists have', () => {
    const flagged = { outcome: 'flagged', violations: [{ rule: 'words.flag', action: 'flag' }] };
    const answer = event('2', 'ai.response', { ...blocked, latency_ms: { total: 800, provider: 790, weir: 3 } });
    expect(wholeCall(event('1', 'ai.request', flagged), [answer])).toMatchObject({
      ...{ id: '1', type: 'ai.request', outcome: 'blocked', decision: 'block' },
      violations: [{ rule: 'words.flag' }, { rule: 'secrets.block' }],
      latency_ms: { total: 800, provider: 790, weir: 3 },
    });
  });

  it('shows the time and the cost of a call that failed', () => {
    const usage = { ...USAGE, estimated: true };
    const charged = { usage, cost_nano_usd: '120', price_version: '2026-11-14', upstream_status: 529 };
    const error = event('2', 'ai.error', {
      ...{ outcome: 'error', decision: null, reason: 'overloaded', ...charged },
      latency_ms: { total: 30_000, provider: 29_990, weir: 2 },
    });
    expect(wholeCall(request, [error])).toMatchObject({
      ...{ outcome: 'error', ...charged },
      latency_ms: { total: 30_000, provider: 29_990, weir: 2 },
    });
  });

  it('adds up all kinds of tokens of several answers', () => {
    const ends = [event('2', 'ai.error', { usage: USAGE }), event('3', 'ai.response', { usage: USAGE })];
    expect(wholeCall(request, ends).usage).toMatchObject({ prompt_tokens: 20, cache_read_tokens: 16 });
  });
});
