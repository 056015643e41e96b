import type { Environment, ErrorType } from '../core/index.js';
import type { FastifyRequest } from 'fastify';

/** The caller and the subject of a request, as ids for the log line. */
export interface RequestSubject {
  readonly accountId?: string;
  readonly appId?: string;
  readonly keyId?: string;
  /** The environment of the key; not in the log line. */
  readonly environment?: Environment;
  readonly tokenId?: string;
  readonly personId?: string;
  readonly eventId?: string;
  readonly replayed?: boolean;
  /** The error of the response, if the request was not recorded. */
  readonly refused?: ErrorType;
}

/** Keyed by the request, because code that adds to its log line has access to nothing else. */
const subjects = new WeakMap<FastifyRequest, { -readonly [Name in keyof RequestSubject]: RequestSubject[Name] }>();

/** Adds fields to the request's log line. Pass only ids of the service, never text from the client. */
export function noteSubject(request: FastifyRequest, subject: RequestSubject): void {
  const known = subjects.get(request);
  if (known === undefined) subjects.set(request, { ...subject });
  else Object.assign(known, subject);
}

type Sender = Required<Pick<RequestSubject, 'accountId' | 'appId' | 'keyId' | 'environment'>>;

/** Adds the sender of a call to the request's log line and to the counts of refused calls. */
export function noteCaller(request: FastifyRequest, { accountId, appId, keyId, environment }: Sender): void {
  noteSubject(request, { accountId, appId, keyId, environment });
}

/** The fields that are known about a request so far. */
export function subjectOf(request: FastifyRequest): RequestSubject {
  return subjects.get(request) ?? {};
}
