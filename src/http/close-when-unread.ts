import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Closes the connection of a client that does not read available data: the answer would stay in memory as long as the connection is open. A
 * client that waits for data is left alone. Node restarts the time limit of a socket also when the client has read a part of a single large
 * write.
 */
export function closeWhenUnread(raw: ServerResponse, limitMs: number): void {
  // An injected request has no connection.
  if (!(raw.socket instanceof Socket)) return;
  raw.setTimeout(limitMs);
  raw.on('timeout', destroyUnread);
  // Before Node's own listener, which sets the time limit of an idle connection.
  raw.prependListener('finish', endLimit);
}

/** Shared by all responses, like the next one: each request would otherwise need its own. */
function destroyUnread(this: ServerResponse): void {
  if (this.writableLength > 0) this.destroy();
}

function endLimit(this: ServerResponse): void {
  this.socket?.setTimeout(0);
}
