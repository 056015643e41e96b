import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The folders and file names of control groups; cgroup v1 is first. */
const SYSTEMS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', most: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', most: 'memory.peak' },
] as const;
const MEBIBYTE = 1_048_576;
const TRIES = 100;

/** A control group whose processes are killed when they exceed a memory limit. It needs Linux and root. */
export class MemoryGroup {
  private constructor(
    private readonly folder: string,
    private readonly files: (typeof SYSTEMS)[number],
  ) {}

  static get canBeMade(): boolean {
    return process.getuid?.() === 0 && system() !== undefined;
  }

  static make(mebibytes: number): MemoryGroup {
    const files = system()!;
    const group = new MemoryGroup(join(files.root, `weir-${process.pid}-${Date.now()}`), files);
    mkdirSync(group.folder);
    writeFileSync(join(group.folder, files.limit), String(mebibytes * MEBIBYTE));
    return group;
  }

  /** A shell command that puts the shell and its children into the group. */
  get joining(): string {
    return `echo $$ > ${join(this.folder, 'cgroup.procs')}`;
  }

  /** The peak memory so far, including the page cache, in MiB. */
  get mostMebibytes(): number {
    return Math.round(Number(readFileSync(join(this.folder, this.files.most), 'utf8')) / MEBIBYTE);
  }

  /** Call this when the processes have exited. It retries, because the kernel releases the group with a delay. */
  async remove(): Promise<void> {
    for (let left = TRIES; left > 0; left--) {
      try {
        rmdirSync(this.folder);
        return;
      } catch {
        await delay(20);
      }
    }
  }
}

/** The cgroup version that can limit memory on this machine. */
function system() {
  return SYSTEMS.find(
    ({ root, limit }) =>
      existsSync(join(root, limit)) ||
      (existsSync(join(root, 'cgroup.subtree_control')) &&
        readFileSync(join(root, 'cgroup.subtree_control'), 'utf8').includes('memory')),
  );
}
