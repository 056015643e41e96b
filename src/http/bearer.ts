import type { FastifyRequest } from 'fastify';

/** The credential of `Authorization: Bearer …`; undefined if there is none. */
export function bearerOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}
