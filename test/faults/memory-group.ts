import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Where groups of processes with limits are made, and what the files are called; the older system first. */
const SYSTEMS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', most: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', most: 'memory.peak' },
] as const;
const MEBIBYTE = 1_048_576;
const TRIES = 100;

/** A limit of memory that ends a process which takes more. Linux alone, and root. */
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

  /** For a shell: puts it and what it starts into the group. */
  get joining(): string {
    return `echo $$ > ${join(this.folder, 'cgroup.procs')}`;
  }

  /** The most that was taken so far, with what the system keeps of files, in MiB. */
  get mostMebibytes(): number {
    return Math.round(Number(readFileSync(join(this.folder, this.files.most), 'utf8')) / MEBIBYTE);
  }

  /** When its processes have ended; the system takes a moment to notice. */
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

/** The system that can limit memory here. */
function system() {
  return SYSTEMS.find(
    ({ root, limit }) =>
      existsSync(join(root, limit)) ||
      (existsSync(join(root, 'cgroup.subtree_control')) &&
        readFileSync(join(root, 'cgroup.subtree_control'), 'utf8').includes('memory')),
  );
}
