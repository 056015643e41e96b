/** An erasure that makes no progress: its certificate names the reason, and other erasures are not delayed. */
import { MOST_OPEN } from '../../src/erasure/erasures.js';
import { eachApp } from '../support/each-app.js';
import { erasing } from '../support/erasing.js';
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
    const told = current().logs.filter((line) => line.includes(UNREADABLE));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('ErasureUnreadable');
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
    await add(ids, 'tomorrow', JSON.stringify({ problem: 'the secret was changed' }));
    expect(await erase({ metadata: { user_id: 'u2' } })).toMatchObject({ state: 'done', problem: null });
  });
});
