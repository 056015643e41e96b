import { EventEmitter } from 'node:events';
import type { Caller } from '../access/index.js';
import { CallEntrance, CallReplays, StoredBefore } from '../calls/index.js';
import { atOnce, parseJson } from '../core/index.js';
import { WeirError } from '../http/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import { type AdmissionStep, type AdmissionSteps, type StoredAnswer } from '../events/index.js';
import type { EventProcessor, Processed, ProcessInput } from './event-processor.js';
import { fingerprinting, IngestService, type SubmitInput } from './ingest.service.js';
import { CALLER } from './testdata/caller.js';

const BODY = '{"type":"ai.request","request_id":"r","event_id":"e","payload":{"prompt":"hi"}}';
const KNOWN: StoredAnswer = {
  id: 'i',
  status: 200,
  body: '{"event_id":"e"}',
  fingerprint: atOnce(fingerprinting(parseJson(BODY))),
};

interface Setup {
  readonly caller?: Caller | null;
  readonly known?: StoredAnswer | null;
  readonly process?: (input: ProcessInput) => Promise<Processed>;
  readonly refuses?: 'limits' | 'subscription';
}

/** The service with fake dependencies; `asked` lists their calls in order. */
function serviceWith({ caller = CALLER, known = null, process, refuses }: Setup = {}) {
  const asked: string[] = [];
  const step = (name: 'limits' | 'subscription'): AdmissionStep => ({
    name,
    admit: () => {
      asked.push(name);
      return refuses === name ? Promise.reject(new WeirError('rate_limit_exceeded')) : Promise.resolve(undefined);
    },
    giveBack: () => Promise.resolve(void asked.push(`${name} given back`)),
  });
  const steps: AdmissionSteps = { limits: [step('limits')], subscription: [step('subscription')] };
  const recorded: Processed = {
    eventId: 'e',
    answer: { status: 200, headers: {}, body: KNOWN.body },
    stored: KNOWN,
  };
  const service = new IngestService(
    new CallEntrance(
      { authenticate: () => Promise.resolve(caller) },
      steps,
      {
        enter: () => Promise.resolve(() => undefined),
        check: () => undefined,
        isBusy: false,
        countRefused: () => undefined,
      },
      { now: () => new Date() },
    ),
    new CallReplays({
      remembered: () => {
        asked.push('replay');
        return Promise.resolve(known);
      },
    }),
    {
      process: (input: ProcessInput) => {
        asked.push('process');
        return process?.(input) ?? Promise.resolve(recorded);
      },
    } as unknown as EventProcessor,
    { active: () => ({ policy: { clientMonitorMode: 'ignore' } }) } as unknown as PolicyStore,
  );
  const submit = (body = BODY) => {
    const input: SubmitInput = {
      client: new EventEmitter() as unknown as SubmitInput['client'],
      key: 'k',
      readBody: () => {
        asked.push('body');
        return Promise.resolve(parseJson(body));
      },
      traceId: 't',
      setHeader: () => undefined,
    };
    return service.submit(input, () => asked.push('caller'));
  };
  return { submit, asked };
}

describe('IngestService', () => {
  it('checks the limits, looks for a replay, checks the subscription, then processes the event', async () => {
    const { submit, asked } = serviceWith();
    expect(await submit()).toMatchObject({ replayed: false, eventId: 'e', answer: { status: 200 } });
    expect(asked).toEqual(['caller', 'limits', 'body', 'replay', 'subscription', 'process']);
  });

  it('answers a replay without checking the subscription, but counts it against the limits', async () => {
    const { submit, asked } = serviceWith({ known: KNOWN, refuses: 'subscription' });
    expect(await submit()).toEqual({
      answer: { status: 200, headers: { 'idempotent-replayed': 'true' }, body: KNOWN.body },
      eventId: 'e',
      replayed: true,
    });
    expect(asked).toEqual(['caller', 'limits', 'body', 'replay']);
  });

  it('refuses a known id with another body, and processes nothing', async () => {
    const { submit, asked } = serviceWith({ known: KNOWN });
    await expect(submit(BODY.replace('hi', 'ho'))).rejects.toMatchObject({ type: 'event_id_conflict' });
    expect(asked).not.toContain('process');
  });

  it('gives the hit of the rate limit back if an event is refused as overloaded', async () => {
    const { submit, asked } = serviceWith({ process: () => Promise.reject(new WeirError('overloaded')) });
    await expect(submit()).rejects.toMatchObject({ type: 'overloaded' });
    expect(asked.slice(-2)).toEqual(['process', 'limits given back']);
  });

  it('does not read the body of a caller without a key or over the limit', async () => {
    const unknown = serviceWith({ caller: null });
    await expect(unknown.submit()).rejects.toMatchObject({ type: 'authentication_error' });
    expect(unknown.asked).toEqual([]);
    const limited = serviceWith({ refuses: 'limits' });
    await expect(limited.submit()).rejects.toMatchObject({ type: 'rate_limit_exceeded' });
    expect(limited.asked).toEqual(['caller', 'limits']);
  });

  it('does not look for a replay if the body has no event id', async () => {
    const { submit, asked } = serviceWith();
    await submit(BODY.replace('"event_id":"e",', ''));
    expect(asked).not.toContain('replay');
  });

  it('gives an event without an event id a fingerprint that no body has', async () => {
    const fingerprints: string[] = [];
    const { submit } = serviceWith({
      process: ({ fingerprint }) => {
        fingerprints.push(fingerprint.toString('hex'));
        return Promise.reject(new StoredBefore(KNOWN));
      },
    });
    const unnamed = BODY.replace('"event_id":"e",', '');
    for (let time = 0; time < 2; time++)
      await expect(submit(unnamed)).rejects.toMatchObject({ type: 'event_id_conflict' });
    expect(await submit()).toMatchObject({ replayed: true });
    expect(new Set(fingerprints).size).toBe(3);
    for (const each of fingerprints) expect(each).toMatch(/^[0-9a-f]{64}$/);
  });

  it('sends the answer that another replica stored first', async () => {
    const { submit } = serviceWith({ process: () => Promise.reject(new StoredBefore(KNOWN)) });
    expect(await submit()).toMatchObject({ replayed: true, answer: { body: KNOWN.body } });
  });

  it('sends the header for ignored monitor mode even with a replayed answer', async () => {
    const body = BODY.replace('"prompt":"hi"', '"prompt":"hi","monitor_mode":true');
    const { submit } = serviceWith({ known: { ...KNOWN, fingerprint: atOnce(fingerprinting(parseJson(body))) } });
    expect((await submit(body)).answer.headers).toMatchObject({ 'x-weir-monitor-mode': 'ignored' });
  });
});
