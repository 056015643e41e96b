import { FairQueue } from './fair-queue.js';

interface PlaceLimits {
  /** Places of all accounts together. */
  readonly all: number;
  /** The places that one account may have at once: fewer than all, so that the rest is left to other accounts. */
  readonly ofAccount: number;
}

/**
 * A limited number of places, such as connections to a service, for several accounts. Accounts that wait for a place take turns, and
 * none of them can have all places, however long it keeps its own.
 */
export class AccountPlaces {
  private readonly queue = new FairQueue<() => void>();
  private readonly taken = new Map<string, number>();
  private count = 0;

  constructor(private readonly limits: PlaceLimits) {}

  /**
   * Waits for a place of the account.
   *
   * @returns a function that frees the place, to be called once
   * @throws the reason of the signal, if it is aborted before
   */
  async enter(accountId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.hasPlace(accountId)) this.take(accountId);
    else await this.turn(accountId, signal);
    return () => this.leave(accountId);
  }

  /** @returns a function that frees the place, to be called once; undefined if the account has to wait */
  enterNow(accountId: string): (() => void) | undefined {
    if (!this.hasPlace(accountId)) return undefined;
    this.take(accountId);
    return () => this.leave(accountId);
  }

  private turn(accountId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener('abort', withdraw);
        resolve();
      };
      const withdraw = (): void => {
        this.queue.removeAll((waiting) => waiting === admit);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.queue.push([accountId], admit);
    });
  }

  private leave(accountId: string): void {
    this.count--;
    const left = (this.taken.get(accountId) ?? 0) - 1;
    if (left > 0) this.taken.set(accountId, left);
    else this.taken.delete(accountId);
    let next = '';
    const admit = this.queue.shift(([waiting = '']) => {
      next = waiting;
      return this.hasPlace(waiting);
    });
    if (admit === undefined) return;
    this.take(next);
    admit();
  }

  private hasPlace(accountId: string): boolean {
    return this.count < this.limits.all && (this.taken.get(accountId) ?? 0) < this.limits.ofAccount;
  }

  private take(accountId: string): void {
    this.count++;
    this.taken.set(accountId, (this.taken.get(accountId) ?? 0) + 1);
  }
}
