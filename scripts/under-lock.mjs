/** One process at a time: a file that says who holds a lock. A lock whose holder is gone counts for nothing. */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
/** Clearing away takes a moment; who is at it for so long has ended meanwhile. */
const CLEARED_WITHIN_MS = 5_000;

/** Does the work as soon as nobody else holds the lock, which is let go at its end and at that of the process. */
export async function underLock(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  while (!take(lock)) {
    if (isRunning(holderOf(lock)) || !clearAway(lock)) await delay(LOOK_EVERY_MS);
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    release();
    process.removeListener('exit', release);
  }
}

/** The file gets its name with its content in it: nobody ever reads a lock that does not say yet who holds it. */
function take(lock) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * Removes what a process left that is gone, one at a time: of two that have seen the same old lock, the second would remove the
 * new lock of the first.
 */
function clearAway(lock) {
  const clearing = `${lock}.clearing`;
  if (!take(clearing)) {
    if (ageMs(clearing) > CLEARED_WITHIN_MS) rmSync(clearing, { force: true });
    return false;
  }
  try {
    if (isRunning(holderOf(lock))) return false;
    rmSync(lock, { force: true });
    return true;
  } finally {
    rmSync(clearing, { force: true });
  }
}

function ageMs(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** @returns 0 where there is no lock any more */
function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** Signal 0 tests for existence; EPERM means that it exists and is somebody else's. */
function isRunning(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
