import type { ErrorType } from '../core/index.js';
import type { FastifyRequest } from 'fastify';

/** The caller and the subject of a request, as ids for the log line. */
export interface RequestSubject {
  readonly accountId?: string;
  readonly appId?: string;
  readonly keyId?: string;
  readonly tokenId?: string;
  readonly personId?: string;
  readonly eventId?: string;
  readonly replayed?: boolean;
  /** The error that it was answered with, when nothing of it was recorded. */
  readonly refused?: ErrorType;
}

/** Kept beside the request: whoever adds to its log line has nothing but the request in hand. */
const subjects = new WeakMap<FastifyRequest, { -readonly [Name in keyof RequestSubject]: RequestSubject[Name] }>();

/** Adds to what the request's log line says. Pass ids of ours only, never anything that the client wrote. */
export function noteSubject(request: FastifyRequest, subject: RequestSubject): void {
  const known = subjects.get(request);
  if (known === undefined) subjects.set(request, { ...subject });
  else Object.assign(known, subject);
}

/** What is known about a request so far. */
export function subjectOf(request: FastifyRequest): RequestSubject {
  return subjects.get(request) ?? {};
}
