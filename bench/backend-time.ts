import { readFileSync } from 'node:fs';
import pg from 'pg';

const NANOS_PER_MS = 1_000_000;

/** Ticks per second of `/proc`: 100 on every Linux that Node.js runs on. */
const TICK_MS = 10;

/**
 * The processor time of all backends of a PostgreSQL on this machine so far, in milliseconds: other work on the machine
 * makes no difference. To the microsecond for those that run, to 10 ms for those that have ended, as parallel workers do.
 */
export async function backendClock(databaseUrl: string): Promise<() => number> {
  const postmaster = String(await postmasterOf(databaseUrl));
  return () => {
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    return children.reduce((sum, pid) => sum + nanosOf(pid), 0) / NANOS_PER_MS + endedMs(postmaster);
  };
}

/** The process of a PostgreSQL on this machine whose children are its backends. */
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

/** Of the children that have ended. */
function endedMs(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
