/** The folder in memory in which a run of the tests keeps its databases. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** The file system in memory of Linux: https://man7.org/linux/man-pages/man7/shm_overview.7.html */
const MEMORY = '/dev/shm';
const PREFIX = 'weir-tests-';
/** The tests of two workers need much less. Containers often have 64 MB. */
const ENOUGH_BYTES = 4e9;

/**
 * Creates the folder, named after this process, and deletes those of runs that were interrupted.
 *
 * @returns undefined if this machine has too little memory for it, or no such file system
 */
export function makeMemoryFolder() {
  try {
    for (const name of readdirSync(MEMORY)) if (isAbandoned(name)) deleteMemoryFolder(join(MEMORY, name));
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ENOUGH_BYTES) return undefined;
    const folder = join(MEMORY, nameFor('self'));
    mkdirSync(folder);
    // PostgreSQL runs as another user if the tests run as root.
    chmodSync(folder, 0o755);
    return folder;
  } catch {
    return undefined;
  }
}

export function deleteMemoryFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * The name of a process's folder: the namespace of its id, the id, and when it started. Containers may share the memory, but not their
 * process ids, and ids are used again.
 *
 * @param id of the process, or `self`
 * @throws Error if there is no such process
 */
export function nameFor(id) {
  const [pid, rest] = /^(\d+) .*\) (.*)$/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8')).slice(1);
  // The 22nd field, in clock ticks since the system's start: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const startedAt = rest.split(' ')[22 - 3];
  return `${ownStart()}${pid}-${startedAt}`;
}

/** The beginning of the names of all folders whose processes can be found here. */
function ownStart() {
  const [namespace] = /\d+/.exec(readlinkSync('/proc/self/ns/pid'));
  return `${PREFIX}${namespace}-`;
}

/** Whether a name is that of the folder of a process that could be found here, but no longer exists. */
export function isAbandoned(name) {
  const start = ownStart();
  if (!name.startsWith(start)) return false;
  const [pid] = name.slice(start.length).split('-');
  try {
    return nameFor(pid) !== name;
  } catch {
    return true;
  }
}
