import { extname } from 'node:path';
import { WeirError } from '../http/index.js';
import { WorkerFailure, WorkerPool } from '../workers/index.js';
import type { PasswordEstimate, PasswordInput } from './password-estimate.js';

/** In characters (code points): long passwords are better than complicated ones. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

const FILE = new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url);
const IDLE_MS = 30_000;
const MEMORY_MB = 256;
const WORK_MS = 5_000;

const PROBLEMS: Readonly<Record<PasswordEstimate, string | null>> = {
  good: null,
  pattern: 'is easy to guess: it repeats itself or follows a pattern',
  common: 'is one of the passwords that are guessed first, or similar to one of them',
};

/**
 * Accepts passwords that are long enough and not among the first to be guessed. There are no rules about kinds of characters. A worker
 * thread estimates how fast a password would be guessed; the thread ends when it is idle.
 */
export class PasswordRules {
  private readonly pool = new WorkerPool({ file: FILE, threads: 1, memoryLimitMb: MEMORY_MB, idleMs: IDLE_MS });

  /**
   * Why a password is refused, as the end of a sentence; null if it is accepted.
   *
   * @param email the person's address, which an attacker tries first
   * @throws {WeirError} 503 if the password could not be estimated, which says nothing about its strength
   */
  async problem(password: string, email: string): Promise<string | null> {
    const { length } = [...password];
    if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`;
    if (length > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters`;
    if (password.toLowerCase() === email.toLowerCase()) return 'must not be the e-mail address';
    const input: PasswordInput = { password, known: [email, ...email.split(/[@.]/)] };
    try {
      return PROBLEMS[await this.pool.run<PasswordEstimate>('estimate', input, { workMs: WORK_MS, for: [email] })];
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error;
      throw new WeirError('unavailable', { retryAfterSeconds: 1, cause: error });
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
