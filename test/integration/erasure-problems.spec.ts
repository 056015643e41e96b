/** An erasure that makes no progress: its certificate names the reason, and other erasures are not delayed. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MOST_OPEN, UNREADABLE as UNREADABLE_PROBLEM } from '../../src/erasure/erasures.js';
import { archiveWeek } from '../../src/events/archive/archive-week.js';
import { Archive } from '../../src/events/index.js';
import { weekOf } from '../../src/events/partitions.js';
import { eachApp } from '../support/each-app.js';
import { erasing, PERSON, SAID } from '../support/erasing.js';
import { runWeir } from '../support/run-weir.js';

/** Older than every erasure of the test, so that it is tried first. */
const UNREADABLE = '0192f000-0000-7000-8000-00000000000e';

eachApp('An erasure whose search values can no longer be decrypted', (current) => {
  const { send, erase, owned } = erasing(current);
  const add = async (ids: readonly string[], nextAt: string, remains: string | null): Promise<void> => {
    await owned().query(
      `INSERT INTO erasures (account_id, id, looked_for, selector, dry_run, state, counts, remains, actor_kind, created_at, next_at)
       SELECT a.id, u.id::uuid, '[]', 'sealed with another secret'::bytea, false, 'running', '{}', $3::json, 'system', now(),
         $2::text::timestamptz
       FROM accounts a, unnest($1::text[]) AS u (id)`,
      [ids, nextAt, remains],
    );
  };

  it('fails alone: the erasure after it is done, and its own certificate names the reason', async () => {
    await add([UNREADABLE], 'now', null);
    expect(await erase({ metadata: { user_id: 'u1' } })).toMatchObject({ state: 'done', problem: null });
    const { json } = await send('GET', `/v1/erasures/${UNREADABLE}`);
    expect(json).toMatchObject({
      ...{ state: 'running', remains: null, ended_at: null },
      problem: expect.stringContaining('WEIR_TOKEN_SECRET'),
    });
    const lines = current().logs.filter((line) => line.includes(UNREADABLE));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('ErasureUnreadable');
    expect(current().logs.join('')).not.toContain('the search for pending erasures failed');
  });

  it('is shown with the reason by `weir erasures show`', async () => {
    const { url, bootstrap } = current();
    const shown = await runWeir(['erasures', 'show', UNREADABLE], {
      env: { WEIR_URL: url, WEIR_TOKEN: bootstrap.token },
    });
    expect([shown.exit, shown.stdout]).toEqual([0, expect.stringContaining('WEIR_TOKEN_SECRET was changed')]);
  });

  it('is not counted against the limit of erasures in progress', async () => {
    const ids = Array.from({ length: MOST_OPEN }, (_, index) => UNREADABLE.replace(/0e$/, String(index + 10)));
    await add(ids, 'tomorrow', JSON.stringify({ problem: UNREADABLE_PROBLEM }));
    expect(await erase({ metadata: { user_id: 'u2' } })).toMatchObject({ state: 'done', problem: null });
  });

  it('is unlike an erasure with another problem, which is counted', async () => {
    const ids = Array.from({ length: MOST_OPEN }, (_, index) => UNREADABLE.replace(/0e$/, String(index + 40)));
    await add(ids, 'tomorrow', JSON.stringify({ problem: 'the archive is damaged' }));
    expect((await send('POST', '/v1/erasures', { metadata: { user_id: 'u3' } })).status).toBe(429);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'weir-archive-'));

eachApp(
  'An erasure that needs a missing object of the archive',
  (current) => {
    const { send, call, finished, database, owned } = erasing(current);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('makes weir erase exit with the next step, and is done once the object is back', async () => {
      const { url, bootstrap, weir } = current();
      await call('e-archived', SAID);
      const { sql, clock } = database();
      const files = weir.app.get(Archive).files!;
      expect(await archiveWeek({ sql, ...files, partEvents: 1 }, weekOf(clock.nowMs()))).toBe('archived');
      const keys = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.parquet'),
      );
      expect(keys).toHaveLength(2);
      const object = join(folder, keys[0]!);
      renameSync(object, `${object}.away`);

      const env = { WEIR_URL: url, WEIR_TOKEN: bootstrap.token };
      const { exit, stderr } = await runWeir(['erase', '--metadata', `user_id=${PERSON}`, '--yes'], { env });
      expect([exit, stderr]).toEqual([4, expect.stringContaining('run weir archive verify')]);
      const [, id = ''] = /weir erasures show (\S+)/.exec(stderr) ?? [];
      const { json } = await send('GET', `/v1/erasures/${id}`);
      expect(json).toMatchObject({ state: 'running', problem: expect.stringContaining('damaged or missing') });
      const shown = await runWeir(['erasures', 'show', id], { env });
      expect(shown.stdout).toContain('run weir archive verify');

      renameSync(`${object}.away`, object);
      const get = files.store.get.bind(files.store);
      const problems: unknown[] = [];
      files.store.get = async (key) => {
        if (keys.includes(key)) problems.push((await send('GET', `/v1/erasures/${id}`)).json.problem);
        return get(key);
      };
      await owned().query('UPDATE erasures SET next_at = now()');
      const certificate = await finished(`/v1/erasures/${id}`).finally(() => {
        files.store.get = get;
      });
      // The last part was read after the first one had been erased.
      expect([problems[0], problems.at(-1)]).toEqual([expect.stringContaining('damaged or missing'), null]);
      expect(certificate).toMatchObject({ state: 'done', problem: null, counts: { events: 2 } });
    });
  },
  { env: { WEIR_ARCHIVE: folder } },
);
