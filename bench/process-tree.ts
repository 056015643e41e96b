import { readdirSync, readFileSync } from 'node:fs';
import { memoryMib } from './machine.js';
import { processTime, wholeTimeMs } from './processor-time.js';

/**
 * CPU time and memory of a program with all processes that it started: workers, and the backends of its
 * database.
 */
export class ProcessTree {
  /** @param roots process ids of the program; first the one that answers calls */
  constructor(private readonly roots: readonly number[]) {}

  /** @returns the roots with all their descendants; only the roots if there is no `/proc` */
  processes(): number[] {
    const children = childrenByParent();
    const found = [...this.roots];
    for (const pid of found) found.push(...(children.get(pid) ?? []).filter((child) => !found.includes(child)));
    return found;
  }

  /** CPU time so far in microseconds, including ended threads and processes. Undefined if the system has no `/proc`. */
  time(): { readonly main: number; readonly all: number } | undefined {
    const wholeMs = this.processes().map((pid) => wholeTimeMs(pid) ?? 0);
    const main = processTime(this.roots[0] ?? 0)?.main;
    return main === undefined ? undefined : { main, all: wholeMs.reduce((sum, ms) => sum + ms, 0) * 1_000 };
  }

  /** Total memory in MiB, with shared pages counted once. Undefined if the system does not report it. */
  memoryMib(): number | undefined {
    const all = this.processes().flatMap((pid) => memoryMib(pid) ?? []);
    return all.length === 0 ? undefined : all.reduce((sum, mib) => sum + mib, 0);
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  const pids = listed('/proc').filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  return children;
}

/** Process id of the parent; undefined if the process has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    // Field 4 of /proc/pid/stat; the name before it may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '');
    return Number(fields.split(' ')[1]);
  } catch {
    return undefined;
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
