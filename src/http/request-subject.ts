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

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields of the log line so far; the request is the only object that all code with such a field has access to. */
    notedSubject?: { -readonly [Name in keyof RequestSubject]: RequestSubject[Name] } | undefined;
  }
}

/** Adds fields to the request's log line. Pass only ids of the service, never text from the client. */
export function noteSubject(request: FastifyRequest, subject: RequestSubject): void {
  const known = request.notedSubject;
  if (known === undefined) request.notedSubject = { ...subject };
  else Object.assign(known, subject);
}

type Sender = Required<Pick<RequestSubject, 'accountId' | 'appId' | 'keyId' | 'environment'>>;

/** Adds the sender of a call to the request's log line and to the counts of refused calls. */
export function noteCaller(request: FastifyRequest, { accountId, appId, keyId, environment }: Sender): void {
  noteSubject(request, { accountId, appId, keyId, environment });
}

/** The fields that are known about a request so far. */
export function subjectOf(request: FastifyRequest): RequestSubject {
  return request.notedSubject ?? {};
}
