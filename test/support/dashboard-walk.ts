/** The actions of a program and of a pipeline while a person uses the dashboard. */
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import type { DashboardAccount } from './dashboard-accounts.js';
import { policyFile, testBundle } from './deployments.js';
import type { identityClient, IdentityAnswer } from './identity-client.js';
import type { Environment } from './rest-client.js';

type IdentityClient = ReturnType<typeof identityClient>;

/** Sends prompts through the proxy with the provider's own client. */
export function asking(base: string, secret: string): (content: string) => Promise<unknown> {
  const openai = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    baseURL: `${base}/proxy/openai/v1`,
    defaultHeaders: { 'x-service-key': secret },
  });
  return (content) => openai.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
}

/** @returns the secret of a new key of the account's app */
export async function newKey(
  client: IdentityClient,
  { app, cookie }: Pick<DashboardAccount, 'app' | 'cookie'>,
  name: string,
  environment: Environment = 'production',
): Promise<string> {
  return (await client.post(`/v1/apps/${app}/keys`, { name, environment }, cookie)).json.secret;
}

/** Sends events with a key, as a program does that calls its provider by itself. */
export function reporting(client: IdentityClient, secret: string): (event: object) => Promise<IdentityAnswer> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  return (event) => client.send('POST', '/v1/events', headers, JSON.stringify(event));
}

/** Deploys as CI does, but with the session of the page, because no page of the dashboard deploys. */
export async function deployTwice(client: IdentityClient, page: Page): Promise<void> {
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  for (const named of ['First of two', 'Second of two']) await deploy(client, cookie, named);
}

/** @param more is added to the text of the policy */
export async function deploy(client: IdentityClient, cookie: string, named: string, more = ''): Promise<void> {
  const { base } = (await client.get('/v1/policies/production', cookie)).json;
  const file = policyFile(named);
  const bundle = testBundle(named, { files: [{ ...file, text: file.text + more }] });
  const { status, text } = await client.post(
    '/v1/policies/production/deployments',
    { bundle, base, because: named },
    cookie,
  );
  if (status !== 201) throw new Error(`a deployment was answered ${status}: ${text}`);
}
