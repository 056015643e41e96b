import type { DatabaseClock, SqlExecutor, SqlRow, TenantSql } from '../../database/index.js';
import type { Environment } from '../../core/index.js';
import { newEventId, type EventLog, type NewEvent } from '../../events/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import { budgetEvent } from '../budget-events.js';
import type { BudgetMetrics } from '../budget-metrics.js';
import { lapsedAccounts, sweepLapsed } from './ledger.js';
import type { OpenCalls } from './open-calls.js';

const EVERY_MS = 5_000;

export interface SweeperParts {
  readonly sql: TenantSql;
  readonly log: EventLog;
  readonly open: OpenCalls;
  readonly clock: DatabaseClock;
  readonly metrics: BudgetMetrics;
  freed(): void;
}

/** Every few seconds: renews the leases of this process's calls, and ends abandoned calls, whose leases have expired. */
export class Sweeper {
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);

  constructor(private readonly parts: SweeperParts) {}

  async start(): Promise<void> {
    await this.tick();
    this.work.start();
  }

  stop(): Promise<void> {
    return this.work.stop();
  }

  /** Never rejects: the next tick retries failed work. */
  async tick(): Promise<void> {
    const { sql, open, metrics, freed } = this.parts;
    try {
      await open.keepUp();
      const accounts = await lapsedAccounts(sql.forDuty('sweep'));
      const swept = await sql.forAccounts(...accounts).transaction((transaction) => this.sweep(transaction));
      metrics.swept(swept.expired, swept.estimated);
      metrics.ledgerEvents(swept.ledgerEvents);
      if (swept.expired + swept.estimated > 0) freed();
    } catch {
      metrics.sweepFailed();
    }
  }

  /**
   * Ends abandoned calls. A limit that their estimated cost crosses is reported like any other crossed limit, for the request of the
   * abandoned call.
   */
  private async sweep(transaction: SqlExecutor) {
    const swept = await sweepLapsed(transaction);
    for (const event of swept.ledgerEvents) {
      if (event.what !== 'crossed') continue;
      const request = await requestOf(transaction, this.parts.clock.now(), event);
      if (request !== undefined) {
        await this.parts.log.appendIn(transaction, [budgetEvent(request, 'crossed', event.period)]);
      }
    }
    return swept;
  }
}

interface Row extends SqlRow {
  readonly app_id: string;
  readonly key_id: string;
  readonly environment: Environment;
  readonly declared_environment: Environment;
  readonly source: 'rest' | 'proxy';
  readonly request_id: string | null;
  readonly capture: NewEvent['capture'];
}

/** Reads the `ai.request` event that a reservation belongs to. */
async function requestOf(
  sql: SqlExecutor,
  receivedAt: Date,
  { accountId, reservationId: id }: { readonly accountId: string; readonly reservationId: string },
): Promise<NewEvent | undefined> {
  const [row] = await sql.query<Row>(
    `SELECT app_id::text AS app_id, key_id, environment, declared_environment, source, request_id, capture
     FROM events WHERE account_id = $1::uuid AND id = $2::text::uuid`,
    [accountId, id],
  );
  if (row === undefined) return undefined;
  return {
    id,
    eventId: newEventId(receivedAt),
    type: 'ai.request',
    accountId,
    appId: row.app_id,
    keyId: row.key_id,
    environment: row.environment,
    declaredEnvironment: row.declared_environment,
    source: row.source,
    ...(row.request_id === null ? {} : { requestId: row.request_id }),
    capture: row.capture,
    violations: [],
    redactions: [],
    detectors: [],
    receivedAt,
  };
}
