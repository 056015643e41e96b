/** The session histories of the server: their contents, their writers and their lifetime. */
import { NEW_SESSION, SESSION_LIFE_MS } from '../../src/core/index.js';
import {
  EventLog,
  SessionHistories,
  maskedSessionDigest,
  sessionDigest,
  sessionFingerprint,
  sessionKey,
  type SessionStepToWrite,
} from '../../src/events/index.js';
import { deleteIdleSessions } from '../../src/events/sessions/session-histories.js';
import { ACCOUNT_ID, APP_ID, appendRequest, newEvent } from '../support/events.js';
import { eachDatabase } from '../support/each-database.js';
import { eachSession, eachStatement } from '../support/sql.js';

const APP = { accountId: ACCOUNT_ID, appId: APP_ID, environment: 'production' } as const;
const ADDRESS = 'email:ada@corp.example';

eachDatabase('the histories of sessions', (current) => {
  const step = (id: string, more: Partial<SessionStepToWrite> = {}): SessionStepToWrite => ({
    key: sessionKey(APP, id),
    added: {
      steps: [{ kind: 'tool_call', name: 'search' }],
      calls: ['search'],
      named: [sessionFingerprint(id)(ADDRESS)],
    },
    atMs: Date.now(),
    ...more,
  });
  const append = (session: SessionStepToWrite, event = newEvent()) =>
    new EventLog(current().database.sql).append({ ...appendRequest(event), session });
  const read = (id: string, nowMs = Date.now()) =>
    new SessionHistories(current().database.sql).read(sessionKey(APP, id), nowMs);

  beforeAll(async () => {
    await current().database.sql.query(
      `INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`,
      [ACCOUNT_ID],
    );
  });

  it('grow with each stored event, but not with a duplicate', async () => {
    const event = newEvent();
    expect(await append(step('grows'), event)).toMatchObject({ outcome: 'appended' });
    expect(await append(step('grows'), event)).toMatchObject({ outcome: 'duplicate' });
    expect(await read('grows')).toMatchObject({ version: 1, state: { calls: [{ name: 'search' }] } });
  });

  it('refuse an event that was judged by an earlier version of the history', async () => {
    await append(step('moves', { judgedBy: 0 }));
    const late = newEvent();
    expect(await append(step('moves', { judgedBy: 0 }), late)).toEqual({ outcome: 'session_moved' });
    expect((await read('moves')).version).toBe(1);
    expect(await append(step('moves', { judgedBy: 1 }), late)).toMatchObject({ outcome: 'appended' });
  });

  it('store only one of several events that were judged by the same version, even on different connections', async () => {
    const logs = [new EventLog(current().database.sql), new EventLog((await current().openAnother()).sql)];
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        logs[index % 2]!.append({ ...appendRequest(newEvent()), session: step('race', { judgedBy: 0 }) }),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect((await read('race')).state.calls).toHaveLength(1);
  });

  it('begin anew if they are deleted while an event of a batch is being stored', async () => {
    const { database, kind } = current();
    await append(step('deleted'));
    const another = await current().openAnother();
    let deletions = 0;
    const deleting = eachStatement(database.sql, async (statement) => {
      // On the embedded database there is no other process.
      if (!statement.includes('FOR UPDATE OF h') || kind === 'embedded' || deletions > 0) return;
      deletions += 1;
      const { digest } = sessionKey(APP, 'deleted');
      await another.sql.forMaintenance().query('DELETE FROM session_histories WHERE session_key = $1', [digest]);
    });
    const log = new EventLog(deleting);
    const stored = await Promise.all(
      ['deleted', 'other'].map((id) => log.append({ ...appendRequest(newEvent()), session: step(id) })),
    );
    expect(stored).toEqual([{ outcome: 'appended' }, { outcome: 'appended' }]);
    expect([(await read('deleted')).version, (await read('other')).version]).toEqual([kind === 'embedded' ? 2 : 1, 1]);
  });

  it('contain neither the id of a session nor an address', async () => {
    await append(step('carol@corp.example'));
    const rows = await current().database.sql.forMaintenance().query('SELECT * FROM session_histories');
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain('corp.example');
  });

  it('are found by the masked id in the log, for each id that is masked alike, as long as the newest of them lives', async () => {
    const masked = maskedSessionDigest('[PHONE][ID_bcdfghjklmnpqr]');
    const behind = () =>
      current()
        .database.sql.forMaintenance()
        .query<{ state: string; used_ms: number }>(
          `SELECT state, (extract(epoch FROM used_at) * 1000)::float8 AS used_ms FROM session_histories WHERE session_key = $1`,
          [masked],
        );
    const later = Date.now() + 60_000;
    await append(step('030 1234', { masked }));
    await append(step('030 1234', { masked }));
    await Promise.all([append(step('030-1234', { masked })), append(step('0301234', { masked, atMs: later }))]);
    const [row, ...more] = await behind();
    expect(more).toEqual([]);
    expect(row?.state.split(' ').sort()).toEqual(['030 1234', '030-1234', '0301234'].map(sessionDigest).sort());
    expect(Number(row?.used_ms)).toBe(later);
    expect((await read('030 1234')).version).toBe(2);
  });

  it('are separate for each account, even if session ids are equal', async () => {
    await append(step('same-name'));
    const sql = current().database.sql;
    const other = { ...APP, accountId: crypto.randomUUID() };
    expect(await new SessionHistories(sql).read(sessionKey(other, 'same-name'), Date.now())).toEqual({
      state: NEW_SESSION,
      version: 0,
    });
  });

  it('start empty after a day without a call, and are deleted then', async () => {
    const long = Date.now() - SESSION_LIFE_MS - 60_000;
    await append(step('old', { atMs: long }));
    expect((await read('old')).state).toEqual(NEW_SESSION);
    await append(step('young'));
    expect(await deleteIdleSessions(current().database.sql, new Date())).toBe(1);
    expect((await read('young')).version).toBe(1);
  });

  it('are deleted in steps, however many have ended', async () => {
    const { sql } = current().database;
    await sql.forMaintenance().query(
      `INSERT INTO session_histories (account_id, app_id, environment, session_key, version, state, used_at)
       SELECT $1::uuid, $2::uuid, 'production', 'ended ' || n, 1, '{}', now() - interval '40 days' FROM generate_series(1, 2500) AS n`,
      [ACCOUNT_ID, APP_ID],
    );
    const steps: number[] = [];
    const counted = eachSession(sql, (session) => ({
      ...session,
      query: async (...request) => {
        const rows = await session.query(...request);
        steps.push(rows.length);
        return rows as never;
      },
    }));
    expect(await deleteIdleSessions(counted, new Date(), () => steps.length === 1)).toBe(1_000);
    expect(await deleteIdleSessions(counted, new Date())).toBe(1_500);
    expect(steps).toEqual([1_000, 1_000, 500, 0]);
    expect((await read('young')).version).toBe(1);
  });
});
