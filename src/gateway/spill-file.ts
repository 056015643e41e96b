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
 * Memory that would only wait, on disk: a nameless temporary file, encrypted with a key that nobody but this process
 * has, and that ends with it. Nothing in it can be read by anybody else, or later.
 */
export class SpillFile {
  private fd: number | undefined;
  private refused = false;
  private readonly key = randomBytes(32);
  private readonly free: number[] = [];
  private slots = 0;

  /** @param slotBytes what is longer is not taken */
  constructor(private readonly slotBytes: number) {}

  /** @returns undefined when there is no place for it: no disk, or none that can be written */
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
      // A full or read-only disk: from now on everything stays in memory.
      this.refused = true;
    }
    this.free.push(slot);
    return undefined;
  }

  /** @throws Error when the file does not hold what was put there */
  get({ slot, length, iv, tag }: Spilled): Buffer {
    const sealed = Buffer.allocUnsafe(length);
    if (this.fd === undefined || readSync(this.fd, sealed, 0, length, slot * this.slotBytes) !== length)
      throw new Error('a part of an answer is not where it was put');
    const decipher = createDecipheriv(CIPHER, this.key, iv);
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  }

  /** Nobody asks for it any more. */
  release({ slot }: Spilled): void {
    this.free.push(slot);
  }

  /** How many pieces it has room for, used or not. */
  get size(): number {
    return this.slots;
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}

/** A file that goes with the process: its name is taken away as soon as it is open, where the system allows that. */
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
