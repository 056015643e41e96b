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

/** A row beside those of sessions: under a digest of the answer's id, the id of its session. */
export interface AnswerLink {
  readonly digest: string;
  /** What only somebody with the answer's id can read. */
  readonly sealed: string;
}

/** What an event means for its session. */
export interface SessionStepToWrite {
  readonly key: SessionKey;
  /** Its addresses as fingerprints. */
  readonly added: SessionAdditions;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Of an answer that later requests may go on from. */
  readonly link?: AnswerLink;
  /** The version that it was judged by, where it must not be stored after another one. */
  readonly judgedBy?: number;
}

/** What a session is known by. @param sessionId as its client names it */
export function sessionKey(
  { accountId, appId, environment }: Omit<SessionKey, 'digest'>,
  sessionId: string,
): SessionKey {
  return { accountId, appId, environment, digest: createHash('sha256').update(sessionId).digest('base64url') };
}

/** Keeps addresses as what only somebody with the session's id can compare with others. */
export function sessionFingerprint(sessionId: string): (address: string) => string {
  return (address) => createHmac('sha256', sessionId).update(address).digest('base64url').slice(0, 22);
}
