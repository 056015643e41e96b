/** Accounts for tests of the dashboard: a new one without calls, one with a single call, one with many calls. */
import type { Browser, BrowserContext } from 'playwright-core';
import { policyFile, testBundle } from './deployments.js';
import { identityClient, PASSWORD } from './identity-client.js';
import { storeCalls } from './many-calls.js';
import type { TestApp } from './test-app.js';

export type AccountSize = 'never' | 'one' | 'many';

export interface DashboardAccount {
  readonly email: string;
  readonly cookie: string;
  readonly app: string;
  /** The id of a call; a random one if the account has no calls. */
  readonly event: string;
  readonly session: string;
  /** The id of an export schedule; a random one if the account has none. */
  readonly schedule: string;
}

/** The answer to a creation: an id for apps and schedules, a secret and the key itself for keys. */
interface Made {
  readonly id: string;
  readonly secret: string;
  readonly key: { readonly id: string };
}

const TEXTS = ['hello', 'write to mail-1', 'my number is ssn-7', 'the token-3 again', 'مرحبا hello'];
/** Number of calls sent through the API; `WEIR_TEST_MANY` sets the total, and the remaining calls are stored without being judged. */
export const MANY = 40;
const MORE = Math.max(0, Number(process.env['WEIR_TEST_MANY'] ?? MANY) - MANY);
const BUDGET = `
budgets:
  - id: team-day
    scope: [metadata.team]
    window: { per: day, timezone: UTC }
    limit: { usd: 1 }
    on_exceed: record
`;
const EXCEPTION = `
exceptions:
  - id: EX-1
    rules: [words.flag-token]
    when: { metadata.team: { eq: team 2 } }
    client_controlled: accepted
    because: Their tests send such words
    approved_by: dpo@example.com
    ticket: SEC-1
    expires: 2099-01-01T00:00:00Z
`;

/** Signs up, and fills the account with contents of this size for all pages. */
export async function dashboardAccount(current: () => TestApp, size: AccountSize): Promise<DashboardAccount> {
  const client = identityClient(current);
  const email = `${size}@example.com`;
  const cookie = await client.member(email);
  if (size === 'never')
    return { email, cookie, app: 'new', event: crypto.randomUUID(), session: 'none', schedule: crypto.randomUUID() };
  const post = async (path: string, body: object): Promise<Made> => {
    const answer = await client.post(path, body, cookie);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  };
  const app = await post('/v1/apps', { name: `${size} قائمة` });
  const key = await post(`/v1/apps/${app.id}/keys`, { name: 'first', environment: 'production' });
  if (size === 'many') {
    for (const title of ['First of two', 'Second of two']) {
      const file = policyFile(title);
      const bundle = testBundle(title, { files: [{ ...file, text: file.text + BUDGET + EXCEPTION }] });
      const { base } = (await client.get('/v1/policies/production', cookie)).json;
      await post('/v1/policies/production/deployments', { bundle, base, because: title });
    }
  }
  for (let n = 0; n < (size === 'one' ? 1 : MANY); n++) {
    const { status, text } = await client.send(
      'POST',
      '/v1/events',
      { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      JSON.stringify({
        type: 'ai.request',
        request_id: `call-${n}`,
        provider: 'openai',
        model: `gpt-4o${n % 3 === 0 ? '-mini' : ''}`,
        metadata: { team: `team ${n % 3}`, session_id: `s-${n % 4}` },
        payload: { messages: [{ role: 'user', content: TEXTS[n % TEXTS.length] }] },
      }),
    );
    // Blocked calls are answered with 400.
    if (status !== 200 && status !== 400) throw new Error(`an event was answered ${status}: ${text}`);
  }
  if (size === 'many' && MORE > 0) {
    const { account } = (await client.get('/v1/me', cookie)).json;
    await storeCalls(current(), { accountId: account.id, appId: app.id, keyId: key.key.id }, MORE);
  }
  const schedule = await post('/v1/export-schedules', {
    ...{ name: `nightly ${size} قائمة`, due: { every: 'week', weekday: 'monday', hour: 2 }, format: 'csv', bom: true },
    filters: { 'not.model': 'gpt-4o', 'metadata.team': 'team 1' },
  });
  const { data } = (await client.get('/v1/events?limit=1&type=ai.request', cookie)).json;
  return { email, cookie, app: app.id, event: data[0].id, session: 's-0', schedule: schedule.id };
}

/** Opens a browser context in which the account's person is signed in. */
export async function signedIn(
  browser: Browser,
  base: string,
  { email }: DashboardAccount,
  options: { readonly viewport?: { width: number; height: number }; readonly colorScheme?: 'light' | 'dark' } = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${base}/auth/login?next=/more`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/more');
  await page.close();
  return context;
}
