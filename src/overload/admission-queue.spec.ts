import fc from 'fast-check';
import { AdmissionQueue, type AdmissionLimits } from './admission-queue.js';

const LIMITS: AdmissionLimits = { least: 2, most: 64, targetDelayMs: 20, longestWaitMs: 1_000 };

/** Simulated calls of a fixed duration, with a clock of their own. */
class Calls {
  nowMs = 0;
  readonly queue: AdmissionQueue;
  readonly waitedMs: { readonly who: string; readonly ms: number }[] = [];
  readonly refused: { readonly who: string; readonly afterMs: number }[] = [];
  private readonly running: { endMs: number; party: readonly string[] }[] = [];

  constructor(
    private readonly tookMs: number,
    limits: Partial<AdmissionLimits> = {},
  ) {
    this.queue = new AdmissionQueue({ ...LIMITS, ...limits });
  }

  send(who: string, account = 'account'): void {
    const askedMs = this.nowMs;
    const party = [account, who];
    this.queue.ask(
      {
        party,
        admit: () => this.begin(who, party, askedMs),
        refuse: (afterMs) => this.refused.push({ who, afterMs }),
      },
      askedMs,
    );
  }

  /** The same, but asks first for a place without waiting. */
  sendNow(who: string): void {
    const party = ['account', who];
    if (this.queue.admitNow(party)) this.begin(who, party, this.nowMs);
    else this.send(who);
  }

  /** Lets time pass: calls end, and the queue gets the load of the event loop every 100 ms. */
  pass(ms: number, delayMs: number, utilization = 0.5): void {
    for (const end = this.nowMs + ms; this.nowMs < end;) {
      this.nowMs++;
      for (const call of this.running.filter(({ endMs }) => endMs <= this.nowMs)) {
        this.running.splice(this.running.indexOf(call), 1);
        this.queue.leave(call.party, this.tookMs, this.nowMs);
      }
      if (this.nowMs % 100 === 0) this.queue.tick({ delayMs, utilization }, this.nowMs);
    }
  }

  private begin(who: string, party: readonly string[], askedMs: number): void {
    this.waitedMs.push({ who, ms: this.nowMs - askedMs });
    this.running.push({ endMs: this.nowMs + this.tookMs, party });
  }
}

describe('Admission', () => {
  it('admits all calls immediately while places are free', () => {
    const calls = new Calls(10);
    for (let index = 0; index < 30; index++) calls.send(`key ${index}`);
    expect(calls.waitedMs.map(({ ms }) => ms)).toEqual(Array.from({ length: 30 }, () => 0));
  });

  it('refuses a call that has waited too long even if no tick has occurred since then', () => {
    const queue = new AdmissionQueue({ ...LIMITS, most: 2 });
    const seen: string[] = [];
    const ask = (name: string, nowMs: number): void =>
      queue.ask({ party: [name], admit: () => seen.push(`${name} in`), refuse: () => seen.push(`${name} no`) }, nowMs);
    for (const [name, nowMs] of [
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['d', 900],
    ] as const)
      ask(name, nowMs);
    queue.leave(['a'], 1_500, 1_500);
    expect(seen).toEqual(['a in', 'b in', 'c no', 'd in']);
  });

  it('forgets callers that have withdrawn', () => {
    const queue = new AdmissionQueue({ ...LIMITS, most: 2 });
    const admitted: number[] = [];
    const applicants = Array.from({ length: 5 }, (_, index) => ({
      party: [`key ${index}`],
      admit: () => void admitted.push(index),
      refuse: () => undefined,
    }));
    for (const applicant of applicants) queue.ask(applicant, 0);
    expect(queue.state).toEqual({ limit: 2, running: 2, waiting: 3 });
    expect([queue.withdraw(applicants[2]!), queue.withdraw(applicants[2]!), queue.withdraw(applicants[0]!)]).toEqual([
      true,
      false,
      false,
    ]);
    queue.leave(['key 0'], 1, 1);
    expect(admitted).toEqual([0, 1, 3]);
  });

  it('lowers its limit while the event loop is late, never below the minimum, and raises it again afterwards', () => {
    const calls = new Calls(10);
    const limits: number[] = [];
    for (const delayMs of [100, 5]) {
      for (let round = 0; round < 100; round++) {
        for (let index = 0; index < 100; index++) calls.send('key');
        calls.pass(100, delayMs);
      }
      limits.push(calls.queue.state.limit);
    }
    expect(limits[0]).toBe(2);
    expect(limits[1]).toBeGreaterThan(16);
    expect(limits[1]).toBeLessThanOrEqual(64);
  });

  it.each([
    ['a key', ['noisy'], 'account'],
    ['an account of many keys', Array.from({ length: 50 }, (_, index) => `noisy ${index}`), 'other'],
  ])(
    'gives fewer places to %s with most of the calls while the event loop is busy and another key calls',
    (_, noisy, of) => {
      const calls = new Calls(10);
      const tenSeconds = (utilization: number): number => {
        let before = 0;
        for (let round = 0; round < 100; round++) {
          if (round === 90) before = calls.waitedMs.length;
          for (let index = 0; index < 200; index++) calls.send(noisy[index % noisy.length]!);
          calls.send('polite', of);
          calls.pass(100, 5, utilization);
        }
        return calls.waitedMs.length - before;
      };
      const slow = tenSeconds(0.9);
      expect(slow).toBeLessThanOrEqual(200);
      expect(tenSeconds(0.5)).toBeGreaterThan(1_500);
      expect(calls.waitedMs.filter(({ who }) => who === 'polite').every(({ ms }) => ms === 0)).toBe(true);
    },
  );

  it.each([
    ['a key that is alone', ['key']],
    ['keys of which none has most of the calls', ['one', 'other', 'third']],
  ])('leaves all places to %s while the event loop is busy', (_, keys) => {
    const calls = new Calls(10);
    for (let round = 0; round < 100; round++) {
      for (let index = 0; index < 600; index++) calls.send(keys[index % keys.length]!);
      calls.pass(100, 5, 0.99);
    }
    const asked = calls.waitedMs.length;
    calls.pass(100, 5, 0.99);
    expect(calls.queue.state.limit).toBe(64);
    expect(calls.waitedMs.length - asked).toBeGreaterThan(400);
  });

  it('does not raise its limit only because the event loop is on time', () => {
    const calls = new Calls(10);
    calls.pass(10_000, 0);
    expect(calls.queue.state.limit).toBe(32);
  });

  it.each([
    ['of its own account', 'account'],
    ['of another account', 'other'],
  ])('makes a quiet key wait for one call at most, regardless of how many calls a key %s makes', (_title, account) => {
    const calls = new Calls(10, { most: 2 });
    for (let round = 0; round < 50; round++) {
      for (let index = 0; index < 100; index++) calls.send('noisy', account);
      calls.send('quiet');
      calls.pass(100, 0);
    }
    const quiet = calls.waitedMs.filter(({ who }) => who === 'quiet');
    expect(quiet).toHaveLength(50);
    expect(Math.max(...quiet.map(({ ms }) => ms))).toBeLessThanOrEqual(20);
    expect(new Set(calls.refused.map(({ who }) => who))).toEqual(new Set(['noisy']));
  });

  it.each([
    ['of its own account', 'account'],
    ['of another account', 'other'],
  ])('admits a quiet key at once while endless calls of a key %s occupy all places they can get', (_title, account) => {
    for (const most of [4, 5, 8, 32]) {
      const calls = new Calls(3_600_000, { most });
      for (let index = 0; index < 1_000; index++) calls.send('noisy', account);
      expect(calls.queue.state.running).toBeGreaterThanOrEqual(most / 2);
      calls.send('quiet');
      expect(calls.waitedMs.at(-1)).toEqual({ who: 'quiet', ms: 0 });
    }
  });

  it('admits another account immediately, regardless of the number of keys with endless calls in one account', () => {
    const calls = new Calls(3_600_000, { most: 8 });
    for (let index = 0; index < 1_000; index++) calls.send(`noisy ${index}`);
    calls.send('quiet', 'other');
    expect(calls.waitedMs.at(-1)).toEqual({ who: 'quiet', ms: 0 });
  });

  it('admits calls of another key although long calls of one key occupy more places than the current limit', () => {
    const calls = new Calls(60_000, { least: 4 });
    for (let index = 0; index < 32; index++) calls.send('long');
    const before = calls.waitedMs.length;
    calls.pass(5_000, 200);
    expect(calls.queue.state.limit).toBe(4);
    calls.send('long');
    calls.send('other');
    calls.send('elsewhere', 'another account');
    calls.pass(200, 200);
    expect(calls.waitedMs.slice(before)).toEqual([
      { who: 'other', ms: 0 },
      { who: 'elsewhere', ms: 0 },
    ]);
  });

  it('gives freed places to waiting calls, in turn', () => {
    const calls = new Calls(100, { most: 4 });
    for (let index = 0; index < 5; index++) calls.send('noisy');
    calls.send('quiet');
    calls.pass(1_000, 0);
    expect(calls.waitedMs.filter(({ who }) => who === 'noisy')).toHaveLength(5);
    expect(calls.queue.state).toMatchObject({ running: 0, waiting: 0 });
  });

  it('refuses at once a call that would wait too long, and says when to retry', () => {
    const calls = new Calls(100, { most: 2 });
    for (let index = 0; index < 2; index++) calls.send('key');
    calls.pass(200, 0);
    for (let index = 0; index < 100; index++) calls.send('key');
    expect(calls.refused.length).toBeGreaterThan(50);
    for (const { afterMs } of calls.refused) expect(afterMs).toBeGreaterThan(1_000);
    expect(calls.queue.refusalOf(['account', 'key'])).toBeGreaterThan(1_000);
    expect(calls.queue.refusalOf(['account', 'quiet'])).toBeUndefined();
  });

  it('refuses a call that has waited too long', () => {
    const calls = new Calls(60_000, { most: 4 });
    for (let index = 0; index < 3; index++) calls.send('key');
    calls.pass(1_000, 0);
    expect(calls.refused).toEqual([]);
    calls.pass(200, 0);
    expect(calls.refused).toEqual([{ who: 'key', afterMs: 1_000 }]);
  });

  const steps = fc.array(
    fc.oneof(
      fc.record({ send: fc.constantFrom('a', 'b', 'c'), times: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ pass: fc.integer({ min: 1, max: 400 }), delayMs: fc.constantFrom(0, 50) }),
    ),
    { maxLength: 30 },
  );

  it('answers each call exactly once and never exceeds its limit', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 300 }), (each, tookMs) => {
        const calls = new Calls(tookMs, { most: 8 });
        let sent = 0;
        for (const step of each) {
          if ('pass' in step) calls.pass(step.pass, step.delayMs);
          else for (let index = 0; index < step.times; index++, sent++) calls.send(step.send);
          const { running, waiting } = calls.queue.state;
          expect(running).toBeLessThanOrEqual(8);
          expect(calls.waitedMs.length + calls.refused.length + waiting).toBe(sent);
        }
      }),
    );
  });

  it('treats all calls in the same way if each of them asks first for a place without waiting', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 300 }), (each, tookMs) => {
        const [asking, first] = [new Calls(tookMs, { most: 8 }), new Calls(tookMs, { most: 8 })];
        for (const step of each) {
          if ('pass' in step) for (const calls of [asking, first]) calls.pass(step.pass, step.delayMs, 0.9);
          else for (let index = 0; index < step.times; index++) asking.send(step.send);
          if ('send' in step) for (let index = 0; index < step.times; index++) first.sendNow(step.send);
          expect(first.queue.state).toEqual(asking.queue.state);
        }
        expect([first.waitedMs, first.refused]).toEqual([asking.waitedMs, asking.refused]);
      }),
    );
  });
});

it('Admission estimates the wait of short calls of one key without regard to long calls of another key', () => {
  const queue = new AdmissionQueue({ least: 4, most: 64, targetDelayMs: 20, longestWaitMs: 2_000 });
  let nowMs = 0;
  for (let index = 0; index < 40; index++) queue.tick({ delayMs: 100, utilization: 1 }, (nowMs += 100));
  const refused: string[] = [];
  const ask = (key: string): void =>
    queue.ask({ party: ['account', key], admit: () => undefined, refuse: () => refused.push(key) }, nowMs);
  for (let index = 0; index < 50; index++) {
    ask('short');
    queue.leave(['account', 'short'], 20, (nowMs += 50));
  }
  for (let index = 0; index < 4; index++) {
    ask('long');
    queue.leave(['account', 'long'], 6_000, (nowMs += 1_000));
  }
  for (const key of ['long', 'long', 'long', 'long', 'long', 'long']) ask(key);
  for (let index = 0; index < 8; index++) ask('short');
  expect(refused).toContain('long');
  expect(refused).not.toContain('short');
});
