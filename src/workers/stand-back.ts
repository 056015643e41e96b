import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** How much a thread stands back behind the service's own thread, as `nice` counts. */
const NICE = 5;
/** Node.js gives this name to the threads on which V8 marks and sweeps memory and compiles. */
const V8_THREAD = 'V8Worker';

/** Lets the thread that calls this stand back behind the service's own. */
export function standBack(): void {
  lower(0);
}

/**
 * Lets the threads of V8 stand back: while they mark the heap, on two processors, four of them leave the thread that answers calls a
 * third of its time, and small calls take 60 ms instead of 15.
 */
export function letV8ThreadsStandBack(): void {
  for (const thread of threads()) if (nameOf(thread) === V8_THREAD) lower(thread);
}

/** On Linux a priority is a thread's own; elsewhere it would be the whole service's. */
function lower(thread: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(thread, Math.min(getPriority(thread) + NICE, constants.priority.PRIORITY_LOW));
  } catch {
    // Where that is forbidden, or the thread is gone, it runs like everything else.
  }
}

/** Of this process; none where the system has no such folder. */
function threads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [];
  }
}

function nameOf(thread: number): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'latin1').trim();
  } catch {
    return undefined;
  }
}
