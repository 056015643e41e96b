import { setInterval } from 'node:timers';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the service before it starts (`--import`): reports the activity of the main thread to the bench in CPU time, which
 * is independent of other load.
 */
export interface Watched {
  /** Longest time for which the event loop was blocked, in CPU time. */
  readonly longestMs: number;
  /** CPU time of the main thread since the last report. */
  readonly mainMs: number;
  /** CPU time of all threads since the last report. */
  readonly processMs: number;
  readonly residentMb: number;
}

const MS = 1_000;
const MIB = 1_048_576;

if (isMainThread && process.send !== undefined) {
  let longestMs = 0;
  let tick = process.threadCpuUsage();
  let main = tick;
  let all = process.cpuUsage();
  const since = (before: NodeJS.CpuUsage, now: NodeJS.CpuUsage): number =>
    (now.user + now.system - before.user - before.system) / MS;
  setInterval(() => {
    const now = process.threadCpuUsage();
    longestMs = Math.max(longestMs, since(tick, now));
    tick = now;
  }, 1).unref();
  process.on('message', (message) => {
    if (message !== 'watch') return;
    const [nowMain, nowAll] = [process.threadCpuUsage(), process.cpuUsage()];
    process.send?.({
      longestMs,
      mainMs: since(main, nowMain),
      processMs: since(all, nowAll),
      residentMb: process.memoryUsage.rss() / MIB,
    } satisfies Watched);
    [longestMs, main, all] = [0, nowMain, nowAll];
  });
  // The channel to the bench must not keep the process alive.
  process.channel?.unref();
}
