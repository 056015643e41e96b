import pg from 'pg';

/** Holds the event log of a PostgreSQL: it can be read, and whatever is stored waits. */
export class HeldLog {
  private constructor(
    private readonly holder: pg.Client,
    private readonly watcher: pg.Client,
  ) {}

  static async of(connectionString: string): Promise<HeldLog> {
    const [holder, watcher] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
    // A server that is killed on purpose ends them, too.
    for (const client of [holder, watcher]) client.on('error', () => undefined);
    await Promise.all([holder.connect(), watcher.connect()]);
    await holder.query('BEGIN; LOCK TABLE events IN SHARE MODE');
    return new HeldLog(holder, watcher);
  }

  /** Resolves when a statement waits that would store something. */
  async untilSomebodyWaits(): Promise<void> {
    while ((await this.waiting('pid')).length === 0);
  }

  /** Ends the transactions that wait, as those of a client that is gone. */
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
