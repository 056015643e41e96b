import { Server } from 'node:net';

/** Preloaded into a program that specifies no listen address, to bind it to loopback: a bench must not open a port to the network. */
const listen = Server.prototype.listen as (...given: unknown[]) => Server;
Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
  const [port, host, ...rest] = given;
  if (typeof port !== 'number' || typeof host === 'string') return listen.apply(this, given);
  return listen.call(this, port, '127.0.0.1', ...(host === undefined ? rest : [host, ...rest]));
} as typeof Server.prototype.listen;
