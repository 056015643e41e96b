import { readFileSync } from 'node:fs';
import pg from 'pg';

const NANOS_PER_MS = 1_000_000;

/** Length of a clock tick in `/proc`: every Linux that Node.js runs on has 100 ticks per second. */
const TICK_MS = 10;

/**
 * Creates a clock that returns the CPU time, in milliseconds, that all processes of a local PostgreSQL have used so far: its main process,
 * its backends and its background processes. Other load does not affect it. It is exact to the microsecond for running processes and to
 * 10 ms for ended ones, such as backends of closed connections and parallel workers.
 */
export async function backendClock(databaseUrl: string): Promise<() => number> {
  return clockOf(await postmasterOf(databaseUrl));
}

/**
 * The clock of {@link backendClock} for a main process.
 * @param proc folder with the files of the system about processes
 */
export function clockOf(postmaster: number, proc = '/proc'): () => number {
  const main = `${proc}/${postmaster}`;
  return () => {
    const children = readFileSync(`${main}/task/${postmaster}/children`, 'utf8').trim().split(' ').filter(Boolean);
    const nanos = [String(postmaster), ...children].reduce((sum, pid) => sum + nanosOf(`${proc}/${pid}`), 0);
    return nanos / NANOS_PER_MS + endedMs(main);
  };
}

/** Finds the process id of the main process (postmaster) of a local PostgreSQL, which is the parent of its backends. */
export async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  return Number(readFileSync(`${rows[0]!.data_directory}/postmaster.pid`, 'utf8').split('\n')[0]);
}

/** CPU time of a running process with one thread; 0 if it has ended. */
function nanosOf(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** CPU time of the children that have ended, and of theirs, in milliseconds: cutime and cstime of proc_pid_stat(5). */
function endedMs(folder: string): number {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
