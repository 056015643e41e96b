import { AsyncResource } from 'node:async_hooks';
import { lookup, type LookupAddress, type LookupAllOptions, type LookupOptions } from 'node:dns';
import { getDefaultAutoSelectFamilyAttemptTimeout, type LookupFunction } from 'node:net';

/** Another name is being looked up, and this caller does not wait for it. */
export class LookupBusy extends Error {
  override readonly name = 'LookupBusy';
  readonly code = 'LOOKUP_BUSY';

  constructor() {
    super('The name cannot be resolved now; try again');
  }
}

/** The options of a socket that connects to a name. */
export interface NamedSocketOptions {
  readonly lookup: LookupFunction;
  readonly autoSelectFamilyAttemptTimeout: number;
}

type Failure = NodeJS.ErrnoException | null;
type Answer = (failure: Failure, addresses: readonly LookupAddress[]) => void;

interface LookupParts {
  resolve(
    name: string,
    options: LookupAllOptions,
    answer: (failure: Failure, addresses?: LookupAddress[]) => void,
  ): void;
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** @returns cancels the work */
  later(work: () => void, ms: number): () => void;
}

/** The look-up of one name, for all who wait for it. */
interface NameLookup {
  readonly key: string;
  readonly name: string;
  readonly options: LookupAllOptions;
  readonly waiting: Set<Answer>;
}

interface Known {
  readonly addresses: readonly LookupAddress[];
  readonly untilMs: number;
}

/** Short, so that a name that moves to another server is noticed at once. */
const REUSED_MS = 1_000;
/** The deadline of the caller itself comes first, because its error is more specific. */
const GRACE_MS = 2_000;

const OF_NODE: LookupParts = {
  resolve: lookup,
  nowMs: () => performance.now(),
  later: (work, ms) => {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Looks up names for sockets, each once for all connections that need it at the same time. Node.js looks up every name for every
 * connection in a few threads that the whole process shares, and a look-up that has begun cannot be cancelled, even if its socket is
 * closed: a few slow names would stop all others, including the name of the database.
 */
export class NameLookups {
  /** By name and options: those that are running or wait for their turn. */
  private readonly pending = new Map<string, NameLookup>();
  private readonly queue = new Set<NameLookup>();
  private readonly known = new Map<string, Known>();
  private readonly parts: LookupParts;
  private running = 0;

  /** @param atOnce the maximum number of names that are looked up at the same time */
  constructor(
    private readonly atOnce: number,
    parts: Partial<LookupParts> = {},
  ) {
    this.parts = { ...OF_NODE, ...parts };
  }

  /**
   * The options of sockets that have `deadlineMs` to connect. Of several addresses, Node.js gives up each but the last after the attempt
   * timeout: half of a short deadline, so that the second address has a chance.
   */
  socketOptions(deadlineMs: number): NamedSocketOptions {
    const attemptMs = Math.min(getDefaultAutoSelectFamilyAttemptTimeout(), Math.ceil(deadlineMs / 2));
    return { lookup: this.lookup(deadlineMs), autoSelectFamilyAttemptTimeout: attemptMs };
  }

  /**
   * Resolves names as `dns.lookup` does.
   *
   * @param deadlineMs the caller gives up after this time; a look-up that nobody waits for any more does not begin
   * @param mayWait whether the caller waits while other names are looked up; otherwise it is refused with `LookupBusy`
   */
  lookup(deadlineMs: number, mayWait = true): LookupFunction {
    return (name, options, callback) => {
      const answer: Answer = (failure, addresses) => {
        const [first] = addresses;
        if (failure !== null || first === undefined) callback(failure ?? notFound(name), '');
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      };
      // The answer must not run in the context of the call that happened to begin the look-up.
      this.ask(name, options, deadlineMs + GRACE_MS, mayWait, AsyncResource.bind(answer));
    };
  }

  private ask(name: string, options: LookupOptions, waitMs: number, mayWait: boolean, answer: Answer): void {
    const all: LookupAllOptions = { ...options, all: true };
    const key = JSON.stringify([name.toLowerCase(), all]);
    const known = this.known.get(key);
    if (known !== undefined && this.parts.nowMs() < known.untilMs) {
      process.nextTick(answer, null, known.addresses);
      return;
    }
    let wanted = this.pending.get(key);
    if (wanted === undefined) {
      if (!mayWait && this.running >= this.atOnce) {
        process.nextTick(answer, new LookupBusy(), []);
        return;
      }
      wanted = { key, name, options: all, waiting: new Set() };
      this.pending.set(key, wanted);
      this.queue.add(wanted);
    }
    this.wait(wanted, waitMs, answer);
    this.startNext();
  }

  private wait(wanted: NameLookup, waitMs: number, answer: Answer): void {
    const answered: Answer = (failure, addresses) => {
      cancel();
      answer(failure, addresses);
    };
    const cancel = this.parts.later(() => {
      wanted.waiting.delete(answered);
      if (wanted.waiting.size === 0 && this.queue.delete(wanted)) this.pending.delete(wanted.key);
      answer(tooLate(wanted.name), []);
    }, waitMs);
    wanted.waiting.add(answered);
  }

  private startNext(): void {
    for (const next of this.queue) {
      if (this.running >= this.atOnce) return;
      this.queue.delete(next);
      this.start(next);
    }
  }

  private start(begun: NameLookup): void {
    this.running += 1;
    const end = (failure: Failure, addresses: readonly LookupAddress[]): void => {
      this.running -= 1;
      this.pending.delete(begun.key);
      // A failure is for those who wait now: the next caller tries again.
      if (failure === null && addresses.length > 0) this.remember(begun.key, addresses);
      // In turns of their own, so that an error in one of them does not concern the others.
      for (const answer of begun.waiting) process.nextTick(answer, failure, addresses);
      this.startNext();
    };
    try {
      this.parts.resolve(begun.name, begun.options, (failure, addresses = []) => end(failure, addresses));
    } catch (error) {
      end(error instanceof Error ? error : notFound(begun.name), []);
    }
  }

  private remember(key: string, addresses: readonly LookupAddress[]): void {
    const nowMs = this.parts.nowMs();
    for (const [other, { untilMs }] of this.known) if (untilMs <= nowMs) this.known.delete(other);
    this.known.set(key, { addresses, untilMs: nowMs + REUSED_MS });
  }
}

/**
 * The look-ups of this process, by the kind of name, so that slow names of one kind do not stop the others. Of the 16 threads
 * (src/config/network-defaults.ts), libuv uses at most 8 for look-ups.
 */
export const NAMES = {
  /** Servers that hold the data of this service: every call depends on them. */
  stores: new NameLookups(3),
  /** Other services that the settings name. */
  services: new NameLookups(4),
  /** Servers that accounts name. */
  accounts: new NameLookups(1),
};

/** An error as `dns.lookup` reports it. */
function failureOf(hostname: string, code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code, syscall: 'getaddrinfo', hostname });
}

const notFound = (name: string): NodeJS.ErrnoException => failureOf(name, 'ENOTFOUND', 'The name has no address');
const tooLate = (name: string): NodeJS.ErrnoException =>
  failureOf(name, 'EAI_AGAIN', 'The name was not resolved in time');
