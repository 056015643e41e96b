/** The use of one window of a budget over time, and its ledger, entry by entry. */
import type { BudgetEntries, BudgetSeries } from '../../core/index.js';
import type { SqlRow, TenantSql } from '../../database/index.js';
import { amountText } from '../amounts.js';
import { instant } from '../budget-events.js';
import { forecast, FORECAST_METHOD } from '../forecast.js';
import type { PeriodState } from '../ledger/ledger-types.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Lengths of steps; the first one that divides a window into at most `MOST_STEPS` is used. */
const STEPS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 7 * DAY_MS];
const MOST_STEPS = 62;

/** The position at which a page of entries ended. */
export interface EntryPlace {
  /** Microseconds since the epoch, as text, because a number cannot hold all of its digits. */
  readonly atUs: string;
  readonly source: string;
}

interface SumRow extends SqlRow {
  readonly now_ms: number;
  readonly step: number | null;
  readonly settled: string | null;
  readonly reserved: string | null;
}

interface EntryRow extends SqlRow {
  readonly at_us: string;
  readonly source: string;
  readonly kind: keyof typeof KINDS;
  readonly amount: string;
  readonly reserved: string;
  readonly settled: string;
  readonly event_id: string | null;
  readonly because: string | null;
  readonly actor: string | null;
  readonly actor_name: string | null;
}

/** Maps stored kinds to their names in the API. */
const KINDS = {
  held: 'reservation',
  event: 'charge',
  estimate: 'estimate',
  released: 'release',
  adjustment: 'adjustment',
} as const;

const PERIOD = 'n.account_id = $1::uuid AND n.period_id::text = $2';

export class BudgetCourse {
  constructor(private readonly sql: TenantSql) {}

  /** The used and reserved amounts at the end of each step so far, and now. @throws DatabaseError | DatabaseUnavailable */
  async series(period: PeriodState): Promise<BudgetSeries> {
    const { accountId, id, unit, endMs, limit } = period;
    const { startMs, nowMs } = await this.beginning(period);
    const untilMs = Math.min(nowMs, endMs ?? nowMs);
    const stepMs = stepOf((endMs ?? untilMs) - startMs);
    const rows = await this.sql.forAccounts(accountId).query<SumRow>(
      `SELECT greatest(0, floor((extract(epoch FROM n.created_at) * 1000 - $3::double precision) / $4::double precision))::integer AS step,
              sum(n.settled_n)::text AS settled, sum(n.reserved_n)::text AS reserved
       FROM budget_entries n WHERE ${PERIOD} GROUP BY 1 ORDER BY 1`,
      [accountId, id, startMs, stepMs],
    );
    const points = [{ atMs: startMs, used: 0n, reserved: 0n }];
    const added = new Map(rows.map((row) => [row.step, row]));
    let [used, reserved] = [0n, 0n];
    const last = Math.floor((untilMs - startMs) / stepMs);
    for (let step = 0; step <= last; step += 1) {
      const row = added.get(step);
      used += BigInt(row?.settled ?? 0);
      reserved += BigInt(row?.reserved ?? 0);
      if (step < last) points.push({ atMs: startMs + (step + 1) * stepMs, used, reserved });
    }
    // Late entries also belong to the last point: it equals the current state of the budget.
    points.push({ atMs: untilMs, used: period.settled, reserved: period.reserved });
    const over = points.slice(1, -1).map((point) => point.used);
    const seen =
      endMs === undefined
        ? undefined
        : forecast(over, { used: period.settled, ms: untilMs }, { startMs, endMs, stepMs, limit });
    const text = (amount: bigint): string => amountText(unit, amount);
    return {
      step_seconds: stepMs / 1_000,
      points: points.map((point) => ({
        at: instant(point.atMs),
        used: text(point.used),
        reserved: text(point.reserved),
      })),
      forecast:
        seen === undefined
          ? null
          : {
              ...{ at_end: text(seen.atEnd), low: text(seen.low), high: text(seen.high), method: FORECAST_METHOD },
              reaches_limit_at: seen.reachesLimitAtMs === undefined ? null : instant(seen.reachesLimitAtMs),
            },
    };
  }

  /** The start of the window and the present. A window without an end began at no time, so it begins with its first entry. */
  private async beginning({ accountId, id, startMs, endMs }: PeriodState): Promise<{ startMs: number; nowMs: number }> {
    const [row] = await this.sql.forAccounts(accountId).query<{ now_ms: number; first_ms: number | null }>(
      `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms,
         (SELECT floor(extract(epoch FROM min(n.created_at)) * 1000)::double precision
          FROM budget_entries n WHERE ${PERIOD}) AS first_ms`,
      [accountId, id],
    );
    const nowMs = row?.now_ms ?? startMs;
    const beginsMs = endMs === undefined ? (row?.first_ms ?? nowMs) : startMs;
    return { startMs: beginsMs, nowMs: Math.max(nowMs, beginsMs) };
  }

  /** A page of entries, newest first. @throws DatabaseError | DatabaseUnavailable */
  async entries({ accountId, id, unit }: PeriodState, limit: number, before?: EntryPlace): Promise<BudgetEntries> {
    const rows = await this.sql.forAccounts(accountId).query<EntryRow>(
      `SELECT (extract(epoch FROM n.created_at) * 1000000)::bigint::text AS at_us, n.source_id::text AS source, n.kind,
              n.amount_n::text AS amount, n.reserved_n::text AS reserved, n.settled_n::text AS settled,
              n.event_id::text AS event_id, n.because, n.actor,
              CASE split_part(n.actor, ' ', 1)
                WHEN 'person' THEN (SELECT p.email FROM people p JOIN memberships m ON m.person_id = p.id
                  WHERE m.account_id = n.account_id AND p.id::text = split_part(n.actor, ' ', 2))
                WHEN 'token' THEN (SELECT t.name FROM management_tokens t
                  WHERE t.account_id = n.account_id AND t.token_id = split_part(n.actor, ' ', 2))
              END AS actor_name
       FROM budget_entries n
       WHERE ${PERIOD} AND ($3::text IS NULL OR (n.created_at, n.source_id)
         < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
       ORDER BY n.created_at DESC, n.source_id DESC LIMIT $5::integer`,
      [accountId, id, before?.atUs ?? null, before?.source ?? null, limit + 1],
    );
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map((row) => ({
        at: new Date(Number(row.at_us) / 1_000).toISOString(),
        kind: KINDS[row.kind],
        amount: amountText(unit, amountOf(row)),
        event_id: row.event_id,
        because: row.because,
        by: row.actor === null ? null : actorOf(row.actor, row.actor_name),
      })),
      next_cursor: last === undefined ? null : `${last.at_us}.${last.source}`,
    };
  }
}

/** @returns undefined for an invalid cursor */
export function entryPlace(cursor: string): EntryPlace | undefined {
  const match = /^(\d{1,17})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { atUs: match[1], source: match[2] };
}

/** The amount that is reserved, was released, or was settled. */
function amountOf({ kind, amount, reserved, settled }: EntryRow): bigint {
  return BigInt(kind === 'held' ? reserved : kind === 'released' ? amount : settled);
}

function actorOf(actor: string, name: string | null) {
  const [kind = '', id] = actor.split(' ');
  return { kind, id: id ?? null, name };
}

function stepOf(lengthMs: number): number {
  const fitting = STEPS_MS.find((step) => lengthMs / step <= MOST_STEPS);
  // A window without an end lasts for years.
  return fitting ?? Math.ceil(lengthMs / MOST_STEPS / DAY_MS) * DAY_MS;
}
