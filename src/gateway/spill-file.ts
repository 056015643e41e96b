import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;

/** The position of stored bytes. */
export interface Spilled {
  readonly slot: number;
  readonly length: number;
  readonly iv: Buffer;
  readonly tag: Buffer;
}

/**
 * Moves idle memory to disk: an unlinked temporary file, encrypted with a key that exists only in this process. Nobody
 * else can read it, and nobody can read it after the process has ended.
 */
export class SpillFile {
  private fd: number | undefined;
  private refused = false;
  private readonly key = randomBytes(32);
  private readonly free: number[] = [];
  private slots = 0;

  /** @param slotBytes maximum length of a piece */
  constructor(private readonly slotBytes: number) {}

  /** @returns undefined when the piece cannot be stored: no disk, or no writable one */
  put(bytes: Buffer): Spilled | undefined {
    if (bytes.length > this.slotBytes || this.refused) return undefined;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv);
    const sealed = cipher.update(bytes);
    cipher.final();
    const slot = this.free.pop() ?? this.slots++;
    try {
      this.fd ??= openNameless();
      if (writeSync(this.fd, sealed, 0, sealed.length, slot * this.slotBytes) === sealed.length)
        return { slot, length: sealed.length, iv, tag: cipher.getAuthTag() };
    } catch {
      // The disk is full or read-only: from now on everything stays in memory.
      this.refused = true;
    }
    this.free.push(slot);
    return undefined;
  }

  /** @throws Error if the content of the file differs from the stored content */
  get({ slot, length, iv, tag }: Spilled): Buffer {
    const sealed = Buffer.allocUnsafe(length);
    if (this.fd === undefined || readSync(this.fd, sealed, 0, length, slot * this.slotBytes) !== length)
      throw new Error('a stored part of an answer differs from the written one');
    const decipher = createDecipheriv(CIPHER, this.key, iv);
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  }

  /** Frees the space of a piece. */
  release({ slot }: Spilled): void {
    this.free.push(slot);
  }

  /** The number of slots in the file, used or free. */
  get size(): number {
    return this.slots;
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}

/**
 * Opens a file that disappears with the process: it is unlinked as soon as it is open, where the system allows that.
 */
function openNameless(): number {
  const path = join(tmpdir(), `weir-${randomBytes(12).toString('hex')}.tmp`);
  const fd = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
  } catch {
    process.once('exit', () => unlinkSync(path));
  }
  return fd;
}
