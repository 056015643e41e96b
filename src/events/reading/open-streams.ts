import { WeirError } from '../../http/index.js';

/** The maximum numbers of open streams of one kind. */
export interface StreamLimits {
  /** Streams of all accounts together. */
  readonly all: number;
  /** Streams of one account: fewer than all, so that the rest is left to other accounts. */
  readonly ofAccount: number;
  /** The kind of the streams, in the plural. */
  readonly kind: string;
}

const RETRY_AFTER_SECONDS = 10;

/** The streams of one kind that are open in this process, limited for each account and for all of them together. */
export class OpenStreams {
  private readonly byAccount = new Map<string, Set<AbortController>>();
  private count = 0;

  constructor(private readonly limits: StreamLimits) {}

  /**
   * Registers a stream of the account, which `close` removes.
   *
   * @returns aborted by `close`, and by `endAll`
   * @throws {WeirError} 429 `rate_limit_exceeded`; its message names the limit that is reached
   */
  open(accountId: string): AbortController {
    const { all, ofAccount, kind } = this.limits;
    const own = this.byAccount.get(accountId) ?? new Set();
    if (own.size >= ofAccount) {
      throw refusal(`This account has ${ofAccount} open ${kind} on this server, which is its limit`);
    }
    if (this.count >= all) {
      throw refusal(`All accounts together have ${all} open ${kind} on this server, which is its limit`);
    }
    const stream = new AbortController();
    this.byAccount.set(accountId, own.add(stream));
    this.count += 1;
    return stream;
  }

  /** Ends a stream; a second call has no effect. */
  close(accountId: string, stream: AbortController): void {
    stream.abort();
    const own = this.byAccount.get(accountId);
    if (own?.delete(stream) !== true) return;
    this.count -= 1;
    if (own.size === 0) this.byAccount.delete(accountId);
  }

  /** Ends all streams; their connections close afterwards. */
  endAll(): void {
    for (const own of this.byAccount.values()) for (const stream of own) stream.abort();
  }
}

function refusal(message: string): WeirError {
  return new WeirError('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
