import { createHash, createHmac } from 'node:crypto';
import type { Environment, SessionAdditions } from '../../core/index.js';

/** One session of one app. Ids of sessions are not stored, because some clients use addresses as ids. */
export interface SessionKey {
  readonly accountId: string;
  readonly appId: string;
  readonly environment: Environment;
  /** A digest of the session's id. */
  readonly digest: string;
}

/**
 * A row in addition to those of sessions: the id of an answer's session, under a digest of the
 * answer's id.
 */
export interface AnswerLink {
  readonly digest: string;
  /** Encrypted: readable only with the answer's id. */
  readonly sealed: string;
}

/** The effect of an event on its session. */
export interface SessionStepToWrite {
  readonly key: SessionKey;
  /** What the event adds to the session, with fingerprints instead of addresses. */
  readonly added: SessionAdditions;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** For an answer that later requests may continue. */
  readonly link?: AnswerLink;
  /** The version of the session with which the event was judged; set if the event must not be stored after another call of the session. */
  readonly judgedBy?: number;
  /**
   * For a session whose id is masked in the log: the digest of the masked id. A row under it contains the digests of the sessions
   * that are stored under the masked id, so that an erasure finds their histories by the events of the log.
   */
  readonly masked?: string;
}

/** The key of a session. @param sessionId the client's id */
export function sessionKey(
  { accountId, appId, environment }: Omit<SessionKey, 'digest'>,
  sessionId: string,
): SessionKey {
  return { accountId, appId, environment, digest: sessionDigest(sessionId) };
}

/** @param sessionId the client's id */
export function sessionDigest(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url');
}

/** The digest of a masked id. No session has it, because ids of clients contain no line breaks. */
export function maskedSessionDigest(maskedId: string): string {
  return sessionDigest(`masked\n${maskedId}`);
}

/** Makes fingerprints of addresses, which can be compared only with the session's id. */
export function sessionFingerprint(sessionId: string): (address: string) => string {
  return (address) => createHmac('sha256', sessionId).update(address).digest('base64url').slice(0, 22);
}
