/**
 * A person planted in every place where the service stores data of a call is found in none of them after their erasure: not in the
 * database and a dump of it, the archive, the journal, the data directory or the logs.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnavailable } from '../../src/database/index.js';
import { archiveWeek } from '../../src/events/archive/archive-week.js';
import { unpackPart } from '../../src/events/archive/part-file.js';
import { Archive, EndJournal, maskedSessionDigest, sessionDigest, type NewEvent } from '../../src/events/index.js';
import { JournalStorage } from '../../src/events/journal/journal-providers.js';
import { ensurePartitions, weekOf } from '../../src/events/partitions.js';
import { eachApp } from '../support/each-app.js';
import { erasing, filesNaming, naming, NAMED, OTHER, PERSON, SAID } from '../support/erasing.js';
import { newEvent } from '../support/events.js';
import { findPostgresBinaries } from '../support/postgres.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

/** Ids of sessions that are masked in the log, of the person and of another one. */
const MASKED_SESSION = 'mail-0815';
const OTHER_SESSION = 'mail-4711';
const FLOW = `
  - id: flow.no-mail-after-web
    title: No mail after a page from the web
    stage: tool
    severity: high
    when:
      all: [ { flow: { from: { tool_call: { name: { in: [fetch_page] } } }, to: { tool_call: { name: { in: [send_mail] } } } } } ]
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;
const POLICY = `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted').replace(
  'rules:',
  'budgets:\n  - { id: each-user, scope: [metadata.user_id], window: { per: day }, limit: { usd: 100 } }\nrules:',
)}${FLOW}`;

/** Tables that a dry run may change: with its own row, the requests of this test, and the progress of jobs. */
const CHANGING =
  /^(erasures|admin_actions|app_refusals|archive_parts|management_tokens|readiness_probes|policy_|exports)/;

const archiveFolder = mkdtempSync(join(tmpdir(), 'weir-archive-'));
// A developer's machine may lack the program; CI may not. The PostgreSQL binaries of the package do not contain it.
const dumpFolder = findPostgresBinaries('pg_dump');
const isDumpMissing = dumpFolder === undefined && process.env['CI'] === undefined;
if (isDumpMissing) console.warn('SKIPPED, no pg_dump found: a dump of the database after an erasure');

eachApp(
  'Erasing a person',
  (current) => {
    const { send, submit, call, finished, erase, database, owned, accountId, rows } = erasing(current);
    const useTool = (user: string, session: string) =>
      submit({ type: 'agent.tool_call', payload: { tool: 'fetch_page', arguments: {} } }, user, session);
    const sums = async () => ({
      budgets: (await send('GET', '/v1/budgets')).json.data.map(
        ({ scope: _scope, ...rest }: { scope: unknown }) => rest,
      ),
      stats: { ...(await send('GET', '/v1/stats')).json, complete_until: undefined },
      count: (await send('GET', '/v1/events/count')).json,
      sessions: (await send('GET', '/v1/sessions')).json.data.length,
    });
    /** Numbers of rows: the histories of both masked sessions, and the row that leads from the person's masked id to its history. */
    const histories = async () => {
      const digests = [sessionDigest(MASKED_SESSION), sessionDigest(OTHER_SESSION), maskedSessionDigest(masked)];
      const found = await owned().query<{ digest: string }>(
        'SELECT session_key AS digest FROM session_histories WHERE session_key = ANY ($1::text[])',
        [digests],
      );
      return digests.map((digest) => found.filter((row) => row.digest === digest).length);
    };
    const eventOf = async (eventId: string): Promise<{ id: string; app: string }> => {
      const [event] = await owned().query<{ id: string; app: string }>(
        'SELECT id::text AS id, app_id::text AS app FROM events WHERE event_id = $1',
        [eventId],
      );
      if (event === undefined) throw new Error('the event is not in the log');
      return event;
    };
    /** The rows of all objects of the archive, unpacked. */
    const archived = async (): Promise<string[]> => {
      const paths = readdirSync(archiveFolder, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('.parquet'),
      );
      const parts = await Promise.all(paths.map((path) => unpackPart(readFileSync(join(archiveFolder, path)))));
      return parts.flatMap(({ rows: { values } }) =>
        (values[0] ?? []).map((_, row) => values.map((column) => column[row] ?? '').join(' ')),
      );
    };
    const archiveAll = async (): Promise<void> => {
      const { sql, clock } = database();
      const { files } = current().weir.app.get(Archive);
      const now = new Date(clock.nowMs());
      if (files === undefined) throw new Error('the service has no archive');
      expect(await archiveWeek({ sql, ...files, partEvents: 3 }, weekOf(now.getTime()))).toBe('archived');
      await ensurePartitions(sql, now);
    };
    const journal = () => current().weir.app.get(EndJournal, { strict: false });
    /** Writes the end of a call into the journal, as while the database does not answer. */
    const keepInJournal = async (event: NewEvent): Promise<void> => {
      const { file } = current().weir.app.get(JournalStorage, { strict: false });
      const away = (): Promise<never> => Promise.reject(new DatabaseUnavailable('away', 'ECONNREFUSED'));
      const nothing = (): void => undefined;
      const observer = { kept: nothing, refused: nothing, stored: nothing, lost: nothing };
      const duringOutage = new EndJournal({
        ...{ file, append: away, isStored: away, afterStored: away },
        observer: { ...observer, stuck: nothing, unreadable: nothing },
      });
      const idempotency = { fingerprint: Buffer.alloc(0) };
      expect(duringOutage.keep({ event, children: [], idempotency })).toBe(true);
      await duringOutage.stop();
    };

    let account: string;
    /** The id of the person's masked session as the log stores it. */
    let masked: string;
    let lateEnd: NewEvent;
    beforeAll(async () => {
      account = await accountId();
      await call(`${NAMED}-archived`, `I said ${SAID} before`);
      await archiveAll();
      // The answer to a retry contains the redacted text.
      await call(`${NAMED}-first`, `mail-1 I said ${SAID}`);
      await call('second', `token-1 ${SAID}`);
      // Too deep for the index of metadata.
      await call('deep', SAID, PERSON, { metadata: { a: { b: { c: { d: { e: PERSON } } } }, user_id: PERSON } });
      await call('other', 'hello', OTHER);
      await useTool(PERSON, MASKED_SESSION);
      await useTool(OTHER, OTHER_SESSION);
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
      // Over REST, the reason would also be in the admin audit log, which an erasure leaves unchanged.
      await owned().query(
        `INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, because, created_at)
         SELECT account_id, gen_random_uuid(), id, 'adjustment', 0, 0, 0, $1, now() FROM budget_periods LIMIT 1`,
        [`asked for by ${PERSON}`],
      );
      const query = new URLSearchParams({ 'metadata.user_id': PERSON }).toString();
      await send('POST', '/v1/views', { page: 'events', name: 'one user', query, shared: true });
      const order = { format: 'csv', filters: { 'metadata.user_id': PERSON } };
      await finished(`/v1/exports/${(await send('POST', '/v1/exports', order)).json.id}`);
      await finished(`/v1/exports/${(await send('POST', '/v1/exports', { format: 'jsonl' })).json.id}`);
      await send('POST', '/v1/export-schedules', { ...order, name: 'daily', due: { every: 'day', hour: 2 } });
      const [session] = await owned().query<{ id: string }>(
        `SELECT session_id AS id FROM events WHERE type = 'agent.tool_call' AND position($1::text IN metadata::text) > 0`,
        [PERSON],
      );
      masked = session?.id ?? '';
      const first = await eventOf(`${NAMED}-first`);
      lateEnd = newEvent({
        ...{ type: 'ai.response', source: 'proxy', accountId: account, parentId: first.id, appId: first.app },
        ...{ requestId: `r-${PERSON}`, sessionId: `session-${PERSON}`, metadata: JSON.stringify({ user_id: PERSON }) },
        payload: JSON.stringify({ output: SAID }),
      });
      await keepInJournal(lateEnd);
    }, 60_000);
    afterAll(() => rmSync(archiveFolder, { recursive: true, force: true }));

    it('begins with the person in every place where the service stores data of a call', async () => {
      const stored = await rows();
      const tables = new Set(stored.filter((row) => naming([row]).length > 0).map((text) => text.split(':')[0]));
      expect([...tables].sort()).toEqual(
        expect.arrayContaining([
          ...['budget_entries', 'budget_periods', 'budget_reservations', 'event_ids', 'event_marks', 'events'],
          ...['export_parts', 'export_schedules', 'exports', 'saved_views', 'session_rollups'],
        ]),
      );
      // Texts are in bodies, in the answers kept for retries, in the column that is searched, and in files of exports.
      expect(stored.filter((row) => row.startsWith('event_ids') && row.includes(SAID))).not.toEqual([]);
      const [found] = await owned().query<{ n: number }>(
        'SELECT count(*)::integer AS n FROM events WHERE position($1::text IN excerpt) > 0',
        [SAID],
      );
      expect(found?.n).toBeGreaterThan(0);
      expect(await histories()).toEqual([1, 1, 1]);
      expect(naming(await archived())).not.toEqual([]);
      expect(journal().size).toBe(1);
      // The journal is encrypted: its files contain the person only for the service.
      expect(filesNaming(join(current().dataDir, 'journal'))).toEqual([]);
    });

    it('counts in a dry run exactly the data that it then erases, and changes nothing', async () => {
      const before = await rows();
      const dry = await erase({ metadata: { user_id: PERSON }, dry_run: true });
      expect(dry.remains).toBeNull();
      const without = (texts: readonly string[]) => texts.filter((text) => !CHANGING.test(text));
      expect(without(await rows()).sort()).toEqual(without(before).sort());
      expect(await histories()).toEqual([1, 1, 1]);

      const unchanged = await sums();
      const certificate = await erase({ metadata: { user_id: PERSON }, because: 'asked for in writing' });
      expect(await sums()).toEqual(unchanged);
      const { archive_parts: parts, ...counts } = certificate.counts;
      expect({ ...counts, archive_parts: 0 }).toEqual(dry.counts);
      expect(parts).toBeGreaterThan(0);
      expect(certificate).toMatchObject({
        state: 'done',
        counts: {
          ...{ views: 1, export_filters: 2, export_files: 2, mark_notes: 2, budget_labels: 1, budget_reasons: 1 },
          ...{ sessions: 2, session_states: 1 },
        },
        remains: { vacuumed: true, bucket_files: 0, audit_entries: 0 },
      });
      for (const place of ['events', 'bodies', 'metadata', 'remembered_answers', 'reservations'])
        expect([place, certificate.counts[place]]).toEqual([place, expect.any(Number)]);
      expect(counts['reservations']).toBeGreaterThan(0);
    }, 60_000);

    it('leaves nothing of the person in any row, file of an export or object of the archive', async () => {
      expect(naming(await rows())).toEqual([]);
      expect(await histories()).toEqual([0, 1, 0]);
      const [parts] = await owned().query<{ n: number }>('SELECT count(*)::integer AS n FROM export_parts');
      expect(parts?.n).toBe(0);
      expect(naming(await archived())).toEqual([]);
    });

    it('leaves the calls of other people as they were', async () => {
      expect((await send('GET', `/v1/events/other`)).json).toMatchObject({
        payload: { prompt: 'hello' },
        metadata: { user_id: OTHER },
      });
    });

    it('empties the end of a call that the journal stores only afterwards', async () => {
      const other = await eventOf('other');
      const about = { accountId: account, parentId: other.id, appId: other.app, source: 'proxy' } as const;
      const idempotency = { fingerprint: Buffer.alloc(0) };
      // The journal stores all its records with this one.
      const later = newEvent({ type: 'ai.response', ...about });
      expect(journal().keep({ event: later, children: [], idempotency })).toBe(true);
      while (journal().size > 0) await new Promise((resolve) => setImmediate(resolve));
      const stored = (await send('GET', `/v1/events/${lateEnd.id}`)).json;
      expect(stored).toMatchObject({ type: 'ai.response', capture: 'none' });
      expect([stored.payload ?? null, stored.metadata ?? null]).toEqual([null, null]);
      expect(naming(await rows())).toEqual([]);
    });

    it('is recorded in the admin audit log without the value, and has a fingerprint of the value', async () => {
      const { json } = await send('GET', '/v1/audit?action=erasure.requested,erasure.completed');
      expect(json.data).toHaveLength(2);
      expect(naming([JSON.stringify(json)])).toEqual([]);
      const [erasure] = (await send('GET', '/v1/erasures')).json.data as { looked_for: unknown }[];
      const again = await erase({ metadata: { user_id: PERSON }, dry_run: true });
      expect(again.looked_for).toEqual(erasure?.looked_for);
      expect(Object.values(again.counts).every((count) => count === 0)).toBe(true);
    });

    (isDumpMissing ? it.skip : it)('leaves nothing in a dump of the database', async () => {
      // The file of the embedded database is searched below.
      if (database().kind === 'embedded') return;
      if (dumpFolder === undefined) throw new Error('CI must have pg_dump');
      const [at] = await database().sql.query<{ name: string; port: number }>(
        'SELECT current_database()::text AS name, inet_server_port() AS port',
      );
      const dump = execFileSync(
        join(dumpFolder, 'pg_dump'),
        ['--enable-row-security', '--dbname', `postgres://postgres@127.0.0.1:${at?.port}/${at?.name}`],
        {
          env: { ...process.env, PGOPTIONS: '-c weir.maintenance=on' },
          encoding: 'utf8',
          maxBuffer: 256 * 1024 * 1024,
        },
      );
      expect(dump).toContain(OTHER);
      expect(naming(dump.split('\n'))).toEqual([]);
    });

    it('leaves nothing in the logs or in the data directory', async () => {
      expect(naming(current().logs, [PERSON, SAID])).toEqual([]);
      if (database().kind === 'embedded') await database().sql.query('CHECKPOINT');
      // The write-ahead log keeps old data until it is overwritten.
      expect(filesNaming(current().dataDir).filter((file) => !file.includes('pg_wal'))).toEqual([]);
      expect(filesNaming(archiveFolder)).toEqual([]);
    });
  },
  {
    env: { WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:9', WEIR_ARCHIVE: archiveFolder },
    policies: { ...TEST_POLICIES, 'production/policy.yaml': POLICY },
  },
);
