import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Ticks per second of `/proc`: 100 on every Linux that Node.js runs on. */
const TICK_MS = 10;

/** The processor time of all backends of a PostgreSQL on this machine so far, in milliseconds. */
export async function backendClock(databaseUrl: string): Promise<() => number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  const postmaster = Number(readFileSync(`${rows[0]!.data_directory}/postmaster.pid`, 'utf8').split('\n')[0]);
  return () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .reduce((sum, pid) => sum + ticksOf(pid, postmaster), 0) * TICK_MS;
}

function ticksOf(pid: string, parent: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[1]) === parent ? Number(fields[11]) + Number(fields[12]) : 0;
  } catch {
    return 0;
  }
}
