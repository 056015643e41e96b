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
}

/** The key of a session. @param sessionId the client's id */
export function sessionKey(
  { accountId, appId, environment }: Omit<SessionKey, 'digest'>,
  sessionId: string,
): SessionKey {
  return { accountId, appId, environment, digest: createHash('sha256').update(sessionId).digest('base64url') };
}

/** Makes fingerprints of addresses, which can be compared only with the session's id. */
export function sessionFingerprint(sessionId: string): (address: string) => string {
  return (address) => createHmac('sha256', sessionId).update(address).digest('base64url').slice(0, 22);
}
