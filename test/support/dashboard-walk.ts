/** The actions of a program and of a pipeline while a person uses the dashboard. */
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { policyFile, testBundle } from './deployments.js';
import type { identityClient } from './identity-client.js';

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

/** Deploys as CI does, but with the session of the page, because no page of the dashboard deploys. */
export async function deployTwice(client: IdentityClient, page: Page): Promise<void> {
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  for (const named of ['First of two', 'Second of two']) await deploy(client, cookie, named);
}

export async function deploy(client: IdentityClient, cookie: string, named: string): Promise<void> {
  const { base } = (await client.get('/v1/policies/production', cookie)).json as { readonly base: object };
  const bundle = testBundle(named, { files: [policyFile(named)] });
  const { status, text } = await client.post(
    '/v1/policies/production/deployments',
    { bundle, base, because: named },
    cookie,
  );
  if (status !== 201) throw new Error(`a deployment was answered ${status}: ${text}`);
}
