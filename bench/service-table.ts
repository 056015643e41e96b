/** The figures of `npm run bench` as a table: the same on a terminal and in README.md. */
import type { LoadResult } from './load.js';
import type { Machine } from './machine.js';
import type { ProcessTime } from './processor-time.js';
import type { DatabaseName } from './weir-service.js';

/** Weir compared with a baseline that only answers or forwards. */
export interface ServiceRow {
  readonly name: string;
  readonly floorName: string;
  readonly floor: LoadResult;
  readonly weir: LoadResult;
  /** Ratio of Weir's requests per second to those of the baseline. */
  readonly ratio: number;
  /** Median latency that Weir adds, over one connection. */
  readonly addedMs: number;
  /**
   * CPU time per call in microseconds, of Weir's main thread and of all its threads; undefined if the system does not report it.
   */
  readonly micros?: ProcessTime | undefined;
  /** Memory of Weir's process at the end; undefined if the system does not report it. */
  readonly memoryMib?: number | undefined;
}

/** One run of the bench with a description of the machine; stored as JSON in `bench/results`. */
export interface ServiceRun {
  /** Time of its end, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
  readonly settings: {
    readonly connections: number;
    readonly rounds: number;
    readonly seconds: number;
    /** Percentage of calls that send the text of an earlier call. */
    readonly repeatedPercent: number;
  };
  readonly database: DatabaseName;
  readonly rows: readonly ServiceRow[];
}

const DATABASES = { embedded: 'embedded database', postgresql: 'PostgreSQL on the same machine' } as const;

/** @returns lines of Markdown: the table, then a description of the run and the machine */
export function serviceTable({ at, machine, settings, database, rows }: ServiceRun): string[] {
  const { connections, rounds, seconds, repeatedPercent } = settings;
  return [
    '| | requests/s | ratio | p50 ms | p99 ms | p99.9 ms | added ms | µs per call, main thread | all threads |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.flatMap(linesOf),
    '',
    `${DATABASES[database]}; ${connections} connections, ${rounds} rounds of ${seconds} s in turn, medians; ${repeatedPercent} % of the`,
    `texts repeat; added latency over one connection; µs of CPU time of Weir's process. ${machine.processors} processors`,
    `(${machine.processor}), load ${machine.load}, Node ${machine.node}; the disk flushes 4 kB in ${machine.flushMs.p50} ms (p99 ${machine.flushMs.p99}); Weir's`,
    `process holds ${rows.at(-1)?.memoryMib ?? '?'} MiB; ${at.slice(0, 10)}.`,
  ];
}

const linesOf = ({ name, floorName, floor, weir, ratio, addedMs, micros }: ServiceRow): string[] => [
  `| ${floorName} | ${floor.requestsPerSecond.toFixed(0)} | 1.00 | ${floor.p50Ms} | ${floor.p99Ms} | ${floor.p999Ms} | | | |`,
  `| ${name} | ${weir.requestsPerSecond.toFixed(0)} | ${ratio.toFixed(2)} | ${weir.p50Ms} | ${weir.p99Ms} | ${weir.p999Ms} | ${addedMs.toFixed(2)} | ${micros?.main.toFixed(0) ?? ''} | ${micros?.all.toFixed(0) ?? ''} |`,
];
