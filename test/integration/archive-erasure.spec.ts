/** After the erasure of a person whose calls were archived, no object of the archive contains the person. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/database/index.js';
import { archiveWeek } from '../../src/events/archive/archive-week.js';
import { unpackPart } from '../../src/events/archive/part-file.js';
import { Archive, partsWhere } from '../../src/events/index.js';
import { withoutErased } from '../../src/events/journal/without-erased.js';
import { ensurePartitions, weekOf } from '../../src/events/partitions.js';
import { NotStored } from '../../src/object-storage/index.js';
import { eachApp } from '../support/each-app.js';
import { newEvent } from '../support/events.js';
import { restClient } from '../support/rest-client.js';
import { testPolicy, TEST_POLICIES } from '../support/test-app.js';

const PERSON = 'zwieback-0815';
const SAID = 'kaltschale-4711';
const OTHER = 'somebody-else';
const HELD = 'party-to-a-lawsuit';
const folder = mkdtempSync(join(tmpdir(), 'weir-archive-'));
const NO_RETRY = { fingerprint: Buffer.alloc(32) };
const HOLDING = testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted').replace(
  'rules:',
  `retention:\n  holds:\n    - { id: LH-1, match: { metadata.user_id: ${HELD} }, because: a lawsuit, until: 2099-01-01T00:00:00Z }\nrules:`,
);

eachApp(
  'An archive with the calls of a person to be erased',
  (current) => {
    const rest = restClient(current);
    const send = (method: string, path: string, body?: object) =>
      rest.call(
        method,
        path,
        { authorization: `Bearer ${current().bootstrap.token}`, ...(body && { 'content-type': 'application/json' }) },
        body && JSON.stringify(body),
      );
    let made = 0;
    const call = async (user: string, said: string): Promise<void> => {
      const request_id = `r-${(made += 1)}`;
      const metadata = { user_id: user, session_id: `session-${user}` };
      const request = { type: 'ai.request', request_id, metadata, event_id: `e-${made}`, payload: { prompt: said } };
      expect((await rest.submit(request)).status).toBe(200);
      // The answer has no metadata: the erasure finds it by its request.
      const answer = { type: 'ai.response', request_id, model: 'm', metadata: {}, payload: { output: said } };
      expect((await rest.submit(answer)).status).toBe(200);
    };
    const archiveAll = async (): Promise<void> => {
      const { sql, clock } = current().weir.app.get(Database);
      const { files } = current().weir.app.get(Archive);
      const now = new Date(clock.nowMs());
      expect(await archiveWeek({ sql, ...files!, partEvents: 3 }, weekOf(now.getTime()))).toBe('archived');
      await ensurePartitions(sql, now);
    };
    /** The rows of all objects of the archive, unpacked. */
    const archived = async (): Promise<string[]> => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
      const objects = files.filter((path) => path.endsWith('.parquet'));
      const parts = await Promise.all(objects.map((path) => unpackPart(readFileSync(path))));
      return parts.flatMap(({ rows: { values } }) =>
        (values[0] ?? []).map((_, row) => values.map((column) => column[row] ?? '').join(' ')),
      );
    };
    const erase = async (order: object, whileOpen: () => Promise<unknown> = () => Promise.resolve()) => {
      const { status, json } = await send('POST', '/v1/erasures', order);
      expect(status).toBe(201);
      for (;;) {
        const { json: now } = await send('GET', `/v1/erasures/${json.id as string}`);
        if (now.state === 'done') return now as { counts: Record<string, number> };
        await whileOpen();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };

    /** Erases while the storage fails once: in the last part, after the other parts were searched. */
    const eraseTwice = async (order: object) => {
      const { store } = current().weir.app.get(Archive).files!;
      const maintenance = current().weir.app.get(Database).sql.forMaintenance();
      const parts = await partsWhere(maintenance, `p.state = 'archived'`);
      const last = parts.at(-1)!.key;
      const get = store.get.bind(store);
      let reads = 0;
      store.get = (key) => {
        if (key !== last) return get(key);
        reads += 1;
        // It is read once for each earlier part, because it may contain other events of their calls.
        return reads === parts.length ? Promise.reject(new NotStored('away')) : get(key);
      };
      const retry = () =>
        maintenance.query(`UPDATE erasures SET next_at = now() WHERE state = 'running' AND lease_until IS NULL`);
      const { counts } = await erase(order, retry).finally(() => {
        store.get = get;
      });
      expect(reads).toBeGreaterThan(parts.length);
      return counts;
    };

    /** The end of the person's archived call, as it may come from the journal of a server that was unavailable for weeks. */
    let lateEnd: ReturnType<typeof newEvent>;
    const storedEnd = async (): Promise<string> => {
      const { sql } = current().weir.app.get(Database);
      return JSON.stringify(await withoutErased(sql, { event: lateEnd, children: [], idempotency: NO_RETRY }));
    };

    beforeAll(async () => {
      await call(HELD, SAID);
      await call(OTHER, 'nothing special');
      await call(PERSON, SAID);
      const [begun] = await current()
        .weir.app.get(Database)
        .sql.forMaintenance()
        .query<{ account: string; id: string }>(
          `SELECT account_id::text AS account, id::text AS id FROM events WHERE event_id = $1`,
          [`e-${made}`],
        );
      const { account: accountId, id: parentId } = begun!;
      lateEnd = newEvent({ type: 'ai.response', accountId, parentId, payload: JSON.stringify({ output: SAID }) });
      await call(PERSON, SAID);
      await archiveAll();
      await call(PERSON, SAID);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('is named in the 404 of an archived event, with the command that reads it', async () => {
      const { status, text } = await send('GET', '/v1/events/e-2');
      expect([status, text]).toEqual([404, expect.stringContaining('weir events list --archive')]);
      expect((await send('GET', '/v1/events/e-no-such')).text).not.toContain('archive');
    });

    it('gets the late end of an archived call with its texts while nobody was erased', async () => {
      expect(await storedEnd()).toContain(SAID);
    });

    it('stays unchanged in a dry run, which counts the events of the person', async () => {
      const { counts } = await erase({ metadata: { user_id: PERSON }, dry_run: true });
      expect(counts).toMatchObject({ events: 6 });
      expect((await archived()).filter((row) => row.includes(PERSON))).toHaveLength(2);
    });

    it('is counted once by a dry run that continues after a failure of the storage', async () => {
      expect(await eraseTwice({ metadata: { user_id: PERSON }, dry_run: true })).toMatchObject({ events: 6 });
    });

    it('counts each event under a legal hold once if the erasure continues after a failure of the storage', async () => {
      expect(await eraseTwice({ metadata: { user_id: HELD } })).toMatchObject({ held: 1 });
    });

    it('keeps events that are under a legal hold, and events of other people', async () => {
      const before = (await archived()).filter((row) => !row.includes(PERSON)).length;
      const { counts } = await erase({ metadata: { user_id: HELD } });
      expect(counts).toMatchObject({ held: expect.any(Number) });
      expect((await archived()).filter((row) => row.includes(HELD))).toHaveLength(1);
      expect((await archived()).filter((row) => !row.includes(PERSON))).toHaveLength(before);
    });

    it('is rewritten without the person in requests and answers, and its old objects are deleted', async () => {
      const rows = (await archived()).length;
      const { counts } = await erase({ metadata: { user_id: PERSON } });
      expect(counts).toMatchObject({ events: 6, archive_parts: expect.any(Number) });
      const after = await archived();
      expect(after.filter((row) => row.includes(PERSON))).toEqual([]);
      expect(after.filter((row) => row.includes(SAID))).toHaveLength(2);
      expect(after).toHaveLength(rows);
      expect(after.filter((row) => row.includes(OTHER))).toHaveLength(1);
    });

    it('does not get the texts of the person back with the late end of an archived call', async () => {
      expect(await storedEnd()).not.toContain(SAID);
    });
  },
  { env: { WEIR_ARCHIVE: folder }, policies: { ...TEST_POLICIES, 'production/policy.yaml': HOLDING } },
);
