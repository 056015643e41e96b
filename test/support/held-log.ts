import pg from 'pg';

/** Locks the event log of a PostgreSQL: reads work, and writes wait. */
export class HeldLog {
  private constructor(
    private readonly holder: pg.Client,
    private readonly watcher: pg.Client,
  ) {}

  static async of(connectionString: string): Promise<HeldLog> {
    const [holder, watcher] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
    // Tests that kill the server also end these connections.
    for (const client of [holder, watcher]) client.on('error', () => undefined);
    await Promise.all([holder.connect(), watcher.connect()]);
    await holder.query('BEGIN; LOCK TABLE events IN SHARE MODE');
    return new HeldLog(holder, watcher);
  }

  /** Resolves when a write waits for the lock. */
  async untilSomebodyWaits(): Promise<void> {
    while ((await this.waiting('pid')).length === 0);
  }

  /** Terminates the connections of waiting writes, as if their clients were gone. */
  async endWaiting(): Promise<void> {
    await this.waiting('pg_terminate_backend(pid)');
  }

  async release(): Promise<void> {
    await this.holder.query('ROLLBACK').catch(() => undefined);
    await Promise.all([this.holder, this.watcher].map((client) => client.end().catch(() => undefined)));
  }

  private async waiting(what: string): Promise<unknown[]> {
    const { rows } = await this.watcher.query(
      `SELECT ${what} FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted`,
    );
    return rows;
  }
}
