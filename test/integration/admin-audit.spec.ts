import { Controller, Post } from '@nestjs/common';
import { AppsController } from '../../src/access/management/apps.controller.js';
import { UnrecordedRoute } from '../../src/admin-audit/index.js';
import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { startTestApp } from '../support/test-app.js';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly subject: string;
  readonly subject_name: string | null;
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

  it('has an entry for each change, with actor, action and origin but without secrets', async () => {
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

  it('contains each entry on exactly one page, and can be filtered by action and subject', async () => {
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

  it('names actors and subjects even after their deletion', async () => {
    const app = (await call('POST', '/v1/apps', { name: 'first name' })).body;
    const made = (await call('POST', `/v1/apps/${app.id}/keys`, { name: 'named key', environment: 'staging' })).body;
    const token = (await call('POST', '/v1/tokens', { name: 'named token', scopes: ['account:admin'] })).body;
    await call('PATCH', `/v1/apps/${app.id}`, { name: 'second name' }, token.secret);
    await call('DELETE', `/v1/apps/${app.id}`, undefined, token.secret);
    await call('DELETE', `/v1/tokens/${token.token.id}`);
    const named = async (query: string) =>
      (await entries(query)).map((entry) => [entry.action, entry.actor.name, entry.subject_name]);
    const own = (await call('GET', '/v1/me')).body.token.name;
    expect(await named(`?subject=${app.id},${made.key.id},${token.token.id}`)).toEqual([
      ['token.deleted', own, 'named token'],
      ['app.archived', 'named token', 'second name'],
      ['app.renamed', 'named token', 'second name'],
      ['token.created', own, 'named token'],
      ['key.created', own, 'named key'],
      ['app.created', own, 'second name'],
    ]);
  });

  it('can be filtered by several actions and actors, and by time', async () => {
    const all = await entries('?limit=200');
    const ids = (list: readonly Entry[]) => list.map(({ id }) => id);
    const among = (...actions: string[]) => ids(all.filter(({ action }) => actions.includes(action)));
    expect(ids(await entries('?limit=200&action=key.created,app.created'))).toEqual(
      among('key.created', 'app.created'),
    );
    const token = all.find(({ actor }) => actor.kind === 'token')!.actor.id!;
    const byToken = ids(all.filter(({ actor }) => actor.id === token));
    expect(byToken.length).toBeGreaterThan(0);
    expect(ids(await entries(`?limit=200&actor=${token}`))).toEqual(byToken);
    const kinds = ids(all.filter(({ actor }) => actor.kind !== 'token'));
    expect(ids(await entries('?limit=200&actor=system,operator,person'))).toEqual(kinds);
    expect(ids(await entries(`?limit=200&actor=${token},system,operator,person`))).toEqual(
      ids(all.filter(({ actor }) => actor.id === token || actor.kind !== 'token')),
    );
    const { at } = all[2]!;
    expect(ids(await entries(`?limit=200&from=${at}`))).toEqual(ids(all.filter((entry) => entry.at >= at)));
    expect(ids(await entries(`?limit=200&to=${at}`))).toEqual(ids(all.filter((entry) => entry.at < at)));
    expect(await entries('?from=2000-01-01&to=2000-02-01')).toEqual([]);
    for (const wrong of ['from=yesterday', 'action=key.created,,app.created', 'actor=%00', 'format=xml']) {
      const refused = await call('GET', `/v1/audit?${wrong}`);
      expect([wrong, refused.status, refused.body.error.details?.[0].path]).toEqual([wrong, 422, wrong.split('=')[0]]);
    }
  });

  it('is exported in full as JSON lines, and as CSV without cells that a spreadsheet would execute', async () => {
    await call('POST', '/v1/apps', { name: '=HYPERLINK("http://evil.example","x")' });
    for (let n = 0; n < 205; n++) await call('POST', '/v1/apps', { name: `one of many ${n}` });
    const text = async (query: string) => {
      const response = await fetch(`${current().url}/v1/audit?${query}`, {
        headers: { authorization: `Bearer ${current().bootstrap.token}` },
      });
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    };
    const lines = await text('format=jsonl');
    expect(lines).toMatchObject({ status: 200, type: 'application/x-ndjson; charset=utf-8' });
    const read = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
    const paged = await entries('?limit=200');
    expect(read.slice(0, 200)).toEqual(paged);
    expect(read.length).toBeGreaterThan(205);

    const csv = await text('format=csv&action=app.created');
    expect(csv.type).toContain('text/csv');
    const rows = csv.text.trimEnd().split('\r\n');
    expect(rows[0]).toBe('id,at,action,actor_kind,actor_id,actor_name,subject,subject_name,address,user_agent,details');
    expect(rows).toHaveLength(1 + read.filter(({ action }) => action === 'app.created').length);
    expect(csv.text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);

    const { id } = read[9]!;
    const rest = await text(`format=jsonl&cursor=${id}`);
    expect(rest.text).toBe(lines.text.split('\n').slice(10).join('\n'));
    expect((await text('format=csv&limit=5')).status).toBe(422);
    expect((await text('format=jsonl&from=2000-01-01&to=2000-01-02')).text).toBe('');
  }, 60_000);

  it('can be read only with the scope account:admin for all environments', async () => {
    const make = async (body: object): Promise<string> =>
      (await call('POST', '/v1/tokens', { name: 'x', ...body })).body.secret;
    const reader = await make({ scopes: ['events:read', 'keys:admin'] });
    const bound = await make({ scopes: ['account:admin'], environment: 'staging' });
    expect((await call('GET', '/v1/audit', undefined, reader)).status).toBe(403);
    expect((await call('GET', '/v1/audit', undefined, bound)).status).toBe(403);
    expect((await call('GET', '/v1/audit', undefined, 'nonsense')).status).toBe(401);
  });

  it('only grows: the database refuses to change or delete an entry', async () => {
    const { sql } = current().weir.app.get(Database);
    for (const statement of [`UPDATE admin_actions SET action = 'key.deleted'`, 'DELETE FROM admin_actions']) {
      await expect(sql.query(statement)).rejects.toThrow('the admin audit log only grows');
    }
  });

  it('has no entry for a refused change', async () => {
    const before = (await entries('?limit=1'))[0]?.id;
    expect((await call('POST', '/v1/apps', { name: '' })).status).toBe(422);
    expect((await call('DELETE', '/v1/tokens/nobody')).status).toBe(404);
    expect((await entries('?limit=1'))[0]?.id).toBe(before);
  });
});

describe('A mutating route that records nothing', () => {
  it('keeps the service from starting', async () => {
    const { prototype } = AppsController;
    const handler = function make(): void {};
    Controller('v1')(AppsController);
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
