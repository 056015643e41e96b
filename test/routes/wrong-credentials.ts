/** Every kind of wrong credential, with the expected status. */
import { newCredential } from '../../src/access/credential.js';
import { SESSION_COOKIE } from '../../src/access/index.js';
import type { Expected } from './expectations.js';
import { bearer, mistyped, signedIn, type Tenant, type Tenants } from './tenants.js';

export interface Wrong {
  readonly kind: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The expected status; undefined for routes where the credential is valid. */
  expects(expected: Expected, method: string): number | undefined;
}

type Headers = Wrong['headers'];

/** Invalid credentials: 401 on every route that needs a credential. */
const nobodys = (kind: string, headers: Headers): Wrong => ({ kind, headers, expects: () => 401 });

const NO_COOKIE = 'x'.repeat(43);
const cookieOf = (token: string): string => `${SESSION_COOKIE}=${token}`;
const isUnsafe = (method: string): boolean => method !== 'GET';

/** The credentials that a management route must refuse, in addition to wrong sessions. */
export async function wrongTokens(tenants: Tenants, own: Tenant): Promise<Wrong[]> {
  const [deleted, expired, replaced] = [
    await tenants.token(own.cookie),
    await tenants.token(own.cookie),
    await tenants.token(own.cookie),
  ];
  await tenants.delete(own.cookie, `/v1/tokens/${deleted.id}`);
  await tenants.set(`UPDATE management_tokens SET expires_at = now() WHERE token_id = $1`, expired.id);
  const bound = await tenants.token(own.cookie, { environment: 'staging' });
  // Each token has only one scope; together they lack every scope once.
  const [reader, keeper] = [
    await tenants.token(own.cookie, { scopes: ['policy:read'] }),
    await tenants.token(own.cookie, { scopes: ['keys:admin'] }),
  ];
  const without = (has: string, secret: string): Wrong => ({
    kind: `a token with ${has} alone`,
    headers: bearer(secret),
    expects: ({ scope }) => (scope === undefined || scope === has ? undefined : 403),
  });
  return [
    nobodys('a malformed token', bearer('wt_live_nonsense')),
    nobodys('a token with a wrong checksum', bearer(mistyped(own.token))),
    nobodys('an unknown token', bearer(newCredential('wt_live_').text)),
    nobodys('a token with a wrong secret', bearer(await tenants.wrongSecret('token', replaced))),
    nobodys('a deleted token', bearer(deleted.secret)),
    nobodys('an expired token', bearer(expired.secret)),
    nobodys('a token of a closed account', bearer((await tenants.closed()).token)),
    nobodys('a key', bearer(own.key)),
    nobodys('another scheme', { authorization: `Basic ${own.token}` }),
    nobodys('a wrong token beside a right session', { ...signedIn(own.cookie), ...bearer(mistyped(own.token)) }),
    { kind: 'a token for another environment', headers: bearer(bound.secret), expects: ({ bound: status }) => status },
    without('policy:read', reader.secret),
    without('keys:admin', keeper.secret),
  ];
}

const ELSEWHERE: readonly Headers[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
/** Routes without credentials must also refuse requests from other sites. */
export const FROM_ELSEWHERE: readonly Wrong[] = ELSEWHERE.map((headers) => ({
  kind: `a request from ${Object.values(headers).join()}`,
  headers,
  expects: (_expected, method) => (isUnsafe(method) ? 403 : undefined),
}));

export async function wrongSessions(tenants: Tenants, own: Tenant): Promise<Wrong[]> {
  const [ended, expired, unused, stale] = [
    await tenants.again(own),
    await tenants.again(own),
    await tenants.again(own),
    await tenants.again(own),
  ];
  const dated = async (column: string, minutes: number, cookie: string): Promise<void> =>
    tenants.set(
      `UPDATE sessions SET ${column} = now() - interval '${minutes} minutes' WHERE id = $1::uuid`,
      await tenants.sessionId(cookie),
    );
  await tenants.delete(own.cookie, `/auth/sessions/${await tenants.sessionId(ended)}`);
  await dated('expires_at', 0, expired);
  await dated('last_seen_at', 31, unused);
  await dated('authenticated_at', 11, stale);
  const fromElsewhere = (kind: string, headers: Headers): Wrong => ({
    kind,
    headers: { cookie: own.cookie, ...headers },
    expects: (_expected, method) => (isUnsafe(method) ? 403 : undefined),
  });
  return [
    nobodys('a malformed session', signedIn(cookieOf('nonsense'))),
    nobodys('an unknown session', signedIn(cookieOf(NO_COOKIE))),
    nobodys('two sessions', signedIn(`${own.cookie}; ${cookieOf(NO_COOKIE)}`)),
    nobodys('an ended session', signedIn(ended)),
    nobodys('an expired session', signedIn(expired)),
    nobodys('a session that nobody used', signedIn(unused)),
    nobodys('a session of a closed account', signedIn((await tenants.closed()).cookie)),
    {
      kind: 'an unverified member',
      headers: signedIn(await tenants.unverified()),
      expects: ({ early }) => (early === true ? undefined : 403),
    },
    {
      kind: 'a session whose password was entered long ago',
      headers: signedIn(stale),
      expects: ({ sensitive }) => (sensitive === true ? 403 : undefined),
    },
    fromElsewhere('a session from another site', { 'sec-fetch-site': 'cross-site' }),
    fromElsewhere('a session from a sister site', { 'sec-fetch-site': 'same-site' }),
    fromElsewhere('a session from another origin', { origin: 'https://evil.example' }),
    fromElsewhere('a session from nowhere', {}),
  ];
}

/** The credentials that routes for keys must refuse. `as` puts a credential into the header that the route reads. */
export async function wrongKeys(tenants: Tenants, own: Tenant, as: (key: string) => Headers): Promise<Wrong[]> {
  const { cookie, things } = own;
  const [deleted, expired, replaced] = [
    await tenants.key(cookie, things.app),
    await tenants.key(cookie, things.app),
    await tenants.key(cookie, things.app),
  ];
  await tenants.delete(cookie, `/v1/apps/${things.app}/keys/${deleted.id}`);
  await tenants.set('UPDATE api_keys SET expires_at = now() WHERE key_id = $1', expired.id);
  const unpaid = async (kind: string, status: 402 | 429, change: string): Promise<Wrong> => {
    const tenant = await tenants.tenant(kind);
    const account = await tenants.accountId(tenant.cookie);
    await tenants.set(`UPDATE subscriptions SET ${change} WHERE account_id = $1::uuid`, account);
    return { kind, headers: as(tenant.key), expects: ({ anyStanding }) => (anyStanding === true ? undefined : status) };
  };
  return [
    nobodys('no credential', {}),
    nobodys('a malformed key', as('sk_live_nonsense')),
    nobodys('a key with a wrong checksum', as(mistyped(own.key))),
    nobodys('an unknown key', as(newCredential('sk_live_').text)),
    nobodys('a key with a wrong secret', as(await tenants.wrongSecret('key', replaced))),
    nobodys('a deleted key', as(deleted.secret)),
    nobodys('an expired key', as(expired.secret)),
    nobodys('a key of an archived app', as(await tenants.archivedKey(own))),
    nobodys('a key of a closed account', as((await tenants.closed()).key)),
    nobodys('a management token', as(own.token)),
    nobodys('a session', signedIn(own.cookie)),
    await unpaid('an inactive account', 402, "state = 'inactive'"),
    await unpaid('a lapsed account', 402, "state = 'lapsed'"),
    await unpaid('an account whose trial is over', 429, "trial_started_at = now() - interval '15 days'"),
  ];
}
