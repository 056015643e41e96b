import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { median } from './load.js';

/** Description of the machine on which figures were measured, which is needed to interpret them. */
export interface Machine {
  readonly processors: number;
  readonly processor: string;
  readonly memoryMib: number;
  readonly system: string;
  readonly node: string;
  /** Load average of the last minute, when the figures were measured. */
  readonly load: number;
  /** Time to write and flush 4 KiB to the disk of the temporary directory. */
  readonly flushMs: { readonly p50: number; readonly p99: number };
}

const FLUSHES = 200;
const KIB = 1024;

export function describeMachine(): Machine {
  const all = cpus();
  return {
    processors: all.length,
    processor: all[0]?.model.trim() ?? '',
    memoryMib: Math.round(totalmem() / KIB ** 2),
    system: `${type()} ${release()}`,
    node: process.version,
    load: Number(loadavg()[0]!.toFixed(2)),
    flushMs: flushTimes(),
  };
}

function flushTimes(): Machine['flushMs'] {
  const directory = mkdtempSync(join(tmpdir(), 'weir-flush-'));
  const file = openSync(join(directory, 'flushed'), 'w');
  try {
    const page = Buffer.alloc(4 * KIB, 'x');
    const timesMs = Array.from({ length: FLUSHES }, () => {
      const startedMs = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - startedMs;
    }).sort((one, other) => one - other);
    const rounded = (ms: number): number => Number(ms.toFixed(3));
    return { p50: rounded(median(timesMs)), p99: rounded(timesMs[Math.ceil(FLUSHES * 0.99) - 1]!) };
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Memory of a process in MiB, with its proportional share of shared pages (PSS); undefined if the system does not report it. */
export function memoryMib(pid: number): number | undefined {
  const mib = smapsMib(pid, 'Pss');
  return mib === undefined ? undefined : Math.round(mib);
}

/**
 * Resident memory of a process in MiB: all of it (RSS), and the part that does not come from files. Unlike PSS, neither changes when
 * another process maps the same files.
 */
export function residentMib(pid: number): { readonly all: number; readonly anonymous: number } {
  return { all: smapsMib(pid, 'Rss') ?? Number.NaN, anonymous: smapsMib(pid, 'Anonymous') ?? Number.NaN };
}

/** A figure of `/proc/<pid>/smaps_rollup` (proc_pid_smaps(5)) in MiB; undefined if the system does not report it. */
function smapsMib(pid: number, name: 'Pss' | 'Rss' | 'Anonymous'): number | undefined {
  try {
    const [, kib] =
      new RegExp(`^${name}: *(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
    return kib === undefined ? undefined : Number(kib) / KIB;
  } catch {
    return undefined;
  }
}
