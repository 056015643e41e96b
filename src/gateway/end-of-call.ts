import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AppConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { ClientGone } from './client-disconnect.js';

/** How often a reader is checked within its time limit. */
const LOOKS_PER_LIMIT = 4;

type Limits = Pick<AppConfig['proxy'], 'totalTimeoutMs' | 'clientIdleTimeoutMs'>;

/** Watches a call from its arrival to the end of its answer. */
export class EndOfCall {
  private late: AbortController | undefined;
  private brokenOff: WeirError | undefined;
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private outlivesClient = false;

  /** Aborted like `tooLate`, or with `ClientGone` when the client goes away or stops reading: nobody is left to be told. */
  readonly signal = this.over.signal;

  constructor(reply: FastifyReply, { totalTimeoutMs, clientIdleTimeoutMs }: Limits) {
    this.timer = setTimeout(() => this.breakOff(new WeirError('upstream_timeout')), totalTimeoutMs);
    const stopWatching = closeWhenUnread(reply, clientIdleTimeoutMs);
    const closed = (): void => {
      stopWatching();
      if (!this.outlivesClient) clearTimeout(this.timer);
      if (!reply.raw.writableFinished) this.over.abort(new ClientGone());
    };
    // Its client may have left while its key was looked up.
    if (reply.raw.closed) closed();
    else reply.raw.once('close', closed);
  }

  /** Aborted with a `WeirError` when the call takes too long, or is broken off, whatever its client does. */
  get tooLate(): AbortSignal {
    this.late ??= new AbortController();
    if (this.brokenOff !== undefined) this.late.abort(this.brokenOff);
    return this.late.signal;
  }

  /** The call may not go on: what the provider does for it is of no use any more. */
  breakOff(error: WeirError): void {
    this.brokenOff ??= error;
    this.late?.abort(error);
    this.over.abort(error);
  }

  /** An answer is read to its end although its client may go: the time limit holds until then. */
  outlive(answer: Promise<{ readonly body: Readable }>): void {
    this.outlivesClient = true;
    const over = (): void => clearTimeout(this.timer);
    answer.then(({ body }) => body.once('close', over), over);
  }
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
