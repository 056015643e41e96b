/** Handles the termination signals of the operating system until the process ends. */
import type { EventEmitter } from 'node:events';

/**
 * One Ctrl-C arrives several times: from the terminal, and once more from each launcher above (npm, a script) that
 * passes it on. Only a signal that comes later than this is somebody who has lost patience.
 */
const SAME_REQUEST_MS = 1_000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type StopSignal = (typeof SIGNALS)[number];

export interface Stoppable {
  /** Where SIGTERM and SIGINT arrive. */
  readonly signals: Pick<EventEmitter, 'on'>;
  /** Ends in order: drains, stores, closes. */
  readonly close: (signal: StopSignal) => Promise<void>;
  readonly exit: (code: number) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}

/** Closes at the first signal and exits with 0 when that is done, with 1 when it fails; another signal later means: now. */
export function stopOnSignals({ signals, close, exit, nowMs }: Stoppable): void {
  let askedAtMs: number | undefined;
  const stop = (signal: StopSignal): void => {
    if (askedAtMs !== undefined) {
      // Somebody has lost patience with a close that takes long: now, and not as a success.
      if (nowMs() - askedAtMs >= SAME_REQUEST_MS) exit(1);
      return;
    }
    askedAtMs = nowMs();
    // Here the process ends: nothing but a signal has asked for it, and supervisors wait for the code.
    close(signal).then(
      () => exit(0),
      () => exit(1),
    );
  };
  for (const signal of SIGNALS) signals.on(signal, () => stop(signal));
}
