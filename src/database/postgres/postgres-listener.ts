import { randomUUID } from 'node:crypto';
import type { Notification, Pool, PoolClient } from 'pg';

/** Called for every notice with its payload, and after every new connection without a payload, because notices may have been missed. */
export type NoticeHandler = (said?: string) => void;

export interface ListenerOptions {
  readonly retryAfterMs: number;
  /** The interval at which it sends a notice to itself, to check whether notices arrive. */
  readonly probeEveryMs: number;
  /** Called when notices begin to arrive and when they no longer do. */
  readonly onChange: (isHearing: boolean) => void;
}

const DEFAULTS: ListenerOptions = { retryAfterMs: 1_000, probeEveryMs: 5_000, onChange: () => undefined };

/** The channel of notices to itself. */
const PROBE_CHANNEL = 'weir_listener_probe';

/**
 * Receives notices of other processes, on one connection for all channels. Some may be missed during a reconnect, so listeners must
 * poll from time to time. An open connection does not prove that notices arrive: some poolers drop them, and a network may lose a
 * connection silently. So the listener regularly sends a notice to itself from another connection, and reconnects if it does not
 * arrive.
 */
export class PostgresListener {
  private readonly handlers = new Map<string, NoticeHandler[]>();
  private readonly options: ListenerOptions;
  private client: PoolClient | undefined;
  private retry: NodeJS.Timeout | undefined;
  private connecting: Promise<void> | undefined;
  private readonly probing: NodeJS.Timeout;
  /** The notice to itself that has not arrived yet. */
  private awaited: string | undefined;
  private hearing = false;
  private closed = false;

  constructor(
    private readonly pool: Pool,
    options: Partial<ListenerOptions> = {},
  ) {
    this.options = { ...DEFAULTS, ...options };
    this.probing = setInterval(() => this.probe(), this.options.probeEveryMs).unref();
  }

  /** Whether notices arrive now, as far as is known. */
  get isHearing(): boolean {
    return this.hearing;
  }

  /** @param channel a plain identifier */
  listen(channel: string, heard: NoticeHandler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), heard]);
    const { client } = this;
    if (client !== undefined) void this.subscribe(client, [channel]).catch(() => this.lost(client));
    else if (this.retry === undefined) this.connect();
  }

  /** Resolves when no connection of the pool is in use here any more. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    clearInterval(this.probing);
    this.drop(this.client);
    await this.connecting;
  }

  /** Opens a connection, unless there is one already or one is being opened. */
  private connect(): void {
    this.retry = undefined;
    if (this.closed || this.client !== undefined || this.connecting !== undefined) return;
    this.connecting = this.open()
      .catch(() => undefined)
      .then(() => {
        this.connecting = undefined;
        if (this.client === undefined) this.retryLater();
      });
  }

  private async open(): Promise<void> {
    const client = await this.pool.connect();
    if (this.closed) return client.release(true);
    const lost = (): void => this.lost(client);
    client
      .on('error', lost)
      .on('end', lost)
      .on('notification', (notice) => this.hear(notice));
    this.client = client;
    try {
      await this.subscribe(client, [PROBE_CHANNEL, ...this.handlers.keys()]);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    // A notice that was sent before LISTEN took effect never arrives.
    this.awaited = undefined;
    this.probe();
  }

  private async subscribe(client: PoolClient, channels: readonly string[]): Promise<void> {
    await client.query(channels.map((channel) => `LISTEN ${channel}`).join('; '));
    for (const channel of channels) for (const heard of this.handlers.get(channel) ?? []) heard();
  }

  private hear({ channel, payload = '' }: Notification): void {
    if (channel === PROBE_CHANNEL) {
      if (payload !== this.awaited) return;
      this.awaited = undefined;
      this.say(true);
      return;
    }
    for (const heard of this.handlers.get(channel) ?? []) heard(payload);
  }

  private probe(): void {
    const { client } = this;
    if (client === undefined) return;
    if (this.awaited !== undefined) return this.lost(client);
    this.awaited = randomUUID();
    this.pool.query('SELECT pg_notify($1, $2)', [PROBE_CHANNEL, this.awaited]).catch(() => undefined);
  }

  private lost(client: PoolClient): void {
    if (this.client !== client) return;
    this.drop(client);
    this.retryLater();
  }

  /** A loss may be noticed several times, for example by an event and by the `LISTEN` in flight: it causes one retry. */
  private retryLater(): void {
    if (this.closed) return;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), this.options.retryAfterMs).unref();
  }

  /** The connection has changed settings, so it is closed instead of returned to the pool. */
  private drop(client: PoolClient | undefined): void {
    if (client === undefined || this.client !== client) return;
    this.client = undefined;
    this.awaited = undefined;
    this.say(false);
    client.release(true);
  }

  private say(isHearing: boolean): void {
    if (this.hearing === isHearing) return;
    this.hearing = isHearing;
    this.options.onChange(isHearing);
  }
}
