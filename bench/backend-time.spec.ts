import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockOf } from './backend-time.js';

const POSTMASTER = 100;
const MS = 1_000_000;

describe('The clock of PostgreSQL', () => {
  let proc = '';
  beforeEach(() => {
    proc = mkdtempSync(join(tmpdir(), 'weir-proc-'));
  });
  afterEach(() => rmSync(proc, { recursive: true, force: true }));

  /** Writes the files of a process as the system does. @param endedTicks user and system time of its ended children */
  function running(pid: number, ms: number, endedTicks: readonly [number, number] = [0, 0]): void {
    mkdirSync(join(proc, String(pid), 'task', String(pid)), { recursive: true });
    writeFileSync(join(proc, String(pid), 'schedstat'), `${ms * MS} 5000 7\n`);
    const stat = `${pid} (postgres: wal (1) S) S 1 ${pid} ${pid} 0 -1 4194560 1 2 3 4 700 800 ${endedTicks.join(' ')} 20 0`;
    writeFileSync(join(proc, String(pid), 'stat'), stat);
  }

  const children = (pids: readonly number[]): void =>
    writeFileSync(
      join(proc, String(POSTMASTER), 'task', String(POSTMASTER), 'children'),
      pids.map((pid) => `${pid} `).join(''),
    );

  it('adds the times of the main process, of its running children, and of its ended ones', () => {
    running(POSTMASTER, 3, [4, 5]);
    running(101, 20);
    running(102, 0.5);
    children([101, 102]);
    expect(clockOf(POSTMASTER, proc)()).toBe(3 + 20 + 0.5 + 90);
  });

  it('still contains the time of a backend that ends between two readings', () => {
    running(POSTMASTER, 3);
    running(101, 20);
    children([101]);
    const clock = clockOf(POSTMASTER, proc);
    expect(clock()).toBe(23);
    running(POSTMASTER, 3, [1, 1]);
    rmSync(join(proc, '101'), { recursive: true });
    children([]);
    expect(clock()).toBe(23);
  });

  it('counts nothing for a child that ends while the clock is read', () => {
    running(POSTMASTER, 3);
    children([101]);
    expect(clockOf(POSTMASTER, proc)()).toBe(3);
  });
});
