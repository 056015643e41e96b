import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import { DatabaseUnavailable, toDatabaseError } from '../database-error.js';
import { within } from '../deadline.js';
import type { ConnectionDeadlines, OpenStatement } from './connection-deadlines.js';

const CHECK_MS = 1_000;
/** A timer may fire a little early. */
const TIMER_MS = 20;
/** Returns the process that runs this query, and which of the given processes are executing a statement. */
const WORKING = `
  SELECT pg_backend_pid() AS own, a.pid AS working
  FROM (SELECT) AS here
  LEFT JOIN pg_stat_activity a ON a.pid = ANY ($1::int[]) AND a.state = 'active'`;

interface WorkingRow {
  readonly own: number;
  readonly working: number | null;
}

/**
 * Finds dead connections to a working server: a firewall or a failed link drops their packets. A statement with a long deadline, such
 * as a search, would wait in vain. A connection is dead if its statement has no answer, and the server's process for it executes
 * nothing: it has answered, or has never received the statement.
 */
export class DeadConnections {
  private isChecking = false;
  private isWanted = false;

  /** @param waitedMs statements that have waited for this time are checked */
  constructor(
    private readonly pool: Pool,
    private readonly deadlines: ConnectionDeadlines,
    private readonly waitedMs: number,
  ) {}

  /** Checks connections whose statements have waited for `waitedMs`, and closes the dead ones. */
  check(): void {
    this.isWanted = true;
    if (!this.isChecking) void this.checkWhileWanted();
  }

  private async checkWhileWanted(): Promise<void> {
    this.isChecking = true;
    try {
      while (this.isWanted) {
        this.isWanted = false;
        await this.checkOnce();
      }
    } finally {
      this.isChecking = false;
    }
  }

  private async checkOnce(): Promise<void> {
    const sentMs = performance.now();
    const waiting = this.deadlines.openStatements(sentMs - this.waitedMs + TIMER_MS);
    if (waiting.length === 0) return;
    try {
      this.deadlines.close(await this.deadAmong(waiting));
    } catch (error) {
      if (isAboutServer(error)) this.deadlines.report(sentMs);
    }
  }

  private async deadAmong(waiting: readonly OpenStatement[]): Promise<OpenStatement[]> {
    const working = await this.workingProcesses(waiting.map(({ processId }) => processId));
    // Answers that have arrived in the meantime are read in these turns.
    await nextTurn();
    await nextTurn();
    return working === undefined ? [] : waiting.filter(({ processId }) => !working.has(processId));
  }

  /**
   * Uses a separate connection, because all connections of the pool may be waiting.
   *
   * @returns undefined if a pooler in between hides the processes
   */
  private async workingProcesses(processIds: readonly number[]): Promise<ReadonlySet<number> | undefined> {
    const { Client: Connection } = this.pool as Pool & { readonly Client: new (config: unknown) => Client };
    const client = new Connection(this.pool.options);
    client.on('error', () => undefined);
    try {
      const asked = client.connect().then(() => client.query<WorkingRow>(WORKING, [processIds]));
      const { rows } = await within(CHECK_MS, asked);
      // A pooler reports other process ids to its clients.
      if (rows[0]?.own !== Reflect.get(client, 'processID')) return undefined;
      return new Set(rows.flatMap(({ working }) => working ?? []));
    } catch (error) {
      // A clean close needs the server: without its answer, the connection would stay open for minutes.
      this.deadlines.drop(client);
      throw error;
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

/** The limits of open files, of this process and of its machine. */
const OWN_LIMITS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/**
 * Whether a failed check shows that the server does not answer. If all of its connections are taken or the password has changed, it refuses
 * only further connections: closing the open ones would begin an outage.
 */
function isAboutServer(error: unknown): boolean {
  const known = toDatabaseError(error);
  return known instanceof DatabaseUnavailable && !known.isAnswer && !OWN_LIMITS.has(known.code ?? '');
}
