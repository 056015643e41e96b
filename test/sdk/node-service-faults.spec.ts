/** The real service fails in the middle of calls: before its verdict, between verdict and report, and during a stream. */
import { inspect } from 'node:util';
import { isBlocked, Weir, WeirConfigError, weirFetch, weirOf, type WeirOptions } from '../../sdk/node/src/index.js';
import { FaultProxy, SERVICE_FAULTS } from './fault-proxy.js';
import { CLIENTS, FaultProvider, PROVIDER_KEY, SECRET } from './fault-provider.js';
import { fetchUntil } from './fetch-until.js';
import { countOf, failure, ServiceOfFaults } from './service-of-faults.js';

/** Deadlines that are long enough for a busy machine; other tests cover deadlines. */
const PATIENT = { deadlineMs: 60_000, flushTimeoutMs: 60_000 };
const SHORT = { deadlineMs: 1_000 };
const names = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];
const modes = ['closed', 'open'] as const;
const outages = SERVICE_FAULTS.filter(({ before }) => before === 'outage');
const refusals = SERVICE_FAULTS.filter(({ before }) => before === 'refusal');
const everyWay = names.flatMap((name) => modes.map((mode) => [name, mode] as const));

describe('a guarded client of a service that fails', () => {
  let provider: FaultProvider;
  let service: ServiceOfFaults;
  let faultProxy: FaultProxy;
  const printed: string[] = [];
  const toWeir = fetchUntil(afterEach);
  const { warn, error: printError, log } = console;
  beforeAll(async () => {
    provider = await FaultProvider.start();
    service = await ServiceOfFaults.start(provider.url);
    Object.assign(console, Object.fromEntries(['warn', 'error', 'log'].map((name) => [name, keep])));
  }, 120_000);
  afterAll(async () => {
    Object.assign(console, { warn, error: printError, log });
    await service.end();
    await provider.close();
  });
  beforeEach(async () => {
    printed.length = 0;
    provider.reset();
    faultProxy = await FaultProxy.start(service.server.url);
  });
  afterEach(async () => {
    await faultProxy.close();
    nothingLeaks(printed);
  });
  const keep = (...said: unknown[]): void => void printed.push(inspect(said, { depth: 9 }));

  /** Checks clients, errors and output for secrets. A client shows its own provider key, an error must not. */
  function nothingLeaks(...things: readonly unknown[]): void {
    for (const thing of things) {
      const shown = `${inspect(thing, { depth: 12 })} ${thing instanceof Error ? thing.stack : ''}`;
      expect([SECRET, service.key].filter((word) => shown.includes(word))).toEqual([]);
      if (thing instanceof Error) expect(shown).not.toContain(PROVIDER_KEY);
    }
  }
  const connectionTo = (more: WeirOptions): Weir =>
    new Weir({ ...service.options, baseUrl: faultProxy.url, onWarning: keep, fetch: toWeir(), ...more });

  describe.each(everyWay)('for %s, with fail mode %s', (name, failMode) => {
    it.each(outages)('follows the fail mode if the service fails before the verdict ($name)', async (fault) => {
      faultProxy.fault = fault;
      const connection = connectionTo({ failMode, ...SHORT });
      const { client, ask } = CLIENTS[name].make(provider.url, connection);
      if (failMode === 'open') {
        await ask();
        expect(provider.calls).toBe(1);
        expect(connection.stats()).toMatchObject({ passedOpen: 1, unavailable: 0 });
        expect(printed.join()).toContain("failMode is 'open'");
      } else {
        const error = await failure(ask());
        expect(error).toBeInstanceOf(CLIENTS[name].unavailable);
        expect([error.status! >= 500, isBlocked(error), provider.calls]).toEqual([true, false, 0]);
        nothingLeaks(error);
      }
      nothingLeaks(client, connection);
    });

    it.each(refusals)(
      'raises the error of the service if it refuses instead of giving a verdict ($name)',
      async (fault) => {
        faultProxy.fault = fault;
        const error = await failure(CLIENTS[name].make(provider.url, connectionTo({ failMode })).ask());
        expect([error.status, weirOf(error)?.code, provider.calls]).toEqual([fault.status, fault.code, 0]);
        nothingLeaks(error);
      },
    );
  });

  describe.each(names)('for %s', (name) => {
    const moments = SERVICE_FAULTS.flatMap((fault) => [
      [fault.name, 'before the answer', fault] as const,
      [fault.name, 'during a stream', fault] as const,
    ]);
    it.each(moments)(
      'still gets its answers if the service fails after the verdict (%s, %s), and queues at most two reports',
      async (...row) => {
        const [, moment, fault] = row;
        const connection = connectionTo({ ...PATIENT, queueMaxReports: 2 });
        const { client, ask, stream } = CLIENTS[name].make(provider.url, connection);
        for (let call = 0; call < 4; call++) {
          faultProxy.fault = undefined;
          provider.meanwhile = () => void (faultProxy.fault = fault);
          if (moment === 'before the answer') expect(await ask()).toBeTruthy();
          else expect(await countOf(await stream())).toBe(3);
        }
        expect(provider.calls).toBe(4);
        const { queued, dropped, reported } = connection.stats();
        expect([queued <= 2, queued + dropped + reported]).toEqual([true, 4]);
        nothingLeaks(client, connection);
      },
    );

    it.each(outages)('neither hangs nor bypasses Weir if the service fails as its proxy ($name)', async (fault) => {
      faultProxy.fault = fault;
      const connection = connectionTo({ via: 'proxy', ...SHORT });
      const error = await failure(CLIENTS[name].make(provider.url, connection).ask());
      expect([isBlocked(error), provider.calls]).toEqual([false, 0]);
      if (fault.manner === 'silent') expect(error.message).toContain('Weir did not answer within 1000 ms');
      nothingLeaks(error, connection);
    });

    it.each(refusals)(
      'raises the error of the service if it refuses a call through the proxy ($name)',
      async (fault) => {
        faultProxy.fault = fault;
        const error = await failure(CLIENTS[name].make(provider.url, connectionTo({ via: 'proxy' })).ask());
        expect([error.status, provider.calls]).toEqual([fault.status, 0]);
        nothingLeaks(error);
      },
    );
  });

  it('waits without limit for a slow provider behind the proxy while Weir is available', async () => {
    let looks = 0;
    let goOn: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (goOn = resolve));
    provider.meanwhile = () => late;
    const looked: typeof globalThis.fetch = (input, init) => {
      // So many probes take longer than the deadline without an answer.
      if (++looks === 4) goOn();
      return globalThis.fetch(input, init);
    };
    const { ask } = CLIENTS.openai.make(provider.url, {
      ...{ ...service.options, via: 'proxy', deadlineMs: 4_000, fetch: looked },
    });
    expect(await ask()).toMatchObject({ id: 'chatcmpl-1' });
    expect(provider.calls).toBe(1);
  });

  it('does not let calls through the proxy fail open, because they cannot bypass Weir', () => {
    const options = { ...service.options, via: 'proxy', failMode: 'open' } as const;
    expect(() => weirFetch(options)).toThrow(WeirConfigError);
    expect(() => weirFetch(options)).toThrow("failMode: 'open' needs via: 'calls'");
  });

  describe.each(modes)('that is paused (fail mode %s)', (failMode) => {
    afterEach(() => service.server.resume());

    it.each(names)('waits until the deadline, and no longer: %s', async (name) => {
      const connection = new Weir({ ...service.options, ...PATIENT });
      const patient = CLIENTS[name].make(provider.url, connection);
      const short = CLIENTS[name].make(provider.url, { ...service.options, failMode, ...SHORT });
      await patient.ask();
      service.server.pause();
      if (failMode === 'open') await short.ask();
      else expect((await failure(short.ask())).message).toContain('did not answer within 1000 ms');
      expect(provider.calls).toBe(failMode === 'open' ? 2 : 1);
      service.server.resume();
      await patient.ask();
      expect(await connection.flush()).toBe(true);
      expect(connection.stats()).toMatchObject({ reported: 2, dropped: 0 });
    });
  });

  it.each(names)('that is paused during a stream delivers the complete stream: %s', async (name) => {
    const connection = new Weir({ ...service.options, ...PATIENT });
    provider.meanwhile = () => service.server.pause();
    try {
      const { stream } = CLIENTS[name].make(provider.url, connection);
      expect(await countOf(await stream())).toBe(3);
      expect([provider.calls, connection.stats().queued]).toEqual([1, 1]);
    } finally {
      service.server.resume();
    }
    expect(await connection.flush()).toBe(true);
    expect(connection.stats()).toMatchObject({ reported: 1, dropped: 0 });
  });

  it.each(names)('that is paused during a stream through the proxy ends the stream with an error: %s', async (name) => {
    const seen = new Promise<void>((resolve) => {
      provider.meanwhile = () => new Promise<void>(() => resolve());
    });
    try {
      const { stream } = CLIENTS[name].make(provider.url, { ...service.options, via: 'proxy', ...SHORT });
      const reading = failure(stream().then(countOf));
      await seen;
      service.server.pause();
      const error = await reading;
      expect(inspect(error)).toContain('Weir did not answer within 1000 ms');
      expect(provider.calls).toBe(1);
      nothingLeaks(error);
    } finally {
      service.server.resume();
    }
  });
});
