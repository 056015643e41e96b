import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface UnderLock {
  underLock(lock: string, work: () => unknown): Promise<void>;
}

const program = join(process.cwd(), 'scripts/under-lock.mjs');
const { underLock } = (await import(program)) as UnderLock;
/** Counts how often two workers run at the same time, and leaves locks of a process that no longer exists. */
const WORKER = `
  const { openSync, closeSync, rmSync, writeFileSync } = await import('node:fs');
  const { underLock } = await import(process.argv[1]);
  const [, , lock, gone] = process.argv;
  let overlaps = 0;
  for (let round = 0; round < 120; round += 1) {
    await underLock(lock, async () => {
      try {
        closeSync(openSync(lock + '.busy', 'wx'));
      } catch {
        overlaps += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
      rmSync(lock + '.busy', { force: true });
    });
    try {
      writeFileSync(lock, gone, { flag: 'wx' });
    } catch {}
  }
  console.log(overlaps);
`;

describe('A lock between processes', () => {
  let folder: string;
  let lock: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-lock-'));
    lock = join(folder, 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is released when the work fails', async () => {
    await expect(underLock(lock, () => Promise.reject(new Error('no space left')))).rejects.toThrow('no space left');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['', 'nobody', '0'])('is ignored when it names no process: "%s"', async (content) => {
    writeFileSync(lock, content);
    let isDone = false;
    await underLock(lock, () => {
      isDone = true;
    });
    expect([isDone, existsSync(lock)]).toEqual([true, false]);
  });

  it('is held by one process at a time, even when all of them find the lock of a process that no longer exists', async () => {
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const workers = Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', WORKER, program, lock, String(gone)]);
      const [overlaps] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return overlaps.trim();
    });
    expect(await Promise.all(workers)).toEqual(['0', '0', '0', '0']);
  });
});
