import { readdirSync, readFileSync } from 'node:fs';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Processor time that this thread has had, in microseconds: from the scheduler where it can be asked (Linux). */
export function threadMicroseconds(): number {
  // The scheduler counts when a thread stops or its turn ends, which is every few milliseconds: a short rest, then.
  Atomics.wait(cell, 0, 0, 1);
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1_000;
  } catch {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  }
}

/** Processor time that a process has had, in microseconds: its main thread's, and that of all its threads. */
export interface ProcessTime {
  readonly main: number;
  readonly all: number;
}

/** Undefined where there is no scheduler to ask. Of threads that have ended nothing is known. */
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

/** Clock ticks of proc(5), of which every Linux has a hundred in a second. */
const TICK_MS = 10;

/** Processor time of a process since it began, in milliseconds: with threads and children that have ended. Undefined where there is no scheduler to ask. */
export function wholeTimeMs(pid: number): number | undefined {
  try {
    // Fields 14 to 17 of proc(5); the name before them may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return undefined;
  }
}
