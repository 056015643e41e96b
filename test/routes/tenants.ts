/** Two accounts with one object of each kind, and members and credentials in every invalid state, on one running service. */
import { newCredential } from '../../src/access/credential.js';
import { TOKEN_SCOPES, type TokenScope } from '../../src/core/index.js';
import { Database } from '../../src/database/index.js';
import { PolicyApi, policyFile, testBundle } from '../support/deployments.js';
import { identityClient } from '../support/identity-client.js';
import type { Answer } from '../support/rest-client.js';
import type { TestApp } from '../support/test-app.js';
import { MEMBER_PASSWORD, type Things } from './expectations.js';

/** A text in all objects of the other account; no answer to anybody else may contain it. */
export const CANARY = 'canary-zebra';
/** A rule of every policy, which no event of these accounts fires. */
export const RULE = 'words.block-ssn';
export const UNKNOWN: Things = {
  app: '00000000-0000-4000-8000-00000000dead',
  key: 'unknownkeyid',
  token: 'unknowntoken',
  session: '00000000-0000-4000-8000-00000000beef',
  event: 'event-unknown',
  number: '77',
  budget: 'budget-unknown',
  period: '00000000-0000-4000-8000-00000000feed',
  export: '00000000-0000-4000-8000-00000000f11e',
  schedule: '00000000-0000-4000-8000-0000000c10c4',
  erasure: '00000000-0000-4000-8000-0000000e4a5e',
  view: '00000000-0000-4000-8000-00000000face',
  item: 'key_unused:unknownkeyid',
  call: '00000000-0000-7000-8000-00000000ca11',
};

/** A member's account: its credentials and its objects. */
export interface Tenant {
  readonly cookie: string;
  /** A management token with every scope. */
  readonly token: string;
  readonly key: string;
  readonly things: Things;
}

type Headers = Readonly<Record<string, string>>;

export const bearer = (credential: string): Headers => ({ authorization: `Bearer ${credential}` });
/** The headers of a browser on a page of the service. */
export const signedIn = (cookie: string): Headers => ({ cookie, 'sec-fetch-site': 'same-origin' });

export class Tenants {
  private count = 0;
  /** The schedule of the previous call of `fresh`. */
  private used = UNKNOWN.schedule;

  constructor(private readonly app: TestApp) {}

  private get client() {
    return identityClient(() => this.app);
  }

  private get sql() {
    return this.app.weir.app.get(Database).sql;
  }

  /** Creates an object, or fails the suite. */
  private async made(cookie: string, path: string, body: object): Promise<Answer['json']> {
    const { status, json } = await this.client.post(path, body, cookie);
    if (status !== 201) throw new Error(`${path} was answered ${status}`);
    return json;
  }

  /** An account with an app, a key and a token, all named after `name`. */
  async tenant(name: string): Promise<Tenant> {
    const cookie = await this.member(name);
    const app = (await this.made(cookie, '/v1/apps', { name: `${name} app` })).id as string;
    const key = await this.made(cookie, `/v1/apps/${app}/keys`, { name: `${name} key`, environment: 'production' });
    const token = await this.token(cookie, {}, name);
    const { data } = (await this.client.get('/auth/sessions', cookie)).json as { data: { id: string }[] };
    const ids = { app, key: key.key.id, token: token.id, session: data[0]!.id, item: `key_unused:${key.key.id}` };
    return { cookie, token: token.secret, key: key.secret, things: { ...UNKNOWN, ...ids } };
  }

  /** The same with slow objects: an event, a used budget, an export, and deployments, one of which is named. */
  async fullTenant(name: string, deployments: number, number: number): Promise<Tenant> {
    const { things, ...tenant } = await this.tenant(name);
    const budget = `budget-${name.replaceAll(' ', '-')}`;
    const api = this.policies(tenant.token);
    await api.deploy(bundleWithBudget(name, budget));
    const event = `event-of-${this.count}`;
    const body = {
      ...{ type: 'ai.response', request_id: `r ${name}`, event_id: event, model: 'm', metadata: { name } },
      payload: { output: name, cost_usd: 0.5 },
    };
    const sent = await this.client.post('/v1/events', body, undefined, bearer(tenant.key));
    if (sent.status !== 200) throw new Error(`an event was answered ${sent.status}`);
    const { data } = (await this.client.get('/v1/budgets', tenant.cookie)).json as { data: { period_id: string }[] };
    const period = data[0]?.period_id;
    if (typeof period !== 'string') throw new Error('no budget was used');
    for (let count = 1; count < deployments; count += 1) await api.rollback(count - 1, name);
    const exported = await this.export(tenant.cookie, name);
    const view = await this.view(tenant.cookie, name);
    const schedule = await this.schedule(tenant.cookie, name);
    await this.mark(tenant.cookie, event, name);
    const wanted = { session: 'of nobody', dry_run: true, because: name };
    const erasure = (await this.made(tenant.cookie, '/v1/erasures', wanted)).id as string;
    const call = await this.askedCall(tenant.key);
    const made = { event, budget, period, view, schedule, erasure, call, export: exported, number: String(number) };
    return { ...tenant, things: { ...things, ...made } };
  }

  /** The id of a call that Weir has allowed. */
  private async askedCall(key: string): Promise<string> {
    const response = await fetch(`${this.app.url}/v1/calls/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    });
    const id = response.headers.get('x-weir-call');
    if (id === null) throw new Error(`a call was answered ${response.status}`);
    return id;
  }

  policies(token: string): PolicyApi {
    return new PolicyApi({ url: this.app.url, bootstrap: { token } });
  }

  /** The session cookie of a member who has signed up, confirmed the address and signed in. */
  member(name = 'somebody'): Promise<string> {
    return this.client.member(this.address(name), MEMBER_PASSWORD);
  }

  async unverified(): Promise<string> {
    const email = this.address('early');
    await this.client.signUp(email, MEMBER_PASSWORD);
    await this.client.settle();
    return this.client.login(email, MEMBER_PASSWORD);
  }

  /** Another session of an existing member. */
  async again(tenant: Tenant): Promise<string> {
    const { json } = await this.client.get('/auth/session', tenant.cookie);
    return this.client.login(json.person.email as string, MEMBER_PASSWORD);
  }

  async token(
    cookie: string,
    more: { readonly scopes?: readonly TokenScope[]; readonly environment?: string } = {},
    name = 'token',
  ): Promise<{ id: string; secret: string }> {
    const { token, secret } = await this.made(cookie, '/v1/tokens', { name, scopes: TOKEN_SCOPES, ...more });
    return { id: token.id, secret };
  }

  /** New objects of an account that a test can delete. */
  async fresh(tenant: Tenant): Promise<Things> {
    const { cookie, things } = tenant;
    const app = (await this.made(cookie, '/v1/apps', { name: `fresh ${(this.count += 1)}` })).id as string;
    const key = await this.key(cookie, app);
    const token = await this.token(cookie);
    const session = await this.sessionId(await this.again(tenant));
    const view = await this.view(cookie, `fresh ${this.count}`);
    await this.mark(cookie, things.event, 'fresh');
    // The number of schedules is limited.
    await this.client.send('DELETE', `/v1/export-schedules/${this.used}`, signedIn(cookie));
    const schedule = (this.used = await this.schedule(cookie, 'fresh'));
    const made = { app, key: key.id, token: token.id, session, view, schedule };
    return { ...things, ...made, export: await this.export(cookie, 'fresh') };
  }

  /** A shared view, which all administrators of the account may change. */
  private async view(cookie: string, name: string): Promise<string> {
    const query = new URLSearchParams({ 'metadata.name': name }).toString();
    return (await this.made(cookie, '/v1/views', { page: 'events', name, query, shared: true })).id as string;
  }

  /** A schedule of exports. */
  private async schedule(cookie: string, name: string): Promise<string> {
    const body = { name, due: { every: 'day', hour: 2 }, format: 'jsonl', filters: { 'metadata.name': name } };
    return (await this.made(cookie, '/v1/export-schedules', body)).id as string;
  }

  private async mark(cookie: string, event: string, note: string): Promise<void> {
    const headers = { 'content-type': 'application/json', ...signedIn(cookie) };
    const body = JSON.stringify({ mark: 'missed', note });
    const { status } = await this.client.send('PUT', `/v1/events/${event}/marks/${RULE}`, headers, body);
    if (status !== 200) throw new Error(`a mark was answered ${status}`);
  }

  /** A finished export. */
  async export(cookie: string, name: string): Promise<string> {
    const { id } = await this.made(cookie, '/v1/exports', { format: 'jsonl', filters: { 'metadata.name': name } });
    for (;;) {
      const { state } = (await this.client.get(`/v1/exports/${id}`, cookie)).json as { state: string };
      if (state === 'done') return id as string;
      if (state !== 'queued' && state !== 'running') throw new Error(`an export came to be ${state}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async key(cookie: string, app: string): Promise<{ id: string; secret: string }> {
    const { key, secret } = await this.made(cookie, `/v1/apps/${app}/keys`, { name: 'k', environment: 'production' });
    return { id: key.id, secret };
  }

  /** Credentials of an account that was closed. */
  async closed(): Promise<Tenant> {
    const tenant = await this.tenant(`closed ${this.count}`);
    await this.client.post('/auth/close-account', { password: MEMBER_PASSWORD }, tenant.cookie);
    return tenant;
  }

  async archivedKey({ cookie }: Tenant): Promise<string> {
    const { id } = await this.made(cookie, '/v1/apps', { name: 'archived' });
    const { secret } = await this.key(cookie, id);
    await this.delete(cookie, `/v1/apps/${id}`);
    return secret;
  }

  async delete(cookie: string, path: string): Promise<void> {
    const { status } = await this.client.send('DELETE', path, signedIn(cookie));
    if (status !== 204) throw new Error(`${path} was answered ${status}`);
  }

  /** A well-formed credential with the id of an existing one and another secret. */
  async wrongSecret(kind: 'key' | 'token', { id }: { readonly id: string }): Promise<string> {
    const { text, id: taken } = newCredential(kind === 'key' ? 'sk_live_' : 'wt_live_');
    // The row keeps the digest of the real secret.
    const [table, column] = kind === 'key' ? ['api_keys', 'key_id'] : ['management_tokens', 'token_id'];
    await this.set(`UPDATE ${table} SET ${column} = '${taken}' WHERE ${column} = $1`, id);
    return text;
  }

  /** Changes data that no route changes: dates and payments. `$1` is the value of `of`. */
  async set(statement: string, of: string): Promise<void> {
    const rows = await this.sql.query(`${statement} RETURNING 1 AS one`, [of]);
    if (rows.length !== 1) throw new Error('nothing was set');
  }

  async accountId(cookie: string): Promise<string> {
    return (await this.client.get('/auth/session', cookie)).json.account.id as string;
  }

  async sessionId(cookie: string): Promise<string> {
    return (await this.client.get('/auth/session', cookie)).json.session.id as string;
  }

  private address(name: string): string {
    return `${name.replaceAll(' ', '-')}-${(this.count += 1)}@example.com`;
  }
}

/** The credential with one changed character of the secret, so that the checksum does not match. */
export function mistyped(credential: string): string {
  const at = credential.length - 10;
  return `${credential.slice(0, at)}${credential[at] === 'x' ? 'y' : 'x'}${credential.slice(at + 1)}`;
}

function bundleWithBudget(name: string, budget: string) {
  const file = policyFile(name);
  const budgets = `budgets:\n  - { id: ${budget}, scope: [app], limit: { usd: 100 }, window: { per: total, timezone: UTC } }\n`;
  return testBundle(name, { files: [{ ...file, text: file.text.replace('detectors:', `${budgets}detectors:`) }] });
}
