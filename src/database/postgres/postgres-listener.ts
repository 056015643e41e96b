import type { Pool, PoolClient } from 'pg';

const RETRY_AFTER_MS = 1_000;

/** Hears notices of other processes. It may miss some while it connects again: whoever listens polls as well. */
export class PostgresListener {
  private client: PoolClient | undefined;
  private retry: NodeJS.Timeout | undefined;
  private connecting: Promise<void> | undefined;
  private closed = false;

  /**
   * @param channel a plain identifier
   * @param heard called for every notice, and after every connecting, since some may have been missed before
   */
  constructor(
    private readonly pool: Pool,
    private readonly channel: string,
    private readonly heard: () => void,
  ) {
    this.connect();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.connecting;
    this.drop(this.client);
  }

  private connect(): void {
    this.connecting = this.listen().catch(() => {
      if (!this.closed) this.retry = setTimeout(() => this.connect(), RETRY_AFTER_MS).unref();
    });
  }

  private async listen(): Promise<void> {
    const client = await this.pool.connect();
    const lost = (): void => {
      if (this.client !== client) return;
      this.drop(client);
      if (!this.closed) this.retry = setTimeout(() => this.connect(), RETRY_AFTER_MS).unref();
    };
    client.on('error', lost).on('end', lost).on('notification', this.heard);
    this.client = client;
    try {
      await client.query(`LISTEN ${this.channel}`);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    this.heard();
  }

  /** The connection has settings of its own by now: it is closed, not given back. */
  private drop(client: PoolClient | undefined): void {
    if (client === undefined || this.client !== client) return;
    this.client = undefined;
    client.release(true);
  }
}
