/** Links an answer to the session to which it belongs. The link is stored for requests that continue the answer and contain only its id. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { AnswerLink, SessionKey } from './session-key.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param answerId the id that the provider gave to its answer */
export function answerLink(answerId: string, sessionId: string): AnswerLink {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(answerId, 'session'), iv);
  const sealed = Buffer.concat([cipher.update(sessionId, 'utf8'), cipher.final()]);
  return { digest: digestOf(answerId), sealed: Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url') };
}

/** The key under which the link of an answer is stored. */
export function linkKey(whose: Omit<SessionKey, 'digest'>, answerId: string): SessionKey {
  const { accountId, appId, environment } = whose;
  return { accountId, appId, environment, digest: digestOf(answerId) };
}

/**
 * The id of the session to which a link refers.
 *
 * @throws Error if the link was made with the id of another answer
 */
export function linkedSession(answerId: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, keyFrom(answerId, 'session'), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

/** No session has this digest, because the digests of session ids are plain hashes. */
function digestOf(answerId: string): string {
  return keyFrom(answerId, 'answer').toString('base64url');
}

function keyFrom(answerId: string, purpose: 'answer' | 'session'): Buffer {
  return createHmac('sha256', `weir ${purpose}`).update(answerId).digest();
}
