import fc from 'fast-check';
import { AccessUnavailable } from '../access/index.js';
import { WeirError } from '../http/index.js';
import { UnreadableAnswer, type CallTimes, type JudgedAnswer } from './answer-judge.js';
import { CallRecord, ENDED_BEFORE } from './call-record.js';
import { NotRecorded } from './not-recorded.js';
import type { AdmittedCall } from './proxied-call.js';
import { StoredBefore } from './call-replays.js';

const CALL = { id: 'call' } as AdmittedCall;
const TIMES: CallTimes = { sentMs: 0, overheadMs: 0 };
const LIMITS = { bytes: 1_000, ratio: 100 };
const CAME = { status: 200, contentType: 'text/plain', coding: undefined, body: Buffer.alloc(0) };
const WHOLE = { ...CAME, enforceable: true };

type Outcome = 'stored' | 'log down' | 'unreadable' | 'stored elsewhere' | 'defect' | 'no key' | 'overloaded';

/** A record whose log has the given result; written events are kept. */
function recordWith(outcome: Outcome = 'stored') {
  const written: { readonly type: 'ai.response' | 'ai.error'; readonly reason?: string }[] = [];
  const write = async (type: 'ai.response' | 'ai.error', reason?: string): Promise<void> => {
    // The log is slow, so other code may end the call meanwhile.
    await new Promise(setImmediate);
    written.push({ type, ...(reason === undefined ? {} : { reason }) });
    if (outcome === 'log down') throw new NotRecorded(new WeirError('unavailable'));
    if (outcome === 'stored elsewhere')
      throw new StoredBefore({ id: 'e', status: 200, body: '', fingerprint: Buffer.alloc(0) });
  };
  const judge = async ({ enforceable, reason }: { readonly enforceable: boolean; readonly reason?: string }) => {
    if (enforceable && outcome === 'unreadable') throw new UnreadableAnswer(new Error('what is in it'));
    if (outcome === 'defect') throw new RangeError('Maximum call stack size exceeded');
    if (outcome === 'no key') throw new AccessUnavailable();
    if (outcome === 'overloaded') throw new WeirError('overloaded');
    await write('ai.response', reason);
    return { eventId: 'end' } as JudgedAnswer;
  };
  const failures = {
    withoutAnswer: (_call: AdmittedCall, reason: string) => write('ai.error', reason),
  };
  return { record: new CallRecord(CALL, TIMES, { judge: { judge }, failures }, LIMITS), written };
}

const ENDS = {
  complete: (record: CallRecord) => record.complete(WHOLE),
  fail: (record: CallRecord) => record.fail({ reason: 'upstream_timeout' }),
  abandon: (record: CallRecord) => record.abandon(() => CAME),
};
type End = keyof typeof ENDS;
const WRITTEN: Record<End, object> = {
  complete: { type: 'ai.response' },
  fail: { type: 'ai.error', reason: 'upstream_timeout' },
  abandon: { type: 'ai.response', reason: 'client_disconnected' },
};

describe('CallRecord', () => {
  const anyEnd = fc.constantFrom(...(Object.keys(ENDS) as End[]));

  it('records only the first end of a call, whatever the order of the ends, concurrently or in sequence', async () => {
    const steps = fc.array(fc.record({ end: anyEnd, waits: fc.boolean() }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.constantFrom<Outcome>('stored', 'log down', 'stored elsewhere'),
        async (ends, outcome) => {
          const { record, written } = recordWith(outcome);
          expect(record.hasEnded).toBe(false);
          const results: Promise<unknown>[] = [];
          for (const { end, waits } of ends) {
            const result = ENDS[end](record).catch((error: unknown) => error);
            results.push(result);
            expect(record.hasEnded).toBe(true);
            if (waits) await result;
          }
          const [first, ...later] = await Promise.all(results);
          expect(written).toEqual([WRITTEN[ends[0]!.end]]);
          expect(later).toEqual(later.map(() => ENDED_BEFORE));
          if (outcome === 'log down') expect(first).toMatchObject({ type: 'unavailable' });
          else if (outcome === 'stored elsewhere') expect(first).toBe(ENDED_BEFORE);
          else expect(first).not.toBe(ENDED_BEFORE);
        },
      ),
    );
  });

  it('records an unreadable answer once, as a failure, and reports that it cannot be read', async () => {
    const { record, written } = recordWith('unreadable');
    await expect(record.complete(WHOLE, { status: 200 })).rejects.toThrow(UnreadableAnswer);
    await expect(record.fail({ reason: 'internal_error' })).resolves.toBe(ENDED_BEFORE);
    expect(written).toEqual([{ type: 'ai.error', reason: 'upstream_unreachable' }]);
  });

  it.each(['complete', 'abandon'] as const)(
    'records a failure if the attempt to %s throws an unforeseen error',
    async (end) => {
      const { record, written } = recordWith('defect');
      await expect(ENDS[end](record)).rejects.toThrow(RangeError);
      expect(written).toEqual([{ type: 'ai.error', reason: 'internal_error' }]);
    },
  );

  it.each(['complete', 'abandon'] as const)(
    'records a failure if the attempt to %s is refused before the log is asked, so that the reservation ends',
    async (end) => {
      const { record, written } = recordWith('overloaded');
      await expect(ENDS[end](record)).rejects.toMatchObject({ type: 'overloaded' });
      expect(written).toEqual([{ type: 'ai.error', reason: 'overloaded' }]);
    },
  );

  it('records a failure if the key for the tokens of an answer cannot be read', async () => {
    const { record, written } = recordWith('no key');
    await expect(record.complete(WHOLE)).rejects.toThrow(AccessUnavailable);
    expect(written).toEqual([{ type: 'ai.error', reason: 'unavailable' }]);
  });

  it('does not read the rest of an abandoned answer if the end of the call is already recorded', async () => {
    const { record } = recordWith();
    await record.fail({ reason: 'upstream_timeout' });
    let asked = 0;
    const left = () => {
      asked++;
      return CAME;
    };
    await expect(record.abandon(left)).resolves.toBe(ENDED_BEFORE);
    expect(asked).toBe(0);
  });

  it('counts as ended while Weir still reads the rest of an answer whose client has disconnected', async () => {
    const { record, written } = recordWith();
    const { promise, resolve } = Promise.withResolvers<typeof CAME>();
    const abandoned = record.abandon(() => promise);
    await expect(record.fail({ reason: 'upstream_timeout' })).resolves.toBe(ENDED_BEFORE);
    expect(written).toEqual([]);
    resolve(CAME);
    await expect(abandoned).resolves.toBe('recorded');
    expect(written).toEqual([WRITTEN.abandon]);
  });
});
