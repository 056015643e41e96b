import { readdirSync, readFileSync } from 'node:fs';
import { memoryMib } from './machine.js';
import { processTime, wholeTimeMs } from './processor-time.js';

/**
 * Processor time and memory of a program with all processes that it started: workers, and the backends of its
 * database.
 */
export class ProcessTree {
  /** @param roots its processes, the one that answers first */
  constructor(private readonly roots: readonly number[]) {}

  /** @returns all of them with their descendants; only the roots where there is no `/proc` */
  processes(): number[] {
    const children = childrenByParent();
    const found = [...this.roots];
    for (const pid of found) found.push(...(children.get(pid) ?? []).filter((child) => !found.includes(child)));
    return found;
  }

  /** Processor time so far in microseconds: also that of threads and processes that have ended. Undefined where there is no scheduler to ask. */
  time(): { readonly main: number; readonly all: number } | undefined {
    const wholeMs = this.processes().map((pid) => wholeTimeMs(pid) ?? 0);
    const main = processTime(this.roots[0] ?? 0)?.main;
    return main === undefined ? undefined : { main, all: wholeMs.reduce((sum, ms) => sum + ms, 0) * 1_000 };
  }

  /** Their memory together; what several share counts once. Undefined where the system does not tell. */
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

/** Undefined for one that has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    // The fourth field of proc(5); the name before it may hold spaces.
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
