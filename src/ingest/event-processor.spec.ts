import { DocumentReader } from '../documents/index.js';
import { atOnce, parseJson } from '../core/index.js';
import type { Judgement, JudgementService } from '../judgement/index.js';
import type { ActivePolicy, PolicyStore } from '../policy-store/index.js';
import {
  ANSWER_GONE,
  EventIdInProgress,
  type AppendRequest,
  type AppendResult,
  type EventLog,
  type NewEvent,
  type Spending,
  type SpendingOutcome,
  type StoredAnswer,
  type StoredRequests,
} from '../events/index.js';
import { CallPipeline, CallSessions, StoredBefore } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import { errorAnswer, WeirError } from '../http/index.js';
import { NO_SPENDING } from '../events/spending.js';
import { EventProcessor, type Processed } from './event-processor.js';
import { fingerprinting } from './ingest.service.js';
import { CALLER } from './testdata/caller.js';

const POLICY = {
  policy: { id: 'p', content: 'redacted', detectors: [], budgets: [] },
  digest: 'd',
  version: 'v',
} as unknown as ActivePolicy;
const FLAG = {
  rule: 'r.flag',
  policy: 'p',
  category: 'c',
  severity: 'low',
  action: 'flag',
  enforced: true,
  message: 'm',
} as const;

function judgement(more: Partial<Judgement> = {}): Judgement {
  return {
    action: 'allow',
    unavailable: false,
    missing: [],
    fired: [],
    violations: [FLAG],
    excepted: [],
    edits: [],
    redactions: [],
    restorable: new Map(),
    outcomes: [],
    findings: [],
    snapshot: '{}',
    monitorIgnored: false,
    tookMs: 1,
    ...more,
  };
}

const noSessions = () => Promise.reject(new Error('no test has sessions'));

/** A processor with a fixed judgement; the appended events are collected. */
function processorWith(judged: Judgement, outcome?: SpendingOutcome) {
  const appended: AppendRequest[] = [];
  const judging = {
    judgeAndMask: () => Promise.resolve({ judgement: judged, masks: [] }),
    maskTexts: () => Promise.resolve([]),
  };
  let next: AppendResult | Error = { outcome: 'appended' };
  const log = {
    append: (request: AppendRequest) => {
      appended.push(request);
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
  };
  const spending: Spending = {
    ...NO_SPENDING,
    ...(outcome === undefined ? {} : { reserve: () => Promise.resolve(outcome) }),
  };
  const processor = new EventProcessor(
    { active: () => POLICY } as unknown as PolicyStore,
    judging as unknown as JudgementService,
    new CallPipeline(
      judging as unknown as JudgementService,
      spending,
      log as unknown as EventLog,
      { keep: () => false },
      { judged: () => undefined },
      { now: () => new Date(0) },
      new CallSessions({ read: noSessions, sessionOfAnswer: noSessions }, { nowMs: () => 0 }),
    ),
    { server: { baseUrl: 'http://weir.example' } } as AppConfig,
    { find: () => Promise.resolve(undefined) } as unknown as StoredRequests,
    new DocumentReader(),
  );
  const run = (own: { readonly eventId?: string } = { eventId: 'e' }): Promise<Processed> => {
    const id = own.eventId === undefined ? {} : { event_id: own.eventId };
    const doc = parseJson(JSON.stringify({ type: 'ai.request', request_id: 'r', ...id, payload: { prompt: 'hi' } }));
    return processor.process({
      context: { caller: CALLER, source: 'rest', receivedAt: new Date(0), setHeader: () => undefined },
      doc,
      ...own,
      fingerprint: atOnce(fingerprinting(doc)),
      traceId: 't',
      startedMs: 0,
    });
  };
  return { run, appended, answerNext: (answer: typeof next) => void (next = answer) };
}

describe('EventProcessor', () => {
  const budgetEvent = { id: 'b', type: 'budget.exceeded' } as NewEvent;

  it('keeps the reservation of a recorded call, and releases it if the event is a duplicate or not stored', async () => {
    const released: string[] = [];
    const hold = { release: () => Promise.resolve(void released.push('given back')) };
    const { run, appended, answerNext } = processorWith(judgement(), { outcome: 'granted', hold, ledger: [] });
    expect(await run()).toMatchObject({ eventId: 'e', answer: { status: 200 } });
    expect(appended[0]?.idempotency.answer).toBeDefined();
    expect(released).toEqual([]);
    answerNext({ outcome: 'duplicate', stored: {} as StoredAnswer });
    await expect(run()).rejects.toThrow(StoredBefore);
    expect(released).toHaveLength(1);
    answerNext(new Error('down'));
    await expect(run()).rejects.toMatchObject({ type: 'internal_error' });
    expect(released).toHaveLength(2);
  });

  it('stores no answer to an event without an id of its own, as nothing can ask for it again, but claims the id', async () => {
    for (const judged of [judgement(), judgement({ action: 'block', reason: 'tool_use_blocked' })]) {
      const { run, appended } = processorWith(judged);
      const named = await run();
      const unnamed = await run({});
      expect(appended[0]?.idempotency.answer?.body).toBe(named.answer.body);
      expect(appended[1]?.idempotency.answer).toMatchObject({ status: named.answer.status, body: ANSWER_GONE });
      expect(appended[1]?.idempotency.answer).not.toHaveProperty('remade');
      expect(unnamed.answer.body.replace(unnamed.eventId, 'e')).toBe(named.answer.body);
    }
  });

  it('asks for a retry of a duplicate that another replica is processing', async () => {
    const { run, answerNext } = processorWith(judgement());
    answerNext(new EventIdInProgress('busy'));
    await expect(run()).rejects.toMatchObject({ type: 'in_progress', options: { retryAfterSeconds: 1 } });
  });

  it('refuses a call that a budget denies, records it as a block, and stores no answer', async () => {
    const denial: SpendingOutcome = {
      outcome: 'denied',
      reason: 'budget_exceeded',
      message: 'Used up',
      children: [budgetEvent],
    };
    const { run, appended } = processorWith(judgement(), denial);
    await expect(run()).rejects.toMatchObject({
      type: 'budget_exceeded',
      message: 'Used up',
      options: { decision: 'block', eventId: 'e', violations: [FLAG] },
    });
    expect(appended).toHaveLength(1);
    expect(appended[0]).toMatchObject({
      event: { decision: 'block', reason: 'budget_exceeded' },
      children: [{ type: 'policy.violation' }, { type: 'budget.exceeded' }],
    });
    expect(appended[0]?.idempotency.answer).toBeUndefined();
  });

  it.each<[string, Partial<Judgement>, SpendingOutcome | undefined]>([
    ['a budget', {}, { outcome: 'denied', reason: 'budget_exceeded', message: 'Used up', children: [budgetEvent] }],
    ['an outage of a detector', { action: 'block', unavailable: true, missing: ['pii'] }, undefined],
  ])('reports that monitor mode was ignored when the call is refused because of %s', async (_why, judged, denial) => {
    const headersOf = async (monitorIgnored: boolean): Promise<Readonly<Record<string, string>>> => {
      const { run } = processorWith(judgement({ ...judged, monitorIgnored }), denial);
      const refusal: unknown = await run().catch((error: unknown) => error);
      if (!(refusal instanceof WeirError)) throw refusal;
      return errorAnswer(refusal, 't', 'http://weir.example').headers;
    };
    expect(await headersOf(true)).toMatchObject({ 'x-weir-monitor-mode': 'ignored' });
    expect(await headersOf(false)).not.toHaveProperty('x-weir-monitor-mode');
  });

  it('does not ask the budgets about a call that a rule blocks: the rule wins', async () => {
    const denial: SpendingOutcome = { outcome: 'denied', reason: 'budget_exceeded', message: 'Used up', children: [] };
    const { run } = processorWith(judgement({ action: 'block', reason: 'tool_use_blocked' }), denial);
    expect(await run()).toMatchObject({
      answer: { status: 400, headers: { 'x-should-retry': 'false' } },
    });
  });

  it('records an outage without violations and without a stored answer, and asks no budget', async () => {
    const denial: SpendingOutcome = { outcome: 'denied', reason: 'budget_exceeded', message: 'Used up', children: [] };
    const { run, appended } = processorWith(
      judgement({ action: 'block', unavailable: true, missing: ['pii'] }),
      denial,
    );
    await expect(run()).rejects.toMatchObject({ type: 'guardrail_unavailable' });
    expect(appended[0]).toMatchObject({
      event: { decision: 'block', reason: 'guardrail_unavailable', violations: [] },
      children: [],
    });
    expect(appended[0]?.idempotency.answer).toBeUndefined();
  });
});
