import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PIECE = Buffer.alloc(1_048_576, 'x');
const PAGE_BYTES = 4_096;

/** A separate small file system (tmpfs) that can be filled up. Only root can create it. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  static get canBeMade(): boolean {
    return process.platform === 'linux' && process.getuid?.() === 0;
  }

  static make(mebibytes: number): SmallDisk {
    const directory = mkdtempSync(join(tmpdir(), 'weir-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory]);
    chmodSync(directory, 0o755);
    return new SmallDisk(directory);
  }

  /** Writes until no page is free. */
  fill(): void {
    const file = openSync(this.ballast, 'a');
    for (let bytes = PIECE.length; bytes >= PAGE_BYTES;) {
      try {
        writeSync(file, PIECE, 0, bytes);
      } catch {
        bytes /= 2;
      }
    }
    closeSync(file);
  }

  makeRoom(): void {
    rmSync(this.ballast, { force: true });
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.directory]);
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get ballast(): string {
    return join(this.directory, 'ballast');
  }
}
