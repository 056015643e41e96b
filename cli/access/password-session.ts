import type { z } from 'zod';
import { ApiClient } from '../api/api-client.js';
import { apiErrorOf } from '../api/api-error.js';
import { isRedirect, redirected, unreachable } from '../api/unreachable.js';
import { ApiError } from '../api/index.js';
import type { Io } from '../io.js';
import { CREATED_TOKEN } from './answers.js';

/** The data for signing in with a password. */
export interface PasswordLogin {
  readonly url: string;
  readonly email: string;
  readonly password: string;
  readonly timeoutMs: number;
}

/** The token to create. */
export interface WantedToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

/**
 * Signs in with a password, creates a management token and signs out: only the token remains.
 *
 * @throws ApiError
 */
export async function tokenByPassword(
  login: PasswordLogin,
  wanted: WantedToken,
  io: Io,
): Promise<z.infer<typeof CREATED_TOKEN>> {
  const cookie = await signIn(login, io);
  const client = new ApiClient({ url: login.url, cookie }, io, login.timeoutMs);
  try {
    const parsed = CREATED_TOKEN.safeParse(await client.post('/v1/tokens', wanted, 'weir tokens list'));
    if (!parsed.success) throw notWeir(login.url);
    return parsed.data;
  } finally {
    // A failed sign-out is ignored: the session expires within hours, and the created token must not be lost.
    await client.post('/auth/logout', {}).catch(() => undefined);
  }
}

/** Signs in and returns the session cookie. Never retries: every attempt counts towards the rate limit of the client's IP address. */
async function signIn({ url, email, password, timeoutMs }: PasswordLogin, io: Io): Promise<string> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), io.signal]);
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    redirect: 'manual',
    signal,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }).catch((error: unknown) => {
    throw unreachable(url, error, io.env);
  });
  if (isRedirect(response)) throw redirected(response, url);
  const text = await response.text();
  if (!response.ok) throw apiErrorOf(response.status, text, url);
  const [cookie] = response.headers.getSetCookie().map((one) => one.replace(/;.*/s, ''));
  if (cookie === undefined) throw notWeir(url);
  return cookie;
}

function notWeir(url: string): ApiError {
  return new ApiError(0, 'bad_answer', `${url} is not a Weir server of this version`);
}
