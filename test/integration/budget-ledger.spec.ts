import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import {
  applySteps,
  extendLeases,
  openPeriod,
  readPeriods,
  reserveCalls,
  sweepLapsed,
} from '../../src/budgets/ledger/ledger.js';
import type { LedgerStep } from '../../src/core/index.js';
import type { PeriodRequest, PeriodState, ReserveCall } from '../../src/budgets/ledger/ledger-types.js';
import type { SqlSession } from '../../src/database/index.js';
import { eachDatabase } from '../support/each-database.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);

const periodRequest = (accountId: string, more: Partial<PeriodRequest> = {}): PeriodRequest => ({
  accountId,
  environment: 'production',
  budget: 'daily',
  unit: 'usd',
  per: 'day',
  timezone: 'UTC',
  scope: `of ${accountId}`,
  scopeLabel: { 'metadata.team': 'a' },
  nowMs: NOW_MS,
  startMs: NOW_MS - DAY_MS / 2,
  endMs: NOW_MS + DAY_MS / 2,
  limit: 100n,
  warnAt: [0.5, 0.8],
  onExceed: 'block',
  ...more,
});

const reserveCall = (period: PeriodState, amount: bigint, more: Partial<ReserveCall> = {}): ReserveCall => ({
  accountId: period.accountId,
  id: randomUUID(),
  environment: 'production',
  appId: '00000000-0000-4000-8000-000000000001',
  source: 'rest',
  leaseMs: 60_000,
  charges: [{ periodId: period.id, amount, limit: period.limit, blocks: period.onExceed === 'block' }],
  ...more,
});

eachDatabase('the ledger', (current) => {
  /** The accounts that have a budget in this test. */
  const accounts = new Set<string>();
  /** As in the service, statements run in the scope of the accounts concerned. */
  const sql = ({ sql: all } = current().database): SqlSession => all.forAccounts(...accounts);
  const sqlOf = (accountId: string): SqlSession => current().database.sql.forAccounts(accountId);
  const open = (more: Partial<PeriodRequest> = {}, accountId: string = randomUUID(), isEnd = false) => {
    accounts.add(accountId);
    return openPeriod(sqlOf(accountId), periodRequest(accountId, more), isEnd);
  };
  const state = async ({ id, accountId }: PeriodState): Promise<PeriodState> =>
    (await readPeriods(sqlOf(accountId), accountId, [id])).get(id)!;
  const apply = (...steps: LedgerStep[]) => sql().transaction((transaction) => applySteps(transaction, steps));
  /** Ends every lease of this account only, even if the database does not isolate accounts. */
  const passTime = ({ accountId }: PeriodState): Promise<unknown> =>
    sqlOf(accountId).query(
      `UPDATE budget_reservations SET expires_at = expires_at - interval '1 day' WHERE account_id = $1::uuid`,
      [accountId],
    );
  const sweep = () => sql().transaction(sweepLapsed);
  const settle = (call: ReserveCall, usd?: bigint): LedgerStep => ({
    do: 'settle',
    accountId: call.accountId,
    reservationId: call.id,
    eventId: randomUUID(),
    ...(usd === undefined ? {} : { usd }),
  });
  const take = (call: ReserveCall, step: 'dispatch' | 'release'): LedgerStep => ({
    do: step,
    accountId: call.accountId,
    reservationId: call.id,
  });

  it('reserves an amount, settles the cost once, and frees the difference', async () => {
    const period = await open();
    const call = reserveCall(period, 40n);
    expect(await reserveCalls(sql(), [call])).toEqual([{ outcome: 'granted' }]);
    expect(await state(period)).toMatchObject({ reserved: 40n, settled: 0n });
    await apply(take(call, 'dispatch'));
    await apply(settle(call, 30n));
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 30n });
    expect(await apply(settle(call, 30n))).toEqual([{ what: 'counted_before', step: 0 }]);
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 30n });
  });

  it('distinguishes spent amounts from reserved amounts in refusals', async () => {
    const period = await open();
    const [first, second, third] = [60n, 60n, 101n].map((amount) => reserveCall(period, amount));
    const results = await reserveCalls(sql(), [first!, second!, third!]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['granted', 'budget_reserved', 'budget_exceeded']);
    await apply(settle(first!, 60n));
    const [denied] = await reserveCalls(sql(), [second!]);
    expect(denied).toMatchObject({ outcome: 'budget_exceeded', by: { budget: 'daily', settled: 60n, reserved: 0n } });
  });

  it('reserves in all budgets of a call or in none', async () => {
    const account = randomUUID();
    const [roomy, narrow] = [
      await open({ budget: 'roomy' }, account),
      await open({ budget: 'narrow', limit: 5n }, account),
    ];
    const charges = [...reserveCall(roomy, 10n).charges, ...reserveCall(narrow, 10n).charges];
    const [result] = await reserveCalls(sql(), [reserveCall(roomy, 10n, { charges })]);
    expect(result).toMatchObject({ outcome: 'budget_exceeded', by: { budget: 'narrow' } });
    expect(await state(roomy)).toMatchObject({ reserved: 0n });
  });

  it('grants a reservation only once', async () => {
    const period = await open();
    const call = reserveCall(period, 40n);
    expect(await reserveCalls(sql(), [call, call])).toEqual([{ outcome: 'granted' }, { outcome: 'duplicate' }]);
    expect(await state(period)).toMatchObject({ reserved: 40n });
  });

  it('counts the calls of a budget that only records, and refuses none of them', async () => {
    const period = await open({ onExceed: 'record' });
    const call = reserveCall(period, 500n);
    expect(await reserveCalls(sql(), [call])).toEqual([{ outcome: 'granted' }]);
    expect(await state(period)).toMatchObject({ reserved: 0n });
    const ledgerEvents = await apply(settle(call, 101n));
    expect(ledgerEvents.map(({ what }) => what)).toEqual(['warned', 'warned', 'crossed']);
    const again = reserveCall(period, 500n);
    await reserveCalls(sql(), [again]);
    expect(await apply(settle(again, 50n))).toEqual([]);
    expect(await state(period)).toMatchObject({ settled: 151n });
  });

  it('reports the crossing of a limit once in each window', async () => {
    const first = await open({ onExceed: 'record' });
    const next = await open(
      { onExceed: 'record', nowMs: first.endMs!, startMs: first.endMs!, endMs: first.endMs! + DAY_MS },
      first.accountId,
    );
    const reported: string[] = [];
    for (const period of [first, first, next, next]) {
      const call = reserveCall(period, 500n);
      await reserveCalls(sql(), [call]);
      const ledgerEvents = await apply(settle(call, 101n));
      reported.push(ledgerEvents.map(({ what }) => what).join(' '));
    }
    expect(reported).toEqual(['warned warned crossed', '', 'warned warned crossed', '']);
  });

  it('settles concurrent calls together, with one update of each window', async () => {
    const period = await open({ limit: 1_000n, warnAt: [0.5] });
    const calls = Array.from({ length: 40 }, () => reserveCall(period, 20n));
    expect((await reserveCalls(sql(), calls)).every(({ outcome }) => outcome === 'granted')).toBe(true);
    const versions = async (): Promise<bigint> => {
      const [row] = await sql().query<{ xmin: string }>(
        'SELECT xmin::text AS xmin FROM budget_periods WHERE id = $1::text::uuid',
        [period.id],
      );
      return BigInt(row!.xmin);
    };
    const before = await versions();
    await apply(...calls.map((call) => take(call, 'dispatch')));
    // Dispatching changes no amounts, so it does not lock the window.
    expect(await versions()).toBe(before);
    const ledgerEvents = await apply(...calls.map((call, index) => settle(call, index === 0 ? 30n : 15n)));
    expect(ledgerEvents.map(({ what, step }) => [what, step])).toEqual([
      ['overrun', 0],
      ['warned', 32],
    ]);
    expect(await state(period)).toMatchObject({ settled: 615n, reserved: 0n });
  });

  it('reports by how much the cost of a call exceeded its reservation', async () => {
    const period = await open();
    const call = reserveCall(period, 10n);
    await reserveCalls(sql(), [call]);
    expect(await apply(settle(call, 13n))).toEqual([{ what: 'overrun', step: 0, unit: 'usd', by: 3n }]);
    expect(await state(period)).toMatchObject({ settled: 13n, reserved: 0n });
  });

  it('frees lapsed reservations of unsent calls, and counts lapsed reservations of sent calls at their upper bound', async () => {
    const period = await open();
    const [held, sent] = [reserveCall(period, 10n), reserveCall(period, 20n)];
    await reserveCalls(sql(), [held, sent]);
    await apply(take(sent, 'dispatch'));
    expect(await sweep()).toMatchObject({ expired: 0, estimated: 0 });
    await passTime(period);
    expect(await sweep()).toMatchObject({ expired: 1, estimated: 1 });
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 20n });
    // The actual costs arrive late.
    await apply(settle(sent, 12n), settle(held, 3n));
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 15n });
    expect(await apply(take(held, 'dispatch'))).toEqual([{ what: 'lost', step: 0 }]);
  });

  it('counts nothing for a lapsed call that turns out to have failed', async () => {
    const period = await open();
    const [sent, first, second] = ['sent', 'told', 'told'].map((requestId) => reserveCall(period, 20n, { requestId }));
    await reserveCalls(sql(), [first!]);
    await apply(take(first!, 'release'));
    await reserveCalls(sql(), [sent!, second!]);
    await apply(take(sent!, 'dispatch'), take(second!, 'dispatch'));
    await passTime(period);
    await sweep();
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 40n });
    expect(await apply(take(sent!, 'release'))).toEqual([]);
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 20n });
    expect(await apply(take(sent!, 'release'))).toEqual([{ what: 'counted_before', step: 0 }]);
    const { accountId, appId, environment } = second!;
    const reported = { accountId, appId, environment, requestId: 'told', eventId: randomUUID(), charges: [] };
    await apply({ do: 'release', ...reported });
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 0n });
  });

  it('keeps the reservations of calls that are still in progress', async () => {
    const period = await open();
    const call = reserveCall(period, 10n);
    await reserveCalls(sql(), [call]);
    await passTime(period);
    await extendLeases(sql(), [call]);
    expect(await sweep()).toMatchObject({ expired: 0 });
    expect(await state(period)).toMatchObject({ reserved: 10n });
  });

  it('finds the reservation for a submitted answer by the request id, and settles each reservation once', async () => {
    const period = await open();
    const requestId = 'req-1';
    const calls = [reserveCall(period, 10n, { requestId }), reserveCall(period, 20n, { requestId })];
    await reserveCalls(sql(), calls);
    const reported = (usd: bigint, more: object = {}): LedgerStep => ({
      do: 'settle',
      accountId: period.accountId,
      eventId: randomUUID(),
      appId: calls[0]!.appId,
      environment: 'production',
      requestId,
      usd,
      charges: [{ periodId: period.id, actual: usd }],
      ...more,
    });
    await apply(reported(4n));
    await apply(reported(5n));
    expect(await state(period)).toMatchObject({ settled: 9n, reserved: 0n });
    expect(await apply(reported(6n))).toEqual([{ what: 'counted_before', step: 0 }]);
    await apply(reported(7n, { requestId: 'never reserved' }));
    expect(await state(period)).toMatchObject({ settled: 16n, reserved: 0n });
  });

  it('does not let a submitted answer settle a proxied call', async () => {
    const period = await open();
    const call = reserveCall(period, 10n, { requestId: 'mine', source: 'proxy' });
    await reserveCalls(sql(), [call]);
    const { accountId } = period;
    const given = { accountId, eventId: randomUUID(), appId: call.appId, environment: 'production', requestId: 'mine' };
    const charges = [{ periodId: period.id, actual: 0n }];
    expect(await apply({ do: 'settle', ...given, environment: 'production', usd: 0n, charges })).toEqual([
      { what: 'counted_before', step: 0 },
    ]);
    expect(await state(period)).toMatchObject({ settled: 0n, reserved: 10n });
  });

  it('counts the reserved amount if the cost is unknown', async () => {
    const period = await open();
    const call = reserveCall(period, 10n);
    await reserveCalls(sql(), [call]);
    await apply(settle(call));
    expect(await state(period)).toMatchObject({ settled: 10n, reserved: 0n });
  });

  it('keeps the usage when a limit changes', async () => {
    const period = await open();
    const call = reserveCall(period, 60n);
    await reserveCalls(sql(), [call]);
    await apply(settle(call, 60n));
    const raised = await open({ limit: 200n }, period.accountId);
    expect(raised).toMatchObject({ id: period.id, limit: 200n, settled: 60n });
    expect((await reserveCalls(sql(), [reserveCall(raised, 120n)]))[0]).toEqual({ outcome: 'granted' });
  });

  it('keeps a limit that was changed while a call was in progress', async () => {
    const period = await open({ onExceed: 'record' });
    await open({ limit: 40n, onExceed: 'block', warnAt: [] }, period.accountId);
    const atEnd = await open({ onExceed: 'record' }, period.accountId, true);
    expect(atEnd).toMatchObject({ id: period.id, limit: 40n, onExceed: 'block' });
    const next = { nowMs: period.endMs!, startMs: period.endMs!, endMs: period.endMs! + DAY_MS };
    expect(await open(next, period.accountId, true)).toMatchObject({ limit: 100n, startMs: period.endMs });
  });

  it('keeps a window until its end if the time zone changes', async () => {
    const period = await open();
    const shifted = {
      timezone: 'Asia/Tokyo',
      startMs: period.startMs + 3 * 3_600_000,
      endMs: period.endMs! + 3 * 3_600_000,
    };
    expect(await open(shifted, period.accountId)).toMatchObject({ id: period.id, timezone: 'UTC' });
    const next = await open({ ...shifted, nowMs: period.endMs! }, period.accountId);
    expect(next).toMatchObject({ timezone: 'Asia/Tokyo', startMs: period.endMs, endMs: shifted.endMs });
    expect(next.id).not.toBe(period.id);
  });

  it('is not overspent by concurrent calls, unlike a ledger that checks first and adds afterwards', async () => {
    const another = await current().openAnother();
    const overspent = async (reserve: (run: SqlSession, call: ReserveCall) => Promise<boolean>): Promise<boolean> => {
      const period = await open();
      const runners = [sql(), sql(another)];
      const granted = await Promise.all(
        Array.from({ length: 60 }, (_, index) => reserve(runners[index % 2]!, reserveCall(period, 10n))),
      );
      const { settled, reserved } = await state(period);
      expect(reserved).toBe(10n * BigInt(granted.filter(Boolean).length));
      return settled + reserved > period.limit;
    };
    const naive = async (run: SqlSession, { accountId, charges }: ReserveCall): Promise<boolean> => {
      const [{ periodId, amount, limit }] = charges as [ReserveCall['charges'][number]];
      const { settled, reserved } = (await readPeriods(run, accountId, [periodId])).get(periodId)!;
      if (settled + reserved + amount > limit) return false;
      await run.query(
        'UPDATE budget_periods SET reserved_n = reserved_n + $1::text::numeric WHERE id = $2::text::uuid',
        [amount.toString(), periodId],
      );
      return true;
    };
    expect(await overspent(naive)).toBe(true);
    expect(await overspent(async (run, call) => (await reserveCalls(run, [call]))[0]!.outcome === 'granted')).toBe(
      false,
    );
  });

  /** One call in the model: its reserved amount and its cost so far. */
  interface ModelCall {
    readonly call: ReserveCall;
    readonly amount: bigint;
    phase: 'held' | 'dispatched' | 'settled' | 'released' | 'expired' | 'estimated';
    counted: bigint;
    /** Its lease has expired. */
    lapsed: boolean;
  }

  it('keeps its invariants in any order of steps', async () => {
    const pick = fc.nat();
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant('dispatch' as const), pick }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), pick, share: fc.nat({ max: 100 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), pick }) },
    );
    const wanted = fc.record({ amount: fc.bigInt(1n, 40n), wide: fc.boolean() });
    // One statement contains several calls, as under load.
    const command = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('reserve' as const),
          calls: fc.array(wanted, { minLength: 1, maxLength: 4 }),
        }),
      },
      {
        weight: 8,
        arbitrary: fc.record({
          do: fc.constant('apply' as const),
          steps: fc.array(step, { minLength: 1, maxLength: 4 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('clock jump' as const) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
    );
    type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
    const run = async (commands: readonly Command[]) => {
      const account = randomUUID();
      const [team, key] = [await open({ budget: 'team' }, account), await open({ budget: 'key', limit: 70n }, account)];
      const calls: ModelCall[] = [];
      const sums = (of: PeriodState) => {
        const own = calls.filter(({ call }) => call.charges.some(({ periodId }) => periodId === of.id));
        const held = own.filter(({ phase }) => phase === 'held' || phase === 'dispatched');
        return {
          settled: own.reduce((sum, { counted }) => sum + counted, 0n),
          reserved: held.reduce((sum, { amount }) => sum + amount, 0n),
        };
      };
      const reserve = async (wants: readonly { amount: bigint; wide: boolean }[]): Promise<void> => {
        const asked = wants.map(({ amount, wide }) => {
          const charges = (wide ? [team, key] : [team]).flatMap((period) => reserveCall(period, amount).charges);
          return { amount, wide, call: reserveCall(team, amount, { charges }) };
        });
        const results = await reserveCalls(
          sql(),
          asked.map(({ call }) => call),
        );
        asked.forEach(({ amount, wide, call }, index) => {
          const periods = wide ? [team, key] : [team];
          const fits = periods.every((of) => sums(of).settled + sums(of).reserved + amount <= of.limit);
          const spent = periods.some((of) => sums(of).settled + amount > of.limit);
          expect(results[index]!.outcome).toBe(fits ? 'granted' : spent ? 'budget_exceeded' : 'budget_reserved');
          if (fits) calls.push({ call, amount, phase: 'held', counted: 0n, lapsed: false });
        });
      };
      const applyAll = async (steps: Extract<Command, { do: 'apply' }>['steps']): Promise<void> => {
        if (calls.length === 0) return;
        const works = steps.map((each) => ({ each, chosen: calls[each.pick % calls.length]! }));
        const ledgerEvents = await apply(
          ...works.map(({ each, chosen: { call, amount } }) =>
            each.do === 'settle' ? settle(call, (amount * BigInt(each.share)) / 100n) : take(call, each.do),
          ),
        );
        works.forEach(({ each, chosen }, index) => {
          const isReleasable = ['held', 'dispatched', 'estimated'].includes(chosen.phase);
          const reported = ledgerEvents.filter(
            ({ step: of, what }) => of === index && (what === 'lost' || what === 'counted_before'),
          );
          if (each.do === 'dispatch') {
            expect(reported.map(({ what }) => what)).toEqual(chosen.phase === 'held' ? [] : ['lost']);
            if (chosen.phase === 'held') [chosen.phase, chosen.lapsed] = ['dispatched', false];
          } else if (each.do === 'release') {
            expect(reported.length).toBe(isReleasable ? 0 : 1);
            if (isReleasable) [chosen.phase, chosen.counted] = ['released', 0n];
          } else {
            expect(reported.length).toBe(chosen.phase === 'settled' ? 1 : 0);
            if (chosen.phase !== 'settled')
              [chosen.phase, chosen.counted] = ['settled', (chosen.amount * BigInt(each.share)) / 100n];
          }
        });
      };
      for (const next of commands) {
        if (next.do === 'reserve') await reserve(next.calls);
        else if (next.do === 'apply') await applyAll(next.steps);
        else if (next.do === 'clock jump') {
          await passTime(team);
          for (const each of calls) each.lapsed = true;
        } else {
          await sweep();
          for (const each of calls.filter(({ lapsed }) => lapsed)) {
            if (each.phase === 'dispatched') [each.phase, each.counted] = ['estimated', each.amount];
            if (each.phase === 'held') each.phase = 'expired';
          }
        }
        for (const period of [team, key]) {
          const { settled, reserved } = await state(period);
          expect({ settled, reserved }).toEqual(sums(period));
          expect(settled + reserved <= period.limit).toBe(true);
        }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 25 }), run), { numRuns: 25 });
  });
});
