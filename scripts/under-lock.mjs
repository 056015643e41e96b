/** A lock between processes: a file with the process id of its holder. The lock of a process that has ended is ignored. */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
/** Clearing takes only a moment; a process that has been clearing for this long must have ended. */
const CLEARED_WITHIN_MS = 5_000;

/** Does the work as soon as no other process holds the lock, and releases the lock at the end of the work or of the process. */
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

/** Takes the lock if it is free. The file gets its name only after its content is written, so nobody can read a lock without a holder. */
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
 * Removes the lock of a process that has ended. Only one process at a time may do so: otherwise, of two that have seen the same old
 * lock, the second would remove the new lock of the first.
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

/** @returns 0 if the lock no longer exists */
function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** Whether a process exists, which signal 0 tests; EPERM means that the process exists and belongs to another user. */
function isRunning(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
