import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions, type StandaloneConnectionOptions } from 'ioredis';
import { NAMES, type NameLookups } from '../resilience/index.js';

type Connector = NonNullable<RedisOptions['Connector']>;

/**
 * The connector of ioredis for one server, with shared look-ups of its name: ioredis itself has no option for them.
 *
 * @param deadlineMs the time limit for connecting
 */
export function redisConnector(deadlineMs: number, names: NameLookups = NAMES.stores): Connector {
  return class extends AbstractConnector {
    private readonly options: StandaloneConnectionOptions;

    constructor(options: unknown) {
      const given = options as StandaloneConnectionOptions & { readonly disconnectTimeout: number };
      super(given.disconnectTimeout);
      this.options = given;
    }

    override async connect(): Promise<Socket> {
      this.connecting = true;
      // `disconnect` may be called before this turn ends.
      await Promise.resolve();
      if (!this.connecting) throw new Error('Connection is closed.');
      const { tls } = this.options;
      const to = { ...destinationOf(this.options), ...names.socketOptions(deadlineMs) };
      this.stream = tls === undefined ? createConnection(to) : connectTls({ ...to, ...tls });
      this.stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      return this.stream;
    }
  };
}

function destinationOf({ path, host, port, family }: StandaloneConnectionOptions) {
  if (path !== undefined && path !== '') return { path };
  return { port: port ?? 6379, ...(host === undefined ? {} : { host }), ...(family === undefined ? {} : { family }) };
}
