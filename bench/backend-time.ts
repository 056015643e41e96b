import { readFileSync } from 'node:fs';
import pg from 'pg';

const NANOS_PER_MS = 1_000_000;

/** Length of a clock tick in `/proc`: every Linux that Node.js runs on has 100 ticks per second. */
const TICK_MS = 10;

/**
 * Creates a clock that returns the CPU time, in milliseconds, that all backends of a local PostgreSQL have used so far. Other load
 * does not affect it. It is exact to the microsecond for running backends and to 10 ms for ended ones, such as parallel workers.
 */
export async function backendClock(databaseUrl: string): Promise<() => number> {
  const postmaster = String(await postmasterOf(databaseUrl));
  return () => {
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    return children.reduce((sum, pid) => sum + nanosOf(pid), 0) / NANOS_PER_MS + endedMs(postmaster);
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

function nanosOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** CPU time of the children that have ended, in milliseconds. */
function endedMs(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
