import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto';
import { promisify } from 'node:util';
import { HashingQueue } from './hashing-queue.js';

/** OWASP's parameters for Argon2id: 19 MiB, 2 passes, 1 lane (Password Storage Cheat Sheet). */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

const argon2Async = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);
const queue = new HashingQueue();
const derive = (parameters: Argon2Parameters): Promise<Buffer> => queue.run(() => argon2Async('argon2id', parameters));

/**
 * Hashes a password with Argon2id (RFC 9106). Returns a PHC string that contains a new salt and the parameters.
 * @throws TooManyPasswords
 */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await derive({
    message: password,
    nonce,
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: PARALLELISM,
    tagLength: TAG_BYTES,
  });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${unpadded(nonce)}$${unpadded(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** True when the password is the one that was hashed; false also for a hash in another format. @throws TooManyPasswords */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(hash) ?? [];
  if (nonce === undefined || tag === undefined) {
    return false;
  }
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive({
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** A hash that matches no password: its salt and its tag are zeros. */
const DUMMY_HASH = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${unpadded(Buffer.alloc(SALT_BYTES))}$${unpadded(Buffer.alloc(TAG_BYTES))}`;

/**
 * Like `verifyPassword`, for an address that no person has: returns false after the same work, so that the duration reveals nothing.
 *
 * @throws TooManyPasswords
 */
export async function verifyDummyPassword(password: string): Promise<false> {
  await verifyPassword(password, DUMMY_HASH);
  return false;
}
