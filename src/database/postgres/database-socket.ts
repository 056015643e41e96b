import { Socket, type SocketConnectOpts } from 'node:net';
import { NAMES, type NameLookups } from '../../resilience/index.js';

/**
 * The socket of a connection to PostgreSQL. `pg` has no option for look-ups of names: it creates its socket with `stream`, and then calls
 * `connect` with a port and a host, or with the path of a Unix socket.
 */
export class DatabaseSocket extends Socket {
  constructor(
    private readonly deadlineMs: number,
    private readonly names: NameLookups = NAMES.stores,
  ) {
    super();
  }

  override connect(to: SocketConnectOpts | number | string, host?: unknown): this {
    // Two lines for one step: the overloads of `connect` accept a path or options, but no union of them.
    if (typeof to === 'string') return super.connect(to);
    if (typeof to !== 'number') return super.connect(to);
    const named = typeof host === 'string' ? { host } : {};
    return super.connect({ port: to, ...named, ...this.names.socketOptions(this.deadlineMs) });
  }
}
