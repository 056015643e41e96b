import { WeirError } from '../../http/index.js';

/** Maximum number of connected tails of all accounts: each queries the log twice a second. */
const MAX_TAILS = 100;
/** Maximum number of connected tails of one account: the others find a place while it has all of these. */
const MAX_OF_ACCOUNT = 50;
const RETRY_AFTER_SECONDS = 10;

/** The tails that are connected to this process, limited for each account and for all of them together. */
export class OpenTails {
  private readonly byAccount = new Map<string, Set<AbortController>>();
  private count = 0;

  /**
   * Registers a tail of the account, which `close` removes.
   *
   * @returns aborted by `close`, and by `endAll`
   * @throws {WeirError} 429 `rate_limit_exceeded`; its message names the limit that is reached
   */
  open(accountId: string): AbortController {
    const own = this.byAccount.get(accountId) ?? new Set();
    if (own.size >= MAX_OF_ACCOUNT) {
      throw refusal(`This account has ${MAX_OF_ACCOUNT} open event streams on this server, which is its limit`);
    }
    if (this.count >= MAX_TAILS) {
      throw refusal(`All accounts together have ${MAX_TAILS} open event streams on this server, which is its limit`);
    }
    const tail = new AbortController();
    this.byAccount.set(accountId, own.add(tail));
    this.count += 1;
    return tail;
  }

  /** Ends a tail; a second call has no effect. */
  close(accountId: string, tail: AbortController): void {
    tail.abort();
    const own = this.byAccount.get(accountId);
    if (own?.delete(tail) !== true) return;
    this.count -= 1;
    if (own.size === 0) this.byAccount.delete(accountId);
  }

  /** Ends all tails; their connections close afterwards. */
  endAll(): void {
    for (const own of this.byAccount.values()) for (const tail of own) tail.abort();
  }
}

function refusal(message: string): WeirError {
  return new WeirError('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
