/** The credentials that every route accepts, and its expected answers: the only table behind the generated matrix. */
import { policyFile } from '../support/deployments.js';
import type { TokenScope } from '../../src/core/index.js';

/** Kinds of objects of an account that requests name. */
export type Thing =
  | 'app'
  | 'key'
  | 'token'
  | 'session'
  | 'event'
  | 'number'
  | 'budget'
  | 'period'
  | 'export'
  | 'schedule'
  | 'erasure'
  | 'view'
  | 'item'
  | 'call';
export type Things = Readonly<Record<Thing, string>>;

/** The base of the account's next deployment, and a bundle for it. */
export interface Deploying {
  readonly base: object;
  readonly bundle?: object;
}

/**
 * The credential of a route. `page` is a route without OpenAPI documentation: pages for people, what browsers send by themselves, and the
 * document itself.
 */
export type Takes = 'manager' | 'member' | 'key' | 'proxy' | 'signature' | 'open' | 'page';

export interface Expected {
  readonly takes: Takes;
  /** The status of a valid request. */
  readonly ok: number;
  /** The required scope of a management token; if absent, any token is accepted. */
  readonly scope?: TokenScope;
  /** The status for a token of another environment; if absent, such a token is accepted. */
  readonly bound?: 403 | 404;
  /** Members are accepted before their address is verified. */
  readonly early?: true;
  /** A session requires its password again after ten minutes. */
  readonly sensitive?: true;
  /** Objects in the path, in order (without `{environment}`, `{rule}` and the proxy's parameters), then other named objects. */
  readonly names?: readonly Thing[];
  /** The status for another account's objects and for unknown objects; the default is 404. */
  readonly foreign?: number;
  readonly query?: (things: Things) => Readonly<Record<string, string>>;
  readonly body?: (things: Things, deploying: Deploying) => unknown;
  /** Headers that are sent with every credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The request deletes the objects that it names, or invalidates the member or the session that sends it. */
  readonly spends?: 'things' | 'member';
  /** The route is free of charge or ends a running call, so accounts that may not start new calls are accepted. */
  readonly anyStanding?: true;
  /** The answer never ends: only its head is read. */
  readonly endless?: true;
}

const because = 'the matrix';
const named = () => ({ name: `made-${Math.random().toString(36).slice(2)}` });
const byPeriod = ({ period }: Things) => ({ period_id: period });
const byApp = ({ app }: Things) => ({ app });
const byEvent = ({ call }: Things): Readonly<Record<string, string>> => (call === '' ? {} : { event: call });
const byCall = ({ call }: Things) => ({ call });
const byNumber = ({ number }: Things) => ({ deployment: number });
const PASSWORD = 'member of the ' + 'matrix';
const any = { takes: 'manager', ok: 200 } as const;
const keys = { takes: 'manager', ok: 200, scope: 'keys:admin' } as const;
const admin = { takes: 'manager', ok: 200, scope: 'account:admin' } as const;
const policies = { takes: 'manager', ok: 200, scope: 'policy:read', bound: 403 } as const;
const events = { takes: 'manager', ok: 200, scope: 'events:read' } as const;
const marking = { takes: 'manager', ok: 200, scope: 'events:mark', bound: 404, names: ['event'] } as const;
const erasing = { takes: 'manager', ok: 200, scope: 'events:erase' } as const;
const member = { takes: 'member', ok: 200 } as const;
const open = { takes: 'open', ok: 200 } as const;
const page = { takes: 'page', ok: 200 } as const;
const chat = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };
const proxied = { takes: 'proxy', ok: 200, body: () => chat } as const;
const said = { parts: [{ text: 'hello' }] };
const gemini = { takes: 'proxy', ok: 200, body: () => ({ contents: [said] }) } as const;

export const MEMBER_PASSWORD = PASSWORD;

export const EXPECTED: Readonly<Record<string, Expected>> = {
  'GET /v1/account': any,
  'GET /v1/me': any,
  'GET /v1/apps': any,
  'POST /v1/apps': { ...admin, ok: 201, bound: 403, body: named },
  'GET /v1/apps/{app}': { ...any, names: ['app'] },
  'GET /v1/apps/{app}/reception': { ...events, names: ['app'] },
  'PATCH /v1/apps/{app}': { ...admin, bound: 403, names: ['app'], body: named },
  'DELETE /v1/apps/{app}': { ...admin, ok: 204, bound: 403, names: ['app'], spends: 'things' },
  'GET /v1/audit': { ...admin, bound: 403, names: ['app'], foreign: 200, query: ({ app }) => ({ subject: app }) },
  'GET /v1/keys': keys,
  'GET /v1/apps/{app}/keys': { ...keys, names: ['app'] },
  'POST /v1/apps/{app}/keys': {
    ...{ ...keys, ok: 201, bound: 403, sensitive: true, names: ['app'] },
    body: () => ({ ...named(), environment: 'production' }),
  },
  'POST /v1/apps/{app}/keys/{id}/rotate': {
    ...{ ...keys, ok: 201, bound: 404, sensitive: true, names: ['app', 'key'], body: () => ({}) },
  },
  'DELETE /v1/apps/{app}/keys/{id}': { ...keys, ok: 204, bound: 404, names: ['app', 'key'], spends: 'things' },
  'GET /v1/tokens': admin,
  'POST /v1/tokens': {
    ...{ ...admin, ok: 201, bound: 403, sensitive: true },
    body: () => ({ ...named(), scopes: ['events:read'] }),
  },
  'DELETE /v1/tokens/{id}': { ...admin, ok: 204, bound: 404, names: ['token'], spends: 'things' },
  'GET /v1/policies/{environment}': policies,
  'GET /v1/policies/{environment}/bundle': policies,
  'GET /v1/policies/{environment}/deployments': policies,
  'GET /v1/policies/{environment}/deployments/{number}': { ...policies, names: ['number'] },
  'GET /v1/policies/{environment}/deployments/{number}/bundle': { ...policies, names: ['number'] },
  'GET /v1/policies/{environment}/rules': { ...policies, names: ['number'], query: byNumber },
  'GET /v1/policies/{environment}/rules/stats': {
    // A past day: otherwise each answer would contain the end of its counting.
    ...{ ...policies, query: () => ({ from: '2026-01-01', to: '2026-01-02' }) },
  },
  'GET /v1/policies/{environment}/exceptions': { ...policies, names: ['number'], query: byNumber },
  'GET /v1/policies/{environment}/diff': {
    ...{ ...policies, names: ['number'], query: ({ number }) => ({ from: number }) },
  },
  'POST /v1/policies/{environment}/evaluate': {
    ...{ ...policies, names: ['number'], body: ({ number }) => ({ deployment: Number(number), text: 'hello' }) },
  },
  'POST /v1/policies/{environment}/rollback': {
    ...{ ...policies, ok: 201, scope: 'policy:rollback', names: ['number'], foreign: 422 },
    body: ({ number }, { base }) => ({ to: Number(number), base, because }),
  },
  'POST /v1/policies/{environment}/deployments': {
    ...{ ...policies, ok: 201, scope: 'policy:deploy' },
    body: (_things, { base, bundle }) => ({ base, bundle }),
  },
  'POST /v1/policies/{environment}/emergency': {
    ...{ ...policies, ok: 201, scope: 'policy:emergency' },
    body: (_things, { base }) => ({ base, because, changes: [policyFile('Changed')] }),
  },
  'POST /v1/events': {
    ...{ takes: 'key', ok: 200 },
    body: () => ({ type: 'ai.request', request_id: 'r', payload: { prompt: 'hello' } }),
  },
  'POST /v1/events:batch': {
    // An account without a subscription gets the refusal in the result of each event.
    ...{ takes: 'key', ok: 200, anyStanding: true },
    body: () => [{ type: 'ai.request', request_id: 'r', payload: { prompt: 'hello' } }],
  },
  'POST /v1/calls/{provider}/{path}': { takes: 'key', ok: 204, body: () => chat },
  'POST /v1/calls/{call}/answer': {
    ...{
      takes: 'key',
      ok: 200,
      anyStanding: true,
      names: ['call'],
      headers: { 'x-weir-status': '200' },
      body: () => ({}),
    },
  },
  'POST /v1/calls/answers': {
    // The answer repeats the id that was sent, so call-checks.spec.ts compares foreign and unknown calls instead of the matrix.
    ...{ takes: 'key', ok: 200, anyStanding: true, headers: { 'content-type': 'application/vnd.weir.answers' } },
    body: ({ call }) => `${JSON.stringify({ call, status: 200, length: 2 })}\n{}\n`,
  },
  'GET /v1/calls/routes': { takes: 'key', ok: 200, anyStanding: true },
  'GET /v1/events': { ...events, names: ['app'], foreign: 200, query: byApp },
  'GET /v1/events/count': { ...events, names: ['call'], foreign: 200, query: byCall },
  'GET /v1/events/facets': { ...events, names: ['app'], foreign: 200, query: byApp },
  'GET /v1/events/export': { ...events, names: ['app'], foreign: 200, query: byApp },
  'GET /v1/events/tail': { ...events, names: ['app'], foreign: 200, query: byApp, endless: true },
  'GET /v1/stats': {
    ...{ ...events, names: ['app'], foreign: 200 },
    // A past day: otherwise each answer would contain the time until which it is complete.
    query: ({ app }) => ({ app, from: '2026-01-01', to: '2026-01-02' }),
  },
  'GET /v1/sessions': { ...events, names: ['app'], foreign: 200, query: byApp },
  'GET /v1/exports': events,
  'POST /v1/exports': { ...events, ok: 201, body: () => ({ format: 'csv', filters: { type: 'ai.request' } }) },
  'POST /v1/exports/buckets/test': {
    ...events,
    body: () => ({
      ...{ kind: 's3', bucket: 'a-bucket', region: 'us-east-1', endpoint: 'https://localhost:1' },
      credentials: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'none' },
    }),
  },
  'GET /v1/exports/{id}': { ...events, bound: 404, names: ['export'] },
  'GET /v1/exports/{id}/file': { ...events, bound: 404, names: ['export'] },
  'PATCH /v1/exports/{id}': { ...events, bound: 404, names: ['export'], body: () => ({ paused: false }) },
  'DELETE /v1/exports/{id}': { ...events, ok: 204, bound: 404, names: ['export'], spends: 'things' },
  'GET /v1/export-schedules': events,
  'POST /v1/export-schedules': {
    ...{ ...events, ok: 201, sensitive: true },
    body: () => ({ ...named(), due: { every: 'day', hour: 2 }, format: 'csv', filters: { type: 'ai.request' } }),
  },
  'GET /v1/export-schedules/{id}': { ...events, bound: 404, names: ['schedule'] },
  'GET /v1/export-schedules/{id}/runs': { ...events, bound: 404, names: ['schedule'] },
  'PATCH /v1/export-schedules/{id}': {
    ...{ ...events, bound: 404, sensitive: true, names: ['schedule'], body: () => ({ paused: false }) },
  },
  'DELETE /v1/export-schedules/{id}': { ...events, ok: 204, bound: 404, names: ['schedule'], spends: 'things' },
  'GET /v1/erasures': erasing,
  // A dry run, which deletes nothing that the matrix needs.
  'POST /v1/erasures': {
    ...{ ...erasing, ok: 201, sensitive: true },
    body: () => ({ session: 'a session of nobody', dry_run: true }),
  },
  'GET /v1/erasures/{id}': { ...erasing, bound: 404, names: ['erasure'] },
  'GET /v1/events/{id}': { ...events, bound: 404, names: ['event'] },
  'PUT /v1/events/{id}/marks/{rule}': { ...marking, body: () => ({ mark: 'missed', note: 'a note' }) },
  'DELETE /v1/events/{id}/marks/{rule}': { ...marking, ok: 204, spends: 'things' },
  'GET /v1/marks': events,
  'GET /v1/events/{id}/explain': { ...events, bound: 404, names: ['event'] },
  'GET /v1/events/{id}/test': { ...events, bound: 404, names: ['event'] },
  'GET /v1/budgets': { ...events, names: ['call'], foreign: 200, query: byEvent },
  'GET /v1/budgets/{id}': { ...events, bound: 404, names: ['budget'] },
  'GET /v1/budgets/{id}/series': { ...events, bound: 404, names: ['budget', 'period'], query: byPeriod },
  'GET /v1/budgets/{id}/entries': { ...events, bound: 404, names: ['budget', 'period'], query: byPeriod },
  'POST /v1/budgets/{id}/adjustments': {
    ...{ ...events, scope: 'budgets:admin', bound: 403, names: ['budget', 'period'] },
    body: ({ period }) => ({ period_id: period, amount: '0.01', because }),
  },
  'GET /v1/budget-audit': events,
  'GET /v1/attention': events,
  // A snooze hides an item only from its own member: an unknown id hides nothing.
  'PUT /v1/attention/{id}/snooze': {
    ...{ ...events, ok: 204, names: ['item'], foreign: 204 },
    body: () => ({ until: new Date(Date.now() + 60_000).toISOString() }),
  },
  'GET /v1/views': events,
  'POST /v1/views': { ...events, ok: 201, body: () => ({ page: 'events', query: 'decision=block', ...named() }) },
  'PATCH /v1/views/{id}': { ...events, names: ['view'], body: named },
  'DELETE /v1/views/{id}': { ...events, ok: 204, names: ['view'], spends: 'things' },
  'GET /v1/subscription': any,
  // Checkout is not configured in these tests: even a valid request gets 404.
  'POST /v1/subscription/checkout': { ...admin, ok: 404, bound: 403 },
  'POST /v1/subscription/portal': { ...admin, ok: 404, bound: 403 },
  'POST /webhooks/stripe': { takes: 'signature', ok: 204, body: () => ({ id: 'evt_1', object: 'event', type: 'x' }) },
  'GET /auth/session': { ...member, early: true },
  'GET /auth/sessions': member,
  'DELETE /auth/sessions/{id}': { ...member, ok: 204, names: ['session'], spends: 'things' },
  'POST /auth/reauthenticate': { ...member, body: () => ({ password: PASSWORD }), spends: 'member' },
  'POST /auth/password': {
    ...member,
    body: () => ({ current_password: PASSWORD, new_password: `${PASSWORD}, changed` }),
    spends: 'member',
  },
  'POST /auth/email': {
    ...{ ...member, ok: 202, spends: 'member' },
    body: () => ({ new_email: 'elsewhere@example.com', password: PASSWORD }),
  },
  'POST /auth/close-account': { ...member, body: () => ({ password: PASSWORD }), spends: 'member' },
  'POST /auth/sign-up': { ...open, ok: 202, body: () => ({ email: 'new@example.com', password: PASSWORD }) },
  'POST /auth/login': { ...open, ok: 401, body: () => ({ email: 'nobody@example.com', password: PASSWORD }) },
  'POST /auth/logout': { ...open, body: () => ({}) },
  'GET /auth/verify': open,
  'POST /auth/verify': { ...open, ok: 422, body: () => ({ token: 'x' }) },
  'POST /auth/resend': { ...open, ok: 202, body: () => ({ email: 'nobody@example.com' }) },
  'POST /auth/reset': { ...open, ok: 202, body: () => ({ email: 'nobody@example.com' }) },
  'POST /auth/reset/confirm': { ...open, ok: 422, body: () => ({ token: 'x', password: PASSWORD }) },
  'POST /auth/email/confirm': { ...open, ok: 422, body: () => ({ token: 'x' }) },
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /metrics': open,
  'POST /proxy/openai/v1/chat/completions': proxied,
  'POST /proxy/openai/v1/completions': { ...proxied, body: () => ({ model: 'm', prompt: 'hello' }) },
  'POST /proxy/openai/v1/responses': { ...proxied, body: () => ({ model: 'm', input: 'hello' }) },
  'POST /proxy/openai/v1/responses/input_tokens': { ...proxied, body: () => ({ model: 'm', input: 'hello' }) },
  'POST /proxy/openai/v1/responses/compact': { ...proxied, body: () => ({ model: 'm', input: 'hello' }) },
  'POST /proxy/openai/v1/embeddings': { ...proxied, body: () => ({ model: 'm', input: 'hello' }) },
  'POST /proxy/anthropic/v1/messages': { ...proxied, body: () => ({ ...chat, max_tokens: 1 }) },
  'POST /proxy/anthropic/v1/messages/count_tokens': proxied,
  'POST /proxy/gemini/v1beta/models/{model}:generateContent': gemini,
  'POST /proxy/gemini/v1beta/models/{model}:streamGenerateContent': gemini,
  'POST /proxy/gemini/v1beta/models/{model}:countTokens': gemini,
  'POST /proxy/gemini/v1beta/models/{model}:embedContent': { ...gemini, body: () => ({ content: said }) },
  'POST /proxy/gemini/v1beta/models/{model}:batchEmbedContents': {
    ...gemini,
    body: () => ({ requests: [{ content: said }] }),
  },
  'POST /proxy/{provider}/v1/{path}': proxied,
  'GET /auth/sign-up': page,
  'GET /auth/login': page,
  'GET /auth/resend': page,
  'GET /auth/reset': page,
  'GET /auth/email/confirm': page,
  // Visitors without a session are redirected to the sign-in page.
  'GET /auth/account': { ...page, ok: 303 },
  'GET /auth/reauthenticate': { ...page, ok: 303 },
  'POST /auth/sessions/{id}/end': { ...member, ok: 303, names: ['session'], spends: 'things' },
  'GET /openapi.json': page,
  'GET /docs': page,
  'GET /docs/openapi.json': page,
  'GET /docs/redoc.js': page,
  // Every request gets this answer.
  'POST /csp-reports': { ...page, ok: 204, body: () => [] },
  // This file does not exist.
  'GET /assets/*': { ...page, ok: 404 },
};

/** Routes only for people: the OpenAPI document omits them. */
export const UNDOCUMENTED: readonly string[] = [
  ...Object.entries(EXPECTED).flatMap(([route, { takes }]) => (takes === 'page' ? [route] : [])),
  'POST /auth/sessions/{id}/end',
];

/** The security schemes of the OpenAPI document for each credential. */
export const SECURITY: Readonly<Record<Exclude<Takes, 'page'>, readonly string[]>> = {
  manager: ['management_token', 'session'],
  member: ['session'],
  key: ['service_key'],
  proxy: ['proxy_key'],
  signature: ['stripe_signature'],
  open: [],
};
