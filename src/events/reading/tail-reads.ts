import { AccountPlaces } from '../../overload/index.js';
import type { EventReader } from './event-reader.js';
import type { TailReader } from './event-tail.js';

/**
 * Maximum number of concurrent reads of the tails of this process, in total and per account. It is smaller than the number of connections
 * to the database, so that calls always find one.
 */
const PLACES = { all: 4, ofAccount: 2 };

/** Reads the log for all tails of this process. Accounts take turns, however many tails each of them has. */
export class TailReads {
  private readonly places = new AccountPlaces(PLACES);

  constructor(private readonly reader: Pick<EventReader, 'idsAfter' | 'firstOf'>) {}

  /** The reader of one tail. @param signal ends its wait for a turn, with the reason of the signal as the error */
  until(signal: AbortSignal): TailReader {
    const { places, reader } = this;
    const inTurn = async <T>(accountId: string, read: () => Promise<T>): Promise<T> => {
      const leave = await places.enter(accountId, signal);
      try {
        return await read();
      } finally {
        leave();
      }
    };
    return {
      idsAfter: (filters, afterId, most) =>
        inTurn(filters.manager.accountId, () => reader.idsAfter(filters, afterId, most)),
      firstOf: (manager, ids, maxBytes) => inTurn(manager.accountId, () => reader.firstOf(manager, ids, maxBytes)),
    };
  }
}
