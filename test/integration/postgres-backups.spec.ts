/** Backups of PostgreSQL with its own programs, as in the guide: a copy is created, Weir starts on it, and both are compared. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnPostgresWith } from '../support/describe-on-postgres.js';
import { ARCHIVING, TestPostgres } from '../support/postgres.js';
import { BACKUP_POLICIES, backupEvent } from '../support/backup-contents.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** Paths whose responses must be the same on a copy. */
const TOLD = ['/v1/events?limit=200', '/v1/budgets', '/v1/apps'];

describeOnPostgresWith(['pg_basebackup', 'pg_dump', 'pg_restore'], 'A copy of PostgreSQL', (binaries) => {
  let postgres: TestPostgres;
  let app: TestApp;
  let name: string;
  let base: string;
  let folder: string;
  const { submit, read, call } = restClient(() => app);
  const recordsOf = async (client: { read: typeof read }): Promise<string[]> =>
    Promise.all(TOLD.map(async (path) => (await client.read(path)).text));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-postgres-backups-'));
    postgres = await TestPostgres.start(binaries, ARCHIVING);
    const url = await postgres.newDatabase();
    name = new URL(url).pathname.slice(1);
    app = await startTestApp({ databaseUrl: url, policies: BACKUP_POLICIES });
    for (let index = 0; index < 6; index++) expect((await submit(backupEvent(`before${index}`))).status).toBe(200);
    base = postgres.baseBackup();
  }, 120_000);
  afterAll(async () => {
    await app.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts Weir on a copy and runs `look` against it. */
  async function onCopy(url: string, look: (copy: TestApp) => Promise<void>): Promise<void> {
    const copy = await startTestApp({ replicaOf: app, policies: BACKUP_POLICIES, databaseUrl: url });
    try {
      await look(copy);
    } finally {
      await copy.close();
    }
  }

  it('by pg_dump contains exactly the data at the time of the dump, and accepts new events', async () => {
    const before = await recordsOf({ read });
    const file = join(folder, 'weir.dump');
    const env = { ...process.env, PGOPTIONS: '-c weir.maintenance=on' };
    const dump = ['--enable-row-security', '--format', 'custom', '--file', file];
    execFileSync(join(binaries, 'pg_dump'), [...dump, '--dbname', postgres.url(name)], { env });
    expect((await submit(backupEvent('after-the-dump'))).status).toBe(200);
    const url = await postgres.newDatabase();
    const restore = ['--enable-row-security', '--exit-on-error', '--dbname', url, file];
    execFileSync(join(binaries, 'pg_restore'), restore, { env });
    await onCopy(url, async (copy) => {
      const client = restClient(() => copy);
      expect(await recordsOf(client)).toEqual(before);
      // A retry receives the first response, which is in the copy, and a new event is accepted.
      expect((await client.submit(backupEvent('before3'))).text).toBe((await submit(backupEvent('before3'))).text);
      expect((await client.submit(backupEvent('new'))).status).toBe(200);
    });
  }, 120_000);

  it('is restored to the time before a mistake by a base backup and the archived log', async () => {
    for (let index = 0; index < 6; index++) expect((await submit(backupEvent(`since${index}`))).status).toBe(200);
    const before = await recordsOf({ read });
    const [moment] = await postgres.ask<{ now: string }>('SELECT clock_timestamp()::text AS now');
    // Later data, and then the mistake.
    expect((await submit(backupEvent('later'))).status).toBe(200);
    const path = `/v1/apps/${app.bootstrap.app.id}/keys`;
    const headers = { authorization: `Bearer ${app.bootstrap.token}`, 'content-type': 'application/json' };
    const later = await call('POST', path, headers, JSON.stringify({ name: 'later', environment: 'production' }));
    expect(later.status).toBe(201);
    await postgres.ask('DROP TABLE events CASCADE', name);
    await postgres.archived();

    const recovered = await postgres.recoveredTo(base, moment!.now);
    try {
      await onCopy(recovered.url(name), async (copy) => {
        const client = restClient(() => copy);
        expect(await recordsOf(client)).toEqual(before);
        expect((await client.read('/v1/events/later')).status).toBe(404);
        const body = JSON.stringify(backupEvent('with-the-later-key'));
        const as = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
        expect((await client.call('POST', '/v1/events', as(later.json.secret), body)).status).toBe(401);
        expect((await client.submit(backupEvent('since2'))).status).toBe(200);
        expect((await client.submit(backupEvent('new'))).status).toBe(200);
        expect((await fetch(`${copy.url}/readyz`)).status).toBe(200);
      });
    } finally {
      await recovered.stop();
    }
  }, 180_000);
});
