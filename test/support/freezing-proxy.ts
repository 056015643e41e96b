import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { portOf } from './ports.js';

/**
 * A TCP proxy that can drop the data of connections without closing them, as a firewall or a failed link does: neither side is
 * notified. It can also deliver the data of the server late.
 */
export class FreezingProxy {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private latencyMs = 0;

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {}

  /** @param target port of the server on this machine */
  static async start(target: number): Promise<FreezingProxy> {
    const server = createServer();
    const proxy = new FreezingProxy(server, target);
    server.on('connection', (socket) => proxy.accept(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return portOf(this.server);
  }

  /** Freezes all open connections; later ones work. @returns the number of frozen connections */
  freezeOpen(): number {
    for (const [near, far] of this.pairs) {
      near.unpipe().on('data', () => undefined);
      far.unpipe().on('data', () => undefined);
    }
    const { size } = this.pairs;
    this.pairs.clear();
    return size;
  }

  /**
   * From now on, each piece of the server's data is delivered with this delay, on open and on new connections. Data that waits when the
   * delay is reduced keeps its delay, and so does the data after it on the same connection.
   */
  answerAfter(latencyMs: number): void {
    this.latencyMs = latencyMs;
  }

  /** New connections go to another server; open ones stay, as with a host name of several servers. */
  nextTo(target: number): void {
    this.target = target;
  }

  /** New connections go to another server; open ones are closed, as when an address moves. */
  moveTo(target: number): void {
    this.target = target;
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const pair of this.sockets) pair.destroy();
    await once(this.server, 'close');
  }

  private readonly sockets = new Set<Socket>();

  private delayed(): Transform {
    const latencyMs = (): number => this.latencyMs;
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (latencyMs() === 0) done(null, chunk);
        else setTimeout(() => done(null, chunk), latencyMs()).unref();
      },
    });
  }

  private accept(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    const pair = [near, far] as const;
    this.pairs.add(pair);
    for (const socket of pair) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        if (this.pairs.delete(pair)) for (const other of pair) other.destroy();
      });
    }
    near.pipe(far);
    far.pipe(this.delayed()).pipe(near);
  }
}
