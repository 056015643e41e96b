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
import type { SqlRunner } from '../../src/database/index.js';
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
  scope: 's',
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
  const sql = (): SqlRunner => current().database.sql;
  const open = (more: Partial<PeriodRequest> = {}, accountId: string = randomUUID()): Promise<PeriodState> =>
    openPeriod(sql(), periodRequest(accountId, more));
  const state = async (period: PeriodState): Promise<PeriodState> =>
    (await readPeriods(sql(), period.accountId, [period.id])).get(period.id)!;
  const apply = (...steps: LedgerStep[]) => sql().transaction((transaction) => applySteps(transaction, steps));
  /** As if time had passed: every lease of the account is over. */
  const passTime = (period: PeriodState): Promise<unknown> =>
    sql().query(
      `UPDATE budget_reservations SET expires_at = expires_at - interval '1 day' WHERE account_id = $1::uuid`,
      [period.accountId],
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

  it('holds, counts and frees', async () => {
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

  it('tells money that is spent from money that is held', async () => {
    const period = await open();
    const [first, second, third] = [60n, 60n, 101n].map((amount) => reserveCall(period, amount));
    const results = await reserveCalls(sql(), [first!, second!, third!]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['granted', 'budget_reserved', 'budget_exceeded']);
    await apply(settle(first!, 60n));
    const [denied] = await reserveCalls(sql(), [second!]);
    expect(denied).toMatchObject({ outcome: 'budget_exceeded', by: { budget: 'daily', settled: 60n, reserved: 0n } });
  });

  it('takes all budgets of a call or none', async () => {
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

  it('grants a reservation once', async () => {
    const period = await open();
    const call = reserveCall(period, 40n);
    expect(await reserveCalls(sql(), [call, call])).toEqual([{ outcome: 'granted' }, { outcome: 'duplicate' }]);
    expect(await state(period)).toMatchObject({ reserved: 40n });
  });

  it('counts what only records, and denies nothing for it', async () => {
    const period = await open({ onExceed: 'record' });
    const call = reserveCall(period, 500n);
    expect(await reserveCalls(sql(), [call])).toEqual([{ outcome: 'granted' }]);
    expect(await state(period)).toMatchObject({ reserved: 0n });
    const news = await apply(settle(call, 101n));
    expect(news.map(({ what }) => what)).toEqual(['warned', 'warned', 'crossed']);
    const again = reserveCall(period, 500n);
    await reserveCalls(sql(), [again]);
    expect(await apply(settle(again, 50n))).toEqual([]);
    expect(await state(period)).toMatchObject({ settled: 151n });
  });

  it('says by how much a call cost more than it held', async () => {
    const period = await open();
    const call = reserveCall(period, 10n);
    await reserveCalls(sql(), [call]);
    expect(await apply(settle(call, 13n))).toEqual([{ what: 'overrun', step: 0, unit: 'usd', by: 3n }]);
    expect(await state(period)).toMatchObject({ settled: 13n, reserved: 0n });
  });

  it('gives back what nobody ended, and counts at its bound what was on its way', async () => {
    const period = await open();
    const [held, sent] = [reserveCall(period, 10n), reserveCall(period, 20n)];
    await reserveCalls(sql(), [held, sent]);
    await apply(take(sent, 'dispatch'));
    expect(await sweep()).toMatchObject({ expired: 0, estimated: 0 });
    await passTime(period);
    expect(await sweep()).toMatchObject({ expired: 1, estimated: 1 });
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 20n });
    // The truth comes late.
    await apply(settle(sent, 12n), settle(held, 3n));
    expect(await state(period)).toMatchObject({ reserved: 0n, settled: 15n });
    expect(await apply(take(held, 'dispatch'))).toEqual([{ what: 'lost', step: 0 }]);
  });

  it('keeps what calls hold that are still on their way', async () => {
    const period = await open();
    const call = reserveCall(period, 10n);
    await reserveCalls(sql(), [call]);
    await passTime(period);
    await extendLeases(sql(), [call]);
    expect(await sweep()).toMatchObject({ expired: 0 });
    expect(await state(period)).toMatchObject({ reserved: 10n });
  });

  it('finds the reservation of an answer that was told by its request id, each once', async () => {
    const period = await open();
    const requestId = 'req-1';
    const calls = [reserveCall(period, 10n, { requestId }), reserveCall(period, 20n, { requestId })];
    await reserveCalls(sql(), calls);
    const told = (usd: bigint, more: object = {}): LedgerStep => ({
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
    await apply(told(4n));
    await apply(told(5n));
    expect(await state(period)).toMatchObject({ settled: 9n, reserved: 0n });
    expect(await apply(told(6n))).toEqual([{ what: 'counted_before', step: 0 }]);
    await apply(told(7n, { requestId: 'never reserved' }));
    expect(await state(period)).toMatchObject({ settled: 16n, reserved: 0n });
  });

  it('leaves the calls of the proxy to the proxy', async () => {
    const period = await open();
    const call = reserveCall(period, 10n, { requestId: 'mine', source: 'proxy' });
    await reserveCalls(sql(), [call]);
    const { accountId } = period;
    const told = { accountId, eventId: randomUUID(), appId: call.appId, environment: 'production', requestId: 'mine' };
    const charges = [{ periodId: period.id, actual: 0n }];
    expect(await apply({ do: 'settle', ...told, environment: 'production', usd: 0n, charges })).toEqual([
      { what: 'counted_before', step: 0 },
    ]);
    expect(await state(period)).toMatchObject({ settled: 0n, reserved: 10n });
  });

  it('counts what is not known as it was held', async () => {
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

  it('lets a window run to its end when the zone changes', async () => {
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

  it('is not overspent by calls at the same time, as one that looks first and adds afterwards is', async () => {
    const another = await current().openAnother();
    const overspent = async (reserve: (run: SqlRunner, call: ReserveCall) => Promise<boolean>): Promise<boolean> => {
      const period = await open();
      const runners = [sql(), another.sql];
      const granted = await Promise.all(
        Array.from({ length: 60 }, (_, index) => reserve(runners[index % 2]!, reserveCall(period, 10n))),
      );
      const { settled, reserved } = await state(period);
      expect(reserved).toBe(10n * BigInt(granted.filter(Boolean).length));
      return settled + reserved > period.limit;
    };
    const naive = async (run: SqlRunner, { accountId, charges }: ReserveCall): Promise<boolean> => {
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

  /** One call in the model: what it holds and what it has cost so far. */
  interface ModelCall {
    readonly call: ReserveCall;
    readonly amount: bigint;
    phase: 'held' | 'dispatched' | 'settled' | 'released' | 'expired' | 'estimated';
    counted: bigint;
  }

  it('keeps its promises whatever happens in whatever order', async () => {
    const command = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('reserve'), amount: fc.bigInt(1n, 40n), wide: fc.boolean() }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('dispatch'), pick: fc.nat() }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('settle'), pick: fc.nat(), share: fc.nat({ max: 100 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('release'), pick: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('crash and sweep') }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep') }) },
    );
    const run = async (
      commands: readonly { do: string; amount?: bigint; wide?: boolean; pick?: number; share?: number }[],
    ) => {
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
      for (const next of commands) {
        const chosen = calls[(next.pick ?? 0) % Math.max(1, calls.length)];
        if (next.do === 'reserve') {
          const periods = next.wide === true ? [team, key] : [team];
          const charges = periods.flatMap((period) => reserveCall(period, next.amount!).charges);
          const call = reserveCall(team, next.amount!, { charges });
          const fits = periods.every((of) => sums(of).settled + sums(of).reserved + next.amount! <= of.limit);
          const spent = periods.some((of) => sums(of).settled + next.amount! > of.limit);
          const [result] = await reserveCalls(sql(), [call]);
          expect(result!.outcome).toBe(fits ? 'granted' : spent ? 'budget_exceeded' : 'budget_reserved');
          if (fits) calls.push({ call, amount: next.amount!, phase: 'held', counted: 0n });
        } else if (next.do === 'crash and sweep') {
          await passTime(team);
        }
        if (next.do === 'crash and sweep' || next.do === 'sweep') {
          await sweep();
          if (next.do === 'sweep') continue;
          for (const each of calls) {
            if (each.phase === 'dispatched') [each.phase, each.counted] = ['estimated', each.amount];
            if (each.phase === 'held') each.phase = 'expired';
          }
        }
        if (chosen === undefined) continue;
        if (next.do === 'dispatch') {
          const [news] = await apply(take(chosen.call, 'dispatch'));
          expect(news?.what).toBe(chosen.phase === 'held' ? undefined : 'lost');
          if (chosen.phase === 'held') chosen.phase = 'dispatched';
        } else if (next.do === 'settle') {
          const actual = (chosen.amount * BigInt(next.share!)) / 100n;
          await apply(settle(chosen.call, actual));
          if (chosen.phase !== 'settled') [chosen.phase, chosen.counted] = ['settled', actual];
        } else if (next.do === 'release') {
          await apply(take(chosen.call, 'release'));
          if (chosen.phase === 'held' || chosen.phase === 'dispatched') chosen.phase = 'released';
        }
        for (const period of [team, key]) {
          const { settled, reserved } = await state(period);
          expect({ settled, reserved }).toEqual(sums(period));
        }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 25 }), run), { numRuns: 25 });
  });
});
