/** The figures of `npm run bench` as a table: the same on a terminal and in README.md. */
import type { LoadResult } from './load.js';
import type { Machine } from './machine.js';
import type { ProcessTime } from './processor-time.js';
import type { Traffic } from './usual-calls.js';
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
  /**
   * CPU time per call in microseconds of all processes of PostgreSQL; undefined if Weir's own threads include the database, or if the system
   * does not report it.
   */
  readonly databaseMicros?: number | undefined;
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
    /** The calls that were sent. Runs of older versions do not have it: they are described as such in the table. */
    readonly traffic?: Traffic;
  };
  readonly database: DatabaseName;
  readonly rows: readonly ServiceRow[];
}

const DATABASES = { embedded: 'embedded database', postgresql: 'PostgreSQL on the same machine' } as const;
const BYTES_PER_KB = 1_000;

/** @returns lines of Markdown: the table, then a description of the run and the machine */
export function serviceTable(run: ServiceRun): string[] {
  const { at, machine, settings, database, rows } = run;
  const { connections, rounds, seconds, repeatedPercent, traffic } = settings;
  return [
    '| | requests/s | ratio | p50 ms | p99 ms | p99.9 ms | added ms | µs per call, main thread | all threads | PostgreSQL |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.flatMap((row) => linesOf(row, database)),
    '',
    `Measured on ${at.slice(0, 10)}: ${DATABASES[database]}; ${connections} connections, ${rounds} rounds of ${seconds} s in turn, medians;`,
    `${repeatedPercent} % of the texts repeat; added latency over one connection; µs of CPU time, ${whose(run)}.`,
    `${machine.processors} processors (${machine.processor}), load ${machine.load}, Node ${machine.node}; the disk flushes 4 kB in`,
    `${machine.flushMs.p50} ms (p99 ${machine.flushMs.p99}); Weir's process holds ${rows.at(-1)?.memoryMib ?? '?'} MiB.`,
    '',
    ...(traffic === undefined ? LEFT_OUT : callsIn(traffic)),
  ];
}

/** What a run of an older version left out. Each of these makes a call cheaper than those of applications. */
const LEFT_OUT = [
  'These figures are too good: the calls had one short shape of words without numbers, in which no detector found anything, one id and the',
  'same metadata; the answers had one text; the provider key was short; there was neither a budget nor a rate limit; the CPU time of',
  "PostgreSQL's processes was not measured; and the texts of answers were not compared.",
];

const whose = ({ database, rows }: ServiceRun): string => {
  if (database === 'embedded') return "of Weir's process, which includes the embedded database";
  const isMeasured = rows.some(({ databaseMicros }) => databaseMicros !== undefined);
  return isMeasured
    ? "of Weir's process, and of all processes of PostgreSQL"
    : "of Weir's process, without the processes of PostgreSQL";
};

function callsIn({ seed, shapes, maskedPercent, ownIdPercent }: Traffic): string[] {
  const mix = shapes.map(
    ({ name, percent, bytes }) => `${percent} % ${SHAPE_NAMES[name]} (${(bytes / BYTES_PER_KB).toFixed(1)} kB)`,
  );
  return [
    `Calls: ${mix.join(', ')}; ${maskedPercent} % of them have e-mail addresses, which are masked; ${ownIdPercent} % of the events have`,
    `an id of their client; seed ${seed}. A budget and rate limits that refuse nothing are on. Each answer was compared with the expected one.`,
  ];
}

const SHAPE_NAMES: Readonly<Record<Traffic['shapes'][number]['name'], string>> = {
  chat: 'turns of chats',
  agent: 'steps of agents with tools',
  rag: 'questions with documents',
};

function linesOf(row: ServiceRow, database: DatabaseName): string[] {
  const { name, floorName, floor, weir, ratio, addedMs, micros, databaseMicros } = row;
  const ofDatabase = database === 'embedded' ? 'included' : (databaseMicros?.toFixed(0) ?? 'not measured');
  const cells = [weir.p50Ms, weir.p99Ms, weir.p999Ms, addedMs.toFixed(2)];
  return [
    `| ${floorName} | ${floor.requestsPerSecond.toFixed(0)} | 1.00 | ${floor.p50Ms} | ${floor.p99Ms} | ${floor.p999Ms} | | | | |`,
    `| ${name} | ${weir.requestsPerSecond.toFixed(0)} | ${ratio.toFixed(2)} | ${cells.join(' | ')} | ${micros?.main.toFixed(0) ?? ''} | ${micros?.all.toFixed(0) ?? ''} | ${ofDatabase} |`,
  ];
}
