import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { urlOf } from './ports.js';

/** Called when a complete request has arrived on a connection. */
export type OnRequest = (socket: Socket, request: string) => void;

/** A provider on plain sockets: it sees the exact bytes of requests and answers with any bytes, even with invalid HTTP. */
export class SocketUpstream {
  /** Heads and bodies as they arrived, oldest first. */
  readonly requests: string[] = [];
  /** Connections accepted so far. */
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private onRequest: OnRequest = (socket) => void socket.destroy();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SocketUpstream> {
    const server = createServer();
    const upstream = new SocketUpstream(server);
    server.on('connection', (socket) => upstream.accept(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return upstream;
  }

  get url(): string {
    return urlOf(this.server);
  }

  /** Sets the handler of all further requests. */
  answer(onRequest: OnRequest): void {
    this.onRequest = onRequest;
  }

  /** From now on every request is answered with these bytes, and its connection stays open. */
  answerBytes(bytes: string | Buffer): void {
    this.answer((socket) => void socket.write(bytes));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    let seen = '';
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      for (let length = requestLength(seen); length !== undefined; length = requestLength(seen)) {
        const request = seen.slice(0, length);
        seen = seen.slice(length);
        this.requests.push(request);
        this.onRequest(socket, request);
      }
    });
  }
}

/** Length of the first complete request in bytes; undefined while it is incomplete. */
function requestLength(bytes: string): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.slice(0, headEnd))?.[1] ?? 0);
  return bytes.length >= length ? length : undefined;
}
