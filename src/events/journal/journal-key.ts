import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the records of the journal, so that a copy of its file reveals nothing and a changed record is detected. */
export class JournalKey {
  private constructor(private readonly key: Buffer) {}

  /** @returns undefined when there is no file, or none with a key in it */
  static read(path: string): JournalKey | undefined {
    try {
      const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
      return key.length === KEY_BYTES ? new JournalKey(key) : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Creates a key; if two processes do so at once, both get the key of the first. */
  static make(path: string): JournalKey {
    try {
      writeFileSync(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const made = JournalKey.read(path);
    if (made === undefined) throw new Error('the key cannot be read back');
    return made;
  }

  /** @param name the record's name: the content can be opened only under this name */
  seal(name: string, content: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name));
    return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * @returns undefined for content that this key has not sealed under this name, or that was changed
   * since
   */
  open(name: string, sealed: Uint8Array): Buffer | undefined {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(-TAG_BYTES)];
    const decipher = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  }
}
