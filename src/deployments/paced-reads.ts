import { setTimeout as delay } from 'node:timers/promises';
import type { Bundle } from '../core/index.js';
import { WeirError } from '../http/index.js';

/** The reads of one account that run, wait or pause; more are refused. */
const MOST_OPEN = 16;
/** The main thread reads, checks and sends this much of a bundle in about a millisecond. */
const CHARACTERS_PER_MS = 50_000;
/** Reads that take no longer delay nobody. */
const SHORT_MS = 10;
/** After a longer read, the next one of the account waits this many times as long: nine tenths of the time are left to others. */
const REST = 9;
const RETRY_AFTER_SECONDS = 5;

interface Account {
  /** Resolves when the next read may begin. */
  last: Promise<void>;
  open: number;
}

/**
 * Reads bundles for the requests of accounts: for each account one after the other, with a pause after a large one. Reading a bundle of
 * megabytes takes the main thread a tenth of a second, in which it serves no other request.
 */
export class PacedReads {
  private readonly accounts = new Map<string, Account>();

  /** @param pause waits for a number of milliseconds; for tests */
  constructor(
    private readonly pause: (ms: number) => Promise<unknown> = (ms) => delay(ms, undefined, { ref: false }),
  ) {}

  /** @throws {WeirError} 429 while many bundles of the account are being read; otherwise the errors of `read` */
  async read(accountId: string, read: () => Promise<Bundle>): Promise<Bundle> {
    const account = this.accounts.get(accountId) ?? { last: Promise.resolve(), open: 0 };
    if (account.open >= MOST_OPEN) {
      const message = 'Too many bundles of this account are being read';
      throw new WeirError('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.accounts.set(accountId, account);
    account.open += 1;
    const turn = account.last;
    const { promise, resolve: next } = Promise.withResolvers<undefined>();
    account.last = promise;
    let pauseMs = 0;
    try {
      await turn;
      const bundle = await read();
      pauseMs = pauseAfterMs(bundle);
      return bundle;
    } finally {
      const ended = (): void => {
        account.open -= 1;
        if (account.open === 0) this.accounts.delete(accountId);
        next(undefined);
      };
      if (pauseMs === 0) ended();
      else void this.pause(pauseMs).then(ended, ended);
    }
  }
}

function pauseAfterMs({ files, tests }: Bundle): number {
  const characters = [...files, ...tests].reduce((sum, { text }) => sum + text.length, 0);
  const tookMs = characters / CHARACTERS_PER_MS;
  return tookMs > SHORT_MS ? REST * tookMs : 0;
}
