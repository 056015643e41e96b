import type { TenantSql } from '../../database/index.js';
import { reserveCalls } from './ledger.js';
import type { ReserveCall, ReserveResult } from './ledger-types.js';

/** How long a call waits for amounts reserved by other calls, and how often it checks for amounts released by other replicas. */
const WAIT_MS = 2_000;
const ASK_AGAIN_MS = 100;
/** Maximum number of calls per statement. */
const BATCH = 200;

interface Waiting {
  readonly call: ReserveCall;
  readonly untilMs: number;
  resolve(result: ReserveResult): void;
  reject(error: unknown): void;
}

/**
 * Requests reservations from the ledger. Calls that arrive while a statement is in flight are combined in the next one.
 * A call that is denied only because of other reservations waits briefly for their release, in the order of arrival.
 */
export class Reserver {
  private queue: Waiting[] = [];
  private waiting: Waiting[] = [];
  private busy = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sql: TenantSql,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @throws DatabaseUnavailable | DatabaseError */
  reserve(call: ReserveCall): Promise<ReserveResult> {
    return new Promise((resolve, reject) => {
      this.queue.push({ call, untilMs: this.nowMs() + WAIT_MS, resolve, reject });
      this.pump();
    });
  }

  /** Called when reserved amounts were released: waiting calls are tried first. */
  freed(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    this.queue = [...this.waiting.splice(0), ...this.queue];
    this.pump();
  }

  private pump(): void {
    if (this.busy || this.queue.length === 0) return;
    this.busy = true;
    const batch = this.queue.splice(0, BATCH);
    void this.ask(batch).finally(() => {
      this.busy = false;
      this.pump();
    });
  }

  /** Never rejects. */
  private async ask(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await reserveCalls(
        this.sql.forAccounts(...batch.map(({ call }) => call.accountId)),
        batch.map(({ call }) => call),
      );
      batch.forEach((waiting, index) => this.answer(waiting, results[index]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private answer(waiting: Waiting, result: ReserveResult): void {
    if (result.outcome !== 'budget_reserved' || this.nowMs() >= waiting.untilMs) return waiting.resolve(result);
    this.waiting.push(waiting);
    this.timer ??= setTimeout(() => this.freed(), ASK_AGAIN_MS);
  }
}
