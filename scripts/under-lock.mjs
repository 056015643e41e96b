/** One process at a time: a file that says who holds a lock. A lock whose holder is gone counts for nothing. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Does the work as soon as nobody else holds the lock, which is let go at its end and at that of the process. */
export async function underLock(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isRunning(holderOf(lock))) rmSync(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  await work();
  release();
  process.removeListener('exit', release);
}

function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** Signal 0 tests for existence; EPERM means that it exists and is somebody else's. */
function isRunning(pid) {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
