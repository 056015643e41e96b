import type { Reach } from '../access/index.js';
import type { SqlParameter, TenantSql } from '../database/index.js';
import { firstUuidAt } from '../http/index.js';

/** The maximum distance of an event from the minute in which its call is counted, for example after a slow answer or a clock change. */
const NEAR_MS = 120_000;
const HOUR_MS = 3_600_000;

/**
 * The calls of an app, from the rollups of the event log: no query reads more than a few minutes of the log itself, or an hour if the app
 * had no calls for months.
 */
export class AppFigures {
  constructor(private readonly sql: TenantSql) {}

  /** The number of calls in the last 24 hours, in whole hours of the clock. @throws DatabaseError | DatabaseUnavailable */
  async calls(manager: Reach, appId: string): Promise<number> {
    const { where, parameters } = ofApp(manager, appId);
    const [row] = await this.sql.forAccounts(manager.accountId).query<{ calls: number }>(
      `SELECT coalesce(sum(t.calls), 0)::double precision AS calls FROM event_rollups t
         WHERE ${where} AND t.grain = 3600 AND t.bucket > now() - interval '24 hours'`,
      parameters,
    );
    return row?.calls ?? 0;
  }

  /** The time of the last event; null if no call was received. @throws DatabaseError | DatabaseUnavailable */
  async lastEventAt(manager: Reach, appId: string): Promise<Date | null> {
    const { where, parameters } = ofApp(manager, appId);
    const session = this.sql.forAccounts(manager.accountId);
    const [last] = await session.query<{ hour_ms: number | null; minute_ms: number | null }>(
      `SELECT (extract(epoch FROM hour.at) * 1000)::double precision AS hour_ms, (
         SELECT (extract(epoch FROM max(t.bucket)) * 1000)::double precision FROM event_rollups t
         WHERE ${where} AND t.grain = 60 AND t.bucket >= hour.at AND t.bucket < hour.at + interval '1 hour') AS minute_ms
       FROM (SELECT max(t.bucket) AS at FROM event_rollups t WHERE ${where} AND t.grain = 3600) AS hour`,
      parameters,
    );
    const { hour_ms: hourMs = null, minute_ms: minuteMs = null } = last ?? {};
    if (hourMs === null) return null;
    // The minutes of an old hour have been deleted.
    const [fromMs, toMs] = minuteMs === null ? [hourMs, hourMs + HOUR_MS] : [minuteMs, minuteMs];
    const place = parameters.length;
    const [event] = await session.query<{ ms: number }>(
      `SELECT (extract(epoch FROM t.received_at) * 1000)::double precision AS ms FROM events t
       WHERE ${where} AND t.id >= $${place + 1}::uuid AND t.id < $${place + 2}::uuid ORDER BY t.id DESC LIMIT 1`,
      [...parameters, firstUuidAt(fromMs - NEAR_MS), firstUuidAt(toMs + NEAR_MS)],
    );
    return new Date(Math.floor(event?.ms ?? fromMs));
  }
}

function ofApp({ accountId, environment }: Reach, appId: string) {
  const parameters: SqlParameter[] = [accountId, appId];
  if (environment !== undefined) parameters.push(environment);
  const bound = environment === undefined ? '' : ' AND t.environment = $3';
  return { where: `t.account_id = $1::uuid AND t.app_id = $2::uuid${bound}`, parameters };
}
