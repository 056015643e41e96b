/** The ports and addresses of servers on this machine. */
import type { Server } from 'node:net';

type Listening = Pick<Server, 'address'>;

/** @returns the port of a server. @throws Error if the server listens on none */
export function portOf(server: Listening): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** @returns the base URL of an HTTP server, without a slash at its end */
export function urlOf(server: Listening): string {
  return `http://127.0.0.1:${portOf(server)}`;
}
