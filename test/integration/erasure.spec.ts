/**
 * A person planted in every place where the service stores data of a call is found in none of them after their erasure.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TokenKeys } from '../../src/access/index.js';
import { stableToken } from '../../src/core/index.js';
import { Database } from '../../src/database/index.js';
import { tablesInOrder } from '../../src/database/table-sums.js';
import { eachApp } from '../support/each-app.js';
import { findPostgresBinaries } from '../support/postgres.js';
import { restClient } from '../support/rest-client.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

/** Identifies the person in metadata and ids; `SAID` does so in texts. No part of either occurs anywhere else. */
const PERSON = 'zwieback-0815';
const SAID = 'kaltschale-4711';
const OTHER = 'somebody-else';
/** A user whose calls are under a legal hold. */
const HELD = 'party-to-a-lawsuit';

const BUDGETED = testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted').replace(
  'rules:',
  `retention:\n  holds:\n    - { id: LH-1, match: { metadata.user_id: ${HELD} }, because: a lawsuit, until: 2099-01-01T00:00:00Z }\n` +
    'budgets:\n  - { id: each-user, scope: [metadata.user_id], window: { per: day }, limit: { usd: 100 } }\nrules:',
);

interface Certificate {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly looked_for: readonly { readonly fingerprint: string }[];
  readonly remains: { readonly vacuumed: boolean; readonly bucket_files: number } | null;
}

eachApp(
  'Erasing a person',
  (current) => {
    const rest = restClient(current);
    const send = (method: string, path: string, body?: object, token = current().bootstrap.token) =>
      rest.call(
        method,
        path,
        { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body && JSON.stringify(body),
      );
    let made = 0;
    const submit = async (
      event: object,
      user = PERSON,
      session = user === PERSON ? `session-${PERSON}` : 'another-session',
    ) => {
      const metadata = { user_id: user, session_id: session };
      const { status, json } = await rest.submit({
        type: 'ai.request',
        request_id: `r-${(made += 1)}`,
        metadata,
        ...event,
      });
      if (status !== 200) throw new Error(JSON.stringify(json));
    };
    /** Submits a request and its answer; an erasure would wait for a call without an answer. */
    const call = async (eventId: string, said: string, user = PERSON, more = {}) => {
      const request_id = `r-${user}-${eventId}`;
      await submit({ event_id: eventId, request_id, payload: { prompt: said }, ...more }, user);
      // Without metadata, as many clients submit answers.
      await submit({
        type: 'ai.response',
        request_id,
        model: 'm',
        metadata: {},
        payload: { output: said, cost_usd: 0.25 },
      });
    };
    const finished = async (path: string): Promise<never> => {
      for (;;) {
        const { json } = await send('GET', path);
        if (!['queued', 'running', 'waiting'].includes(json.state)) return json as never;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const erase = async (order: object): Promise<Certificate> => {
      const { status, json } = await send('POST', '/v1/erasures', order);
      expect([status, json]).toEqual([201, expect.objectContaining({ state: 'running' })]);
      return finished(`/v1/erasures/${json.id}`);
    };
    const database = () => current().weir.app.get(Database);
    /** Every row of every table, as text. */
    const rows = () =>
      database()
        .sql.forMaintenance()
        .transaction(async (transaction) => {
          const tables = await tablesInOrder(transaction);
          const found: string[] = [];
          for (const table of tables) {
            const texts = await transaction.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
            found.push(...texts.map(({ text }) => `${table}: ${text}`));
          }
          return found;
        });
    const holding = (texts: readonly string[]) =>
      texts.filter((text) => text.includes(PERSON) || text.includes(SAID)).map((text) => text.slice(0, 200));
    const sums = async () => ({
      budgets: (await send('GET', '/v1/budgets')).json.data.map(
        ({ scope: _scope, ...rest }: { scope: unknown }) => rest,
      ),
      stats: { ...(await send('GET', '/v1/stats')).json, complete_until: undefined },
      count: (await send('GET', '/v1/events/count')).json,
      sessions: (await send('GET', '/v1/sessions')).json.data.length,
    });

    let exported: string;
    beforeAll(async () => {
      await call('first', `I said ${SAID}`);
      await call('second', `token-1 ${SAID}`);
      // Too deep for the index of metadata.
      await call('deep', SAID, PERSON, { metadata: { a: { b: { c: { d: { e: PERSON } } } }, user_id: PERSON } });
      await call('other', 'hello', OTHER);
      const proxied = await fetch(`${current().url}/proxy/openai/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'x-service-key': current().bootstrap.keys.production,
          'content-type': 'application/json',
          'x-service-metadata': JSON.stringify({ user_id: PERSON }),
        },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `proxied ${SAID}` }] }),
      });
      await proxied.text();
      const { status } = await send('PUT', '/v1/events/second/marks/words.flag-token', {
        ...{ mark: 'wrong', note: `about ${PERSON}` },
      });
      expect(status).toBe(200);
      await send('PUT', `/v1/events/other/marks/words.flag-token`, { mark: 'missed', note: `asked by ${PERSON} too` });
      const query = new URLSearchParams({ 'metadata.user_id': PERSON }).toString();
      await send('POST', '/v1/views', { page: 'events', name: 'one user', query, shared: true });
      const order = { format: 'csv', filters: { 'metadata.user_id': PERSON } };
      await finished(`/v1/exports/${(await send('POST', '/v1/exports', order)).json.id}`);
      exported = (await send('POST', '/v1/exports', { format: 'jsonl' })).json.id;
      await finished(`/v1/exports/${exported}`);
      await send('POST', '/v1/export-schedules', { ...order, name: 'daily', due: { every: 'day', hour: 2 } });
    }, 60_000);

    it('counts the data in each place in a dry run, and changes nothing', async () => {
      const before = await rows();
      const tables = new Set(holding(before).map((text) => text.split(':')[0]));
      expect([...tables].sort()).toEqual(
        expect.arrayContaining([
          ...['budget_periods', 'budget_reservations', 'event_marks', 'events', 'export_schedules', 'exports'],
          ...['saved_views', 'session_rollups'],
        ]),
      );
      const { counts, remains } = await erase({ metadata: { user_id: PERSON }, dry_run: true });
      expect(counts).toMatchObject({
        bodies: expect.any(Number) as number,
        views: 1,
        export_filters: 2,
        export_files: 2,
      });
      expect(counts['events']).toBeGreaterThanOrEqual(6);
      expect(remains).toBeNull();
      const without = (texts: readonly string[]) =>
        texts.filter(
          (text) =>
            !/^(erasures|admin_actions|app_refusals|management_tokens|readiness_probes|policy_|exports)/.test(text),
        );
      expect(without(await rows()).sort()).toEqual(without(before).sort());
    });

    it('is refused for a reason that names the person, without a criterion, or without the scope', async () => {
      const order = { metadata: { user_id: PERSON }, because: `asked for by ${PERSON}.` };
      expect((await send('POST', '/v1/erasures', order)).status).toBe(422);
      expect((await send('POST', '/v1/erasures', { because: 'asked for' })).status).toBe(422);
      const value = { type: 'MAIL', text: 'mail-77' };
      expect((await send('POST', '/v1/erasures', { value, because: 'mail-77 asked' })).status).toBe(422);
      const { json } = await send('POST', '/v1/tokens', { name: 'reader', scopes: ['events:read'] });
      expect((await send('POST', '/v1/erasures', { session: 's' }, json.secret)).status).toBe(403);
    });

    it('leaves nothing of the person in any row, and leaves every count and amount unchanged', async () => {
      const before = await sums();
      const certificate = await erase({ metadata: { user_id: PERSON }, because: 'asked for in writing' });
      expect(holding(await rows())).toEqual([]);
      expect(certificate).toMatchObject({
        state: 'done',
        counts: { views: 1, export_filters: 2, export_files: expect.any(Number) as number, sessions: 1 },
        remains: { vacuumed: true, bucket_files: 0, audit_entries: 0 },
      });
      expect(await sums()).toEqual(before);
      expect((await send('GET', `/v1/events/other`)).json).toMatchObject({
        payload: { prompt: 'hello' },
        metadata: { user_id: OTHER },
      });
    }, 60_000);

    it('is recorded in the admin audit log without the value, and has a fingerprint of the value', async () => {
      const { json } = await send('GET', '/v1/audit?action=erasure.requested,erasure.completed');
      expect(json.data).toHaveLength(2);
      expect(JSON.stringify(json)).not.toContain(PERSON);
      const [erasure] = (await send('GET', '/v1/erasures')).json.data as Certificate[];
      const again = await erase({ metadata: { user_id: PERSON }, dry_run: true });
      expect(again.looked_for).toEqual(erasure!.looked_for);
      expect(Object.values(again.counts).every((count) => count === 0)).toBe(true);
    });

    it('leaves nothing in a dump of the database', async () => {
      // The PostgreSQL binaries of the package do not contain pg_dump.
      const tool = join(findPostgresBinaries() ?? '', 'pg_dump');
      if (database().kind === 'embedded' || !existsSync(tool)) return;
      const [at] = await database().sql.query<{ name: string; port: number }>(
        'SELECT current_database()::text AS name, inet_server_port() AS port',
      );
      const dump = execFileSync(
        tool,
        ['--enable-row-security', '--dbname', `postgres://postgres@127.0.0.1:${at!.port}/${at!.name}`],
        {
          env: { ...process.env, PGOPTIONS: '-c weir.maintenance=on' },
          encoding: 'utf8',
          maxBuffer: 256 * 1024 * 1024,
        },
      );
      expect(dump).toContain(OTHER);
      expect(holding(dump.split('\n'))).toEqual([]);
    });

    it('leaves nothing in the logs or in the data directory', async () => {
      expect(holding(current().logs)).toEqual([]);
      if (database().kind === 'embedded') await database().sql.query('CHECKPOINT');
      const held = files(current().dataDir).filter((file) => {
        const bytes = readFileSync(file);
        return bytes.includes(PERSON) || bytes.includes(SAID);
      });
      // The write-ahead log keeps old data until it is overwritten.
      expect(held.filter((file) => !file.includes('pg_wal'))).toEqual([]);
    });

    it('finds events that contain a masked value by the token of that value', async () => {
      const [account] = await database()
        .sql.forMaintenance()
        .query<{ id: string }>('SELECT id::text AS id FROM accounts');
      const hash = await current().weir.app.get(TokenKeys).of(account!.id);
      // As repeated by a provider in an answer.
      const token = stableToken('MAIL', 'mail-77', hash);
      await call('with-mail', `write to ${token} please`, OTHER);
      const { counts } = await erase({ value: { type: 'MAIL', text: 'mail-77' }, dry_run: true });
      expect(counts['events']).toBeGreaterThan(0);
      expect(counts['remembered_answers']).toBeGreaterThan(0);
    });

    it('waits for open calls, and empties them after they have ended', async () => {
      const late = 'zwieback-late';
      const request = { event_id: 'late', request_id: 'r-late', payload: { prompt: SAID } };
      await submit(request, late);
      const { json } = await send('POST', '/v1/erasures', { metadata: { user_id: late } });
      const path = `/v1/erasures/${json.id}`;
      while ((await send('GET', path)).json.state !== 'waiting')
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await send('GET', '/v1/events/late')).json.payload).toEqual(request.payload);
      const answer = { request_id: 'r-late', model: 'm', payload: { output: SAID, cost_usd: 0.5 } };
      await submit({ type: 'ai.response', ...answer }, late);
      expect(await finished(path)).toMatchObject({ state: 'done', open_calls: 0, counts: { events: 2, bodies: 2 } });
      expect((await rows()).filter((row) => row.includes(late) || row.includes(SAID))).toEqual([]);
    }, 60_000);

    it('finds a session by its id', async () => {
      await call('in-session', 'hi', OTHER);
      const { counts } = await erase({ session: 'another-session' });
      expect(counts).toMatchObject({ sessions: 1 });
      expect((await send('GET', '/v1/events?metadata.user_id=somebody-else')).json.data).toEqual([]);
    });

    it('empties every label and reason that names the person, however many windows and entries the account has', async () => {
      const name = 'zwieback-in-windows';
      const [account] = await database()
        .sql.forMaintenance()
        .query<{ id: string }>('SELECT id::text AS id FROM accounts');
      await database()
        .sql.forMaintenance()
        .query(
          `INSERT INTO budget_periods (account_id, environment, budget_id, unit, per, scope, scope_label, timezone, period_start,
             on_exceed, limit_n, warn_at)
           SELECT $1::uuid, 'production', 'each-hour', 'usd', 'hour', n::text,
             json_build_object('metadata.user_id', CASE WHEN n % 1000 = 0 THEN $2 ELSE 'user-' || n END), 'UTC',
             now() - make_interval(hours => n), 'record', 1, '{}'
           FROM generate_series(1, 12000) AS s (n)`,
          [account!.id, name],
        );
      await database()
        .sql.forMaintenance()
        .query(
          `INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, because, created_at)
           SELECT account_id, gen_random_uuid(), id, 'adjustment', 1, 0, 1, 'asked for by ' || (scope_label->>'metadata.user_id'), now()
           FROM budget_periods WHERE budget_id = 'each-hour'`,
        );
      const order = { metadata: { user_id: name } };
      const found = { budget_labels: 12, budget_reasons: 12 };
      expect((await erase({ ...order, dry_run: true })).counts).toMatchObject(found);
      expect((await erase(order)).counts).toMatchObject(found);
      expect((await rows()).filter((row) => row.includes(name))).toEqual([]);
    }, 60_000);

    it('counts every file in a bucket that may contain the person, even if no event of the person is left', async () => {
      const add = (id: string, filters: object) =>
        database()
          .sql.forMaintenance()
          .query(
            `INSERT INTO exports (account_id, id, format, filters, bom, destination, state, rows, bytes, stored, parts, kept, actor_kind,
               created_at, ended_at)
             SELECT id, $1::uuid, 'csv', $2::json, false, '{"kind":"s3"}', 'done', 1, 1, 0, 0, false, 'system',
               now() - interval '20 days', now() - interval '20 days'
             FROM accounts`,
            [id, JSON.stringify(filters)],
          );
      await add('0192f000-0000-7000-8000-00000000000a', {});
      await add('0192f000-0000-7000-8000-00000000000b', { environment: 'staging' });
      const forgotten = { metadata: { user_id: 'zwieback-forgotten' } };
      expect((await erase(forgotten)).remains).toMatchObject({ bucket_files: 2 });
      expect((await erase({ ...forgotten, environment: 'production' })).remains).toMatchObject({ bucket_files: 1 });
    });

    it('leaves calls under a legal hold unchanged, and counts their events', async () => {
      await call('held', 'to be shown in court', HELD);
      const { counts } = await erase({ metadata: { user_id: HELD } });
      expect(counts).toMatchObject({ events: 0, bodies: 0, remembered_answers: 0, held: 1 });
      expect((await send('GET', '/v1/events/held')).json).toMatchObject({
        payload: { prompt: 'to be shown in court' },
        metadata: { user_id: HELD },
      });
    });
  },
  {
    env: { WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:9' },
    policies: { ...TEST_POLICIES, 'production/policy.yaml': BUDGETED },
  },
);

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
