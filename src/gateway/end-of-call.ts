import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AppConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { ClientGone } from './client-disconnect.js';

type Limits = Pick<AppConfig['proxy'], 'totalTimeoutMs'>;

/** Watches a call from its arrival to the end of its answer. */
export class EndOfCall {
  private late: AbortController | undefined;
  private brokenOff: WeirError | undefined;
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private outlivesClient = false;

  /** Aborted like `tooLate`, or with `ClientGone` when the client disconnects or stops reading. */
  readonly signal = this.over.signal;

  constructor(reply: FastifyReply, { totalTimeoutMs }: Limits) {
    this.timer = setTimeout(() => this.breakOff(new WeirError('upstream_timeout')), totalTimeoutMs);
    const closed = (): void => {
      if (!this.outlivesClient) clearTimeout(this.timer);
      if (!reply.raw.writableFinished) this.over.abort(new ClientGone());
    };
    // The client may have disconnected while its key was looked up.
    if (reply.raw.closed) closed();
    else reply.raw.once('close', closed);
  }

  /**
   * Aborted with a `WeirError` when the call exceeds its time limit or is broken off, whether or not its client is
   * still connected.
   */
  get tooLate(): AbortSignal {
    this.late ??= new AbortController();
    if (this.brokenOff !== undefined) this.late.abort(this.brokenOff);
    return this.late.signal;
  }

  /** Aborts the call: the provider's work for it is no longer of use. */
  breakOff(error: WeirError): void {
    this.brokenOff ??= error;
    this.late?.abort(error);
    this.over.abort(error);
  }

  /** Keeps the time limit until an answer has been read to its end, even when its client disconnects earlier. */
  outlive(answer: Promise<{ readonly body: Readable }>): void {
    this.outlivesClient = true;
    const over = (): void => clearTimeout(this.timer);
    answer.then(({ body }) => body.once('close', over), over);
  }
}
