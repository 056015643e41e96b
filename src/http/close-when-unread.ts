import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Closes the connection of a client that does not read available data: the answer would stay in memory as long as the connection is open. A
 * client that waits for data is left alone. Node restarts the time limit of a socket also when the client has read a part of a single large
 * write.
 */
export function closeWhenUnread(raw: ServerResponse, limitMs: number): void {
  // An injected request has no connection. That of an answer that waits for an earlier one on its connection is null until its turn.
  if (raw.socket !== null && !(raw.socket instanceof Socket)) return;
  raw.setTimeout(limitMs, () => {
    if (raw.writableLength > 0) raw.destroy();
  });
  // Before Node's own listener, which sets the time limit of an idle connection.
  raw.prependOnceListener('finish', () => raw.socket?.setTimeout(0));
}
