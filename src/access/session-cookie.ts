import type { FastifyRequest } from 'fastify';

/**
 * `__Host-`: browsers accept it only with `Secure`, `Path=/` and without `Domain`, so no other host and no unencrypted connection can set
 * it (RFC 6265bis, section 4.1.3.2). Chrome and Firefox treat http://localhost as secure.
 */
export const SESSION_COOKIE = '__Host-weir_session';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The session token in a request's cookie; undefined when there is none or it is malformed. */
export function sessionTokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1));
  // Of two cookies, one was set by another party, and it is unknown which one.
  const [token] = found;
  return found.length === 1 && token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** The value of `Set-Cookie` that sends a session's token to the browser; without a token it deletes the cookie. */
export function sessionCookie(token: string | null, maxAgeSeconds: number): string {
  const value = `${SESSION_COOKIE}=${token ?? ''}; Path=/; Secure; HttpOnly; SameSite=Lax`;
  return `${value}; Max-Age=${token === null ? 0 : maxAgeSeconds}`;
}
