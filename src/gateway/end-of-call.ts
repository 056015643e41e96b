import type { FastifyReply } from 'fastify';
import type { AppConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { ClientGone } from './client-gone.js';

/** How often within its limit a reader is looked at. */
const LOOKS_PER_LIMIT = 4;

/**
 * Aborted when the client goes away before its answer is out, when it stops reading, and when the call takes too long.
 * The reason is `ClientGone` for the first two: nobody is left to be told. A `WeirError` for the last.
 */
export function endOfCall(
  reply: FastifyReply,
  { totalTimeoutMs, clientIdleTimeoutMs }: Pick<AppConfig['proxy'], 'totalTimeoutMs' | 'clientIdleTimeoutMs'>,
): AbortSignal {
  const abort = new AbortController();
  const total = setTimeout(() => abort.abort(new WeirError('upstream_timeout')), totalTimeoutMs);
  const stopWatching = closeWhenUnread(reply, clientIdleTimeoutMs);
  reply.raw.once('close', () => {
    clearTimeout(total);
    stopWatching();
    if (!reply.raw.writableFinished) abort.abort(new ClientGone());
  });
  return abort.signal;
}

/** Closes the connection of a client that takes nothing of what waits for it. A client that waits itself may wait. */
function closeWhenUnread({ raw }: FastifyReply, limitMs: number): () => void {
  let seenBytes = -1;
  let unreadLooks = 0;
  const look = setInterval(() => {
    const { socket } = raw;
    const sentBytes = socket === null ? 0 : socket.bytesWritten - socket.writableLength;
    unreadLooks = raw.writableLength > 0 && sentBytes === seenBytes ? unreadLooks + 1 : 0;
    seenBytes = sentBytes;
    if (unreadLooks >= LOOKS_PER_LIMIT) raw.destroy();
  }, limitMs / LOOKS_PER_LIMIT);
  return () => clearInterval(look);
}
