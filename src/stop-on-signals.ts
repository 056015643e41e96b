/** Handles the termination signals of the operating system until the process ends. */
import type { EventEmitter } from 'node:events';

/**
 * One Ctrl-C arrives several times: from the terminal, and again from each parent process (npm, a script) that forwards it.
 * Only a signal that arrives later than this is a second request, from a person who does not want to wait.
 */
const SAME_REQUEST_MS = 1_000;

/** SIGHUP: the terminal was closed. Node.js would end the process at once, even below `nohup`. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

export interface Stoppable {
  /** The emitter of SIGTERM, SIGINT and SIGHUP. */
  readonly signals: Pick<EventEmitter, 'on'>;
  /** Ends the service in an orderly way: drains, stores, closes. */
  readonly close: (signal: StopSignal) => Promise<void>;
  readonly exit: (code: number) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}

/** Closes at the first signal and exits with 0 when closing succeeds, with 1 when it fails; a later second signal exits at once. */
export function stopOnSignals({ signals, close, exit, nowMs }: Stoppable): void {
  let askedAtMs: number | undefined;
  const stop = (signal: StopSignal): void => {
    if (askedAtMs !== undefined) {
      // A second request during a long close: exit at once, with a failure code.
      if (nowMs() - askedAtMs >= SAME_REQUEST_MS) exit(1);
      return;
    }
    askedAtMs = nowMs();
    // The process must exit here, because only the signal has requested it, and supervisors wait for the exit code.
    close(signal).then(
      () => exit(0),
      () => exit(1),
    );
  };
  for (const signal of SIGNALS) signals.on(signal, () => stop(signal));
}
