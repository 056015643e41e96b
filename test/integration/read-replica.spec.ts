/** Reads from a standby with PostgreSQL's streaming replication. */
import { migrate, openDatabase, type Database, type SqlSession } from '../../src/database/index.js';
import { describeOnPostgresWith } from '../support/describe-on-postgres.js';
import { postgresOptions } from '../support/each-database.js';
import { FreezingProxy } from '../support/freezing-proxy.js';
import { TestPostgres } from '../support/postgres.js';
import { runWeir } from '../support/run-weir.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** A request that exceeds this time limit hangs, even on a busy machine. */
const NEVER_MS = 30_000;

describeOnPostgresWith(['pg_basebackup'], 'A service with a read replica', (binaries) => {
  let primary: TestPostgres;
  let primaryUrl: string;
  let standby: TestPostgres;
  let app: TestApp;
  const client = restClient(() => app);

  beforeAll(async () => {
    primary = await TestPostgres.start(binaries);
    primaryUrl = await primary.newDatabase();
    standby = await primary.startStandby();
    const name = new URL(primaryUrl).pathname.slice(1);
    app = await startTestApp({
      databaseUrl: primaryUrl,
      env: { DATABASE_READ_URL: standby.url(name), WEIR_READ_MAX_LAG: '2s' },
    });
    await submit('first');
    await until('ok');
  }, 120_000);
  afterAll(async () => {
    standby.resume();
    await app.close();
    await standby.stop();
    await primary.stop();
  });

  async function submit(eventId: string): Promise<void> {
    const { status } = await client.submit({
      ...{ type: 'ai.request', event_id: eventId, request_id: eventId, metadata: { session_id: 'one-session' } },
      payload: { messages: [{ role: 'user', content: 'hello' }] },
    });
    expect(status).toBe(200);
  }
  const stateOf = async (): Promise<unknown> => {
    const { status, json } = await client.read('/readyz');
    expect(status).toBe(200);
    return json.read_replica;
  };
  async function until(state: 'ok' | 'behind' | 'away'): Promise<void> {
    while ((await stateOf()) !== state);
  }
  const eventIds = async (path = '/v1/events?type=ai.request'): Promise<string[]> =>
    (await client.read(path)).json.data.map(({ event_id: id }: { event_id: string }) => id);
  const replay = (does: 'pause' | 'resume') => standby.ask(`SELECT pg_wal_replay_${does}()`);
  async function reads(): Promise<{ replica: number; primary: number }> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const of = (server: string): number =>
      Number(new RegExp(`^weir_reads_total\\{server="${server}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { replica: of('replica'), primary: of('primary') };
  }
  /** The log messages about the replica since the service started, without their times. */
  const reports = (): string[] =>
    app.logs.flatMap((line) => {
      const { msg } = JSON.parse(line) as { msg?: string };
      return msg?.includes('read replica') === true ? [msg] : [];
    });

  it.each([
    '/v1/events?limit=5',
    '/v1/events?view=calls',
    '/v1/events/count',
    '/v1/events/facets?field=model,outcome',
    '/v1/events/first',
    '/v1/events/first/explain',
    '/v1/events/export?format=jsonl',
    '/v1/stats',
    '/v1/sessions',
  ])('queries the replica instead of the primary for GET %s', async (path) => {
    const before = await reads();
    const answer = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${app.bootstrap.token}` } });
    await answer.text();
    expect(answer.status).toBe(200);
    const after = await reads();
    expect(after.primary).toBe(before.primary);
    expect(after.replica).toBeGreaterThan(before.replica);
  });

  it('queries the replica instead of the primary for an export in the background', async () => {
    const before = await reads();
    const headers = { authorization: `Bearer ${app.bootstrap.token}`, 'content-type': 'application/json' };
    const ordered = await client.call('POST', '/v1/exports', headers, JSON.stringify({ format: 'jsonl' }));
    let job = ordered.json;
    while (job.state === 'queued' || job.state === 'running') job = (await client.read(`/v1/exports/${job.id}`)).json;
    expect(job.state).toBe('done');
    expect(job.rows).toBeGreaterThan(0);
    const after = await reads();
    expect(after.primary).toBe(before.primary);
    expect(after.replica).toBeGreaterThan(before.replica);
  });

  it('reads events by statements on connections to the standby', async () => {
    await client.read('/v1/events/count');
    const [row] = await standby.ask<{ n: number }>(
      `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'weir-reads' AND query LIKE '%count%events%'`,
    );
    expect(row?.n).toBeGreaterThan(0);
    const [onPrimary] = await primary.ask<{ n: number }>(
      `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'weir-reads'`,
    );
    expect(onPrimary?.n).toBe(0);
  });

  it('is checked by weir doctor, which reports a DATABASE_READ_URL that leads to no standby', async () => {
    const name = new URL(primaryUrl).pathname.slice(1);
    const found = async (readUrl: string): Promise<object> => {
      const { stdout } = await runWeir(['doctor', '--json'], {
        env: { DATABASE_URL: primaryUrl, DATABASE_READ_URL: readUrl },
      });
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
      return checks.find((check) => check.name === 'standby')!;
    };
    expect(await found(standby.url(name))).toMatchObject({ status: 'ok' });
    const itself = await found(primaryUrl);
    expect(itself).toMatchObject({ status: 'problem', message: expect.stringContaining('is not a standby') });
    const nobody = await found('postgres://nobody@127.0.0.1:1/weir');
    expect(nobody).toMatchObject({ status: 'problem', next: expect.stringContaining('DATABASE_READ_URL') });
  }, 60_000);

  it('finds and exports an event as soon as it is acknowledged, even if the standby lacks it', async () => {
    await replay('pause');
    try {
      await submit('just-now');
      expect((await client.read('/v1/events/just-now')).status).toBe(200);
      await submit('exported');
      const file = await fetch(`${app.url}/v1/events/export?format=jsonl`, {
        headers: { authorization: `Bearer ${app.bootstrap.token}` },
      });
      expect(await file.text()).toContain('"exported"');
    } finally {
      await replay('resume');
      await until('ok');
    }
  });

  it('reads from the primary while the standby exceeds the allowed lag, and logs this once', async () => {
    const before = reports().length;
    await replay('pause');
    try {
      await submit('while-paused');
      await until('behind');
      expect(await eventIds()).toContain('while-paused');
      expect(await fetch(`${app.url}/metrics`).then((answer) => answer.text())).toMatch(/^weir_read_replica_up 0$/m);
    } finally {
      await replay('resume');
    }
    await until('ok');
    expect(reports().slice(before)).toEqual([
      'The read replica is more than 2000 ms behind. Reads go to the primary.',
      'Reads go to the read replica.',
    ]);
    expect(await eventIds()).toContain('while-paused');
  });

  it('never misses an event that is older than the allowed lag, while the standby falls behind and recovers', async () => {
    const acknowledged: { id: string; ms: number }[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        await submit(`bound-${n}`);
        acknowledged.push({ id: `bound-${n}`, ms: performance.now() });
      }
    })();
    const missed: string[] = [];
    const look = async (): Promise<void> => {
      const dueMs = performance.now() - 2_000;
      const due = acknowledged.findLast(({ ms }) => ms <= dueMs);
      const found = await eventIds('/v1/events?type=ai.request&limit=200');
      const newest = found.find((id) => id.startsWith('bound-'));
      const seen = Number(newest?.slice('bound-'.length) ?? -1);
      if (due !== undefined && seen < Number(due.id.slice('bound-'.length))) missed.push(due.id);
    };
    await replay('pause');
    while ((await stateOf()) === 'ok') await look();
    await look();
    await replay('resume');
    while ((await stateOf()) !== 'ok') await look();
    isOver = true;
    await writing;
    expect(missed).toEqual([]);
  }, 60_000);

  it('answers every read while the standby is frozen, and uses it again afterwards', async () => {
    standby.pause();
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf('/v1/events?limit=5')));
      expect(new Set(answers)).toEqual(new Set([200]));
      await until('away');
    } finally {
      standby.resume();
    }
    await until('ok');
  }, 60_000);

  it('fails no read if the standby is killed during reads, and uses it again after its restart', async () => {
    const statuses: number[] = [];
    let isOver = false;
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.push(await statusOf('/v1/events?limit=5'));
    });
    const more = (by: number): Promise<void> => grown(statuses, statuses.length + by);
    await more(20);
    await standby.kill();
    await until('away');
    await more(20);
    await standby.restart();
    await until('ok');
    await more(20);
    isOver = true;
    await Promise.all(readers);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  }, 60_000);

  async function statusOf(path: string): Promise<number> {
    const answer = await fetch(`${app.url}${path}`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
      signal: AbortSignal.timeout(NEVER_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  }
});

async function grown(list: readonly unknown[], length: number): Promise<void> {
  while (list.length < length) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Waits for the roles and tables of the migrations: a standby without them cannot be queried, and counts as away. */
async function caughtUp({ replica, clock }: Database): Promise<void> {
  while (!(await replica?.holds(clock.nowMs()))) await new Promise((resolve) => setTimeout(resolve, 20));
}

describeOnPostgresWith(['pg_basebackup'], 'The connection to a read replica', (binaries) => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  let database: Database;
  const [mine, theirs] = [crypto.randomUUID(), crypto.randomUUID()];

  beforeAll(async () => {
    primary = await TestPostgres.start(binaries);
    const options = postgresOptions(await primary.newDatabase());
    if (options.kind !== 'postgres') throw new Error('this is about PostgreSQL');
    standby = await primary.startStandby();
    const databaseUrl = standby.url(new URL(options.postgres.databaseUrl).pathname.slice(1));
    const replica = { databaseUrl, maxLagMs: 60_000, report: () => undefined };
    database = await openDatabase({ kind: 'postgres', postgres: { ...options.postgres, poolSize: 2, replica } });
    await migrate(database);
    for (const id of [mine, theirs]) {
      await database.sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [
        id,
      ]);
      await database.sql.query(
        `INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, gen_random_uuid(), 'chat', now())`,
        [id],
      );
    }
    database.replica?.start();
    await caughtUp(database);
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await standby.stop();
    await primary.stop();
  });

  const isStandby = 'pg_is_in_recovery() AS is_standby';
  const seen = async (session: Pick<SqlSession, 'query'>, prepareAs?: string): Promise<string[]> => {
    const rows = await session.query<{ id: string; is_standby: boolean }>(
      `SELECT account_id::text AS id, ${isStandby} FROM apps ORDER BY 1`,
      [],
      prepareAs === undefined ? {} : { prepareAs },
    );
    expect(rows.every((row) => row.is_standby)).toBe(true);
    return rows.map(({ id }) => id);
  };

  it('limits a statement without conditions to the rows of its accounts', async () => {
    const { readSql } = database;
    for (const name of [undefined, 'apps-read', 'apps-read']) {
      expect(await seen(readSql.forAccounts(mine), name)).toEqual([mine]);
      expect(await seen(readSql.forAccounts(theirs), name)).toEqual([theirs]);
      expect(await seen(readSql.forAccounts(mine, theirs), name)).toEqual([mine, theirs].sort());
      expect(await seen(readSql.forAccounts(), name)).toEqual([]);
    }
  });

  it('isolates accounts in many concurrent statements and transactions on two connections', async () => {
    const { readSql } = database;
    const kinds: ((id: string) => Promise<string[]>)[] = [
      (id) => seen(readSql.forAccounts(id)),
      (id) => seen(readSql.forAccounts(id), 'interleaved-reads'),
      (id) => readSql.forAccounts(id).transaction((transaction) => seen(transaction)),
      (id) => readSql.forAccounts(id).transaction((transaction) => seen(transaction), { reads: 'one snapshot' }),
    ];
    const foreign: unknown[] = [];
    await Promise.all(
      Array.from({ length: 400 }, async (_, n) => {
        const id = [mine, theirs][n % 2]!;
        const found = await kinds[Math.floor(n / 2) % kinds.length]!(id);
        if (found.length !== 1 || found[0] !== id) foreign.push(found);
      }),
    );
    expect(foreign).toEqual([]);
  });

  it('uses the role for accounts, and has no rights beyond that role', async () => {
    const session = database.readSql.forAccounts(mine);
    expect(await session.query(`SELECT current_user::text AS name, ${isStandby}`)).toEqual([
      { name: 'weir_app', is_standby: true },
    ]);
    await expect(session.query('SELECT password_hash FROM people')).rejects.toMatchObject({ sqlState: '42501' });
  });

  it('writes neither to the standby nor to the primary', async () => {
    const session = database.readSql.forAccounts(mine);
    const write = `INSERT INTO apps (account_id, id, name, created_at)
      VALUES ('${mine}', gen_random_uuid(), 'smuggled', now()) RETURNING name`;
    await expect(session.query(write)).rejects.toMatchObject({ code: '25006' });
    await expect(session.transaction((transaction) => transaction.query(write))).rejects.toMatchObject({
      code: '25006',
    });
    expect(await seen(session)).toEqual([mine]);
    expect(await database.sql.forAccounts(mine).query('SELECT name FROM apps')).toEqual([{ name: 'chat' }]);
  });

  it('reads only from the standby that it has checked, if one name leads to a current and a stale standby', async () => {
    const options = postgresOptions(await primary.newDatabase());
    if (options.kind !== 'postgres') throw new Error('this is about PostgreSQL');
    const stale = await primary.startStandby('stale');
    await stale.ask('SELECT pg_wal_replay_pause()');
    const name = await FreezingProxy.start(standby.listensOn);
    const reports: string[] = [];
    try {
      const { pathname } = new URL(options.postgres.databaseUrl);
      const databaseUrl = standby.url(pathname.slice(1)).replace(`:${standby.listensOn}/`, `:${name.port}/`);
      const report = (_isUsed: boolean, message: string): void => void reports.push(message);
      const replica = { databaseUrl, maxLagMs: 60_000, report };
      const both = await openDatabase({ kind: 'postgres', postgres: { ...options.postgres, poolSize: 2, replica } });
      try {
        await migrate(both);
        both.replica?.start();
        await caughtUp(both);
        name.nextTo(stale.listensOn);
        const ports = await both.readSql.forAccounts().query('SELECT inet_server_port() AS port');
        expect(ports).toEqual([{ port: primary.listensOn }]);
        expect(reports.at(-1)).toMatch(/^DATABASE_READ_URL resolves to more than one server\./);
        name.nextTo(standby.listensOn);
        const again = await both.readSql.forAccounts().query('SELECT inet_server_port() AS port');
        expect(again).toEqual([{ port: standby.listensOn }]);
      } finally {
        await both.close();
      }
    } finally {
      await name.stop();
      await stale.stop();
    }
  }, 120_000);

  it('is not used if its server follows another primary', async () => {
    const strange = await TestPostgres.start(binaries);
    try {
      const options = postgresOptions(primary.url(new URL(await primary.newDatabase()).pathname.slice(1)));
      if (options.kind !== 'postgres') throw new Error('this is about PostgreSQL');
      const replica = { databaseUrl: await strange.newDatabase(), maxLagMs: 1_000, report: () => undefined };
      const theOne = await openDatabase({ kind: 'postgres', postgres: { ...options.postgres, replica } });
      const other = await openDatabase(postgresOptions(replica.databaseUrl));
      try {
        for (const each of [theOne, other]) await migrate(each);
        theOne.replica?.start();
        expect(await theOne.replica?.holds(theOne.clock.nowMs())).toBe(false);
        expect(theOne.replica?.state).toBe('behind');
      } finally {
        await theOne.close();
        await other.close();
      }
    } finally {
      await strange.stop();
    }
  }, 120_000);
});
