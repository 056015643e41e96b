import { Controller, Post } from '@nestjs/common';
import { AccountController } from '../../src/access/management/account.controller.js';
import { UnrecordedRoute } from '../../src/admin-audit/index.js';
import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { startTestApp } from '../support/test-app.js';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly from: { readonly address: string | null; readonly user_agent: string | null };
}

eachApp('The admin audit log', (current) => {
  async function call(method: string, path: string, body?: unknown, token = current().bootstrap.token) {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'audit-test/1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  const entries = async (query = ''): Promise<Entry[]> => (await call('GET', `/v1/audit${query}`)).body.data;

  it('has an entry for each change: who, what, from where, and no secret', async () => {
    const app = (await call('POST', '/v1/apps', { name: 'shop' })).body;
    const made = (await call('POST', `/v1/apps/${app.id}/keys`, { name: 'ci', environment: 'staging' })).body;
    const rotated = (await call('POST', `/v1/apps/${app.id}/keys/${made.key.id}/rotate`, {})).body;
    expect((await call('DELETE', `/v1/apps/${app.id}/keys/${made.key.id}`)).status).toBe(204);
    const token = (await call('POST', '/v1/tokens', { name: 't', scopes: ['events:read'] })).body;
    expect((await call('DELETE', `/v1/tokens/${token.token.id}`)).status).toBe(204);
    expect((await call('PATCH', `/v1/apps/${app.id}`, { name: 'market' })).status).toBe(200);
    expect((await call('DELETE', `/v1/apps/${app.id}`)).status).toBe(204);
    const seen = await entries('?limit=8');
    expect(seen.map(({ action, subject }) => [action, subject])).toEqual([
      ['app.archived', app.id],
      ['app.renamed', app.id],
      ['token.deleted', token.token.id],
      ['token.created', token.token.id],
      ['key.deleted', made.key.id],
      ['key.rotated', made.key.id],
      ['key.created', made.key.id],
      ['app.created', app.id],
    ]);
    expect(seen[0]).toMatchObject({
      actor: { kind: 'token', id: current().bootstrap.token.slice(12, 24) },
      details: { name: 'market', keys: 1 },
      from: { address: '127.0.0.1', user_agent: 'audit-test/1' },
    });
    const text = JSON.stringify(seen);
    for (const secret of [made.secret, rotated.secret, token.secret]) expect(text).not.toContain(secret.slice(24));
  });

  it('gives pages that hold each entry once, and entries of one action or subject', async () => {
    const all = await entries('?limit=200');
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { data: Entry[]; next_cursor: string | null } = (
        await call('GET', `/v1/audit?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).body;
      paged.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all.map(({ id }) => id));
    const created = await entries('?action=key.created');
    expect(new Set(created.map(({ action }) => action))).toEqual(new Set(['key.created']));
    const { subject } = created[0]!;
    expect((await entries(`?subject=${subject}`)).every((entry) => entry.subject === subject)).toBe(true);
    expect((await call('GET', '/v1/audit?action=nothing')).status).toBe(422);
    expect((await call('GET', '/v1/audit?cursor=nothing')).status).toBe(422);
  });

  it('is read with the scope account:admin for all environments alone', async () => {
    const make = async (body: object): Promise<string> =>
      (await call('POST', '/v1/tokens', { name: 'x', ...body })).body.secret;
    const reader = await make({ scopes: ['events:read', 'keys:admin'] });
    const bound = await make({ scopes: ['account:admin'], environment: 'staging' });
    expect((await call('GET', '/v1/audit', undefined, reader)).status).toBe(403);
    expect((await call('GET', '/v1/audit', undefined, bound)).status).toBe(403);
    expect((await call('GET', '/v1/audit', undefined, 'nonsense')).status).toBe(401);
  });

  it('only grows: the database refuses to change or take away an entry', async () => {
    const { sql } = current().weir.app.get(Database);
    for (const statement of [`UPDATE admin_actions SET action = 'key.deleted'`, 'DELETE FROM admin_actions']) {
      await expect(sql.query(statement)).rejects.toThrow('the admin audit log only grows');
    }
  });

  it('has no entry for what was refused', async () => {
    const before = (await entries('?limit=1'))[0]?.id;
    expect((await call('POST', '/v1/apps', { name: '' })).status).toBe(422);
    expect((await call('DELETE', '/v1/tokens/nobody')).status).toBe(404);
    expect((await entries('?limit=1'))[0]?.id).toBe(before);
  });
});

describe('A mutating route that records nothing', () => {
  it('keeps the service from starting', async () => {
    const { prototype } = AccountController;
    const handler = function make(): void {};
    Controller('v1')(AccountController);
    Object.defineProperty(prototype, 'planted', { value: handler, configurable: true });
    Post('planted')(prototype, 'planted', { value: handler });
    try {
      await expect(startTestApp()).rejects.toThrow(UnrecordedRoute);
      await expect(startTestApp()).rejects.toThrow(/POST \/v1\/planted$/);
    } finally {
      Reflect.deleteProperty(prototype, 'planted');
    }
  });
});
