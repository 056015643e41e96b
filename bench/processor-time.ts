import { readdirSync, readFileSync } from 'node:fs';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** CPU time of this thread so far, in microseconds; on Linux, from the scheduler. */
export function threadMicroseconds(): number {
  // The scheduler updates its count only when a thread blocks or its time slice ends, so this thread blocks briefly.
  Atomics.wait(cell, 0, 0, 1);
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1_000;
  } catch {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  }
}

/** CPU time of a process so far, in microseconds: of its main thread, and of all its threads. */
export interface ProcessTime {
  readonly main: number;
  readonly all: number;
}

/** CPU time of the running threads of a process, without that of ended threads. Undefined if the system has no `/proc`. */
export function processTime(pid: number): ProcessTime | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => {
      const ran = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0];
      return { id: Number(id), micros: Number(ran) / 1_000 };
    });
    const all = threads.reduce((sum, { micros }) => sum + micros, 0);
    return { main: threads.find(({ id }) => id === pid)?.micros ?? 0, all };
  } catch {
    return undefined;
  }
}

/** Length of a clock tick in `/proc`: every Linux has a hundred per second. */
const TICK_MS = 10;

/**
 * CPU time of a process since its start, in milliseconds, including ended threads and children. Undefined if the system has no
 * `/proc`.
 */
export function wholeTimeMs(pid: number): number | undefined {
  try {
    // Fields 14 to 17 of /proc/pid/stat; the name before them may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return undefined;
  }
}
