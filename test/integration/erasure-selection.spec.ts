/** The data that an erasure finds: by each kind of condition, among open calls, in budgets, in buckets, and under legal holds. */
import { TokenKeys } from '../../src/access/index.js';
import { stableToken } from '../../src/core/index.js';
import { eachApp } from '../support/each-app.js';
import { erasing, OTHER, PERSON, SAID } from '../support/erasing.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

/** A user whose calls are under a legal hold. */
const HELD = 'party-to-a-lawsuit';
const POLICY = testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted').replace(
  'rules:',
  `retention:\n  holds:\n    - { id: LH-1, match: { metadata.user_id: ${HELD} }, because: a lawsuit, until: 2099-01-01T00:00:00Z }\n` +
    'budgets:\n  - { id: each-user, scope: [metadata.user_id], window: { per: day }, limit: { usd: 100 } }\nrules:',
);

eachApp(
  'The data that an erasure finds',
  (current) => {
    const { send, submit, call, finished, erase, owned, accountId, rows } = erasing(current);

    it('is not looked for with a reason that names the person, without a condition, or without the scope', async () => {
      const order = { metadata: { user_id: PERSON }, because: `asked for by ${PERSON}.` };
      expect((await send('POST', '/v1/erasures', order)).status).toBe(422);
      expect((await send('POST', '/v1/erasures', { because: 'asked for' })).status).toBe(422);
      const value = { type: 'MAIL', text: 'mail-77' };
      expect((await send('POST', '/v1/erasures', { value, because: 'mail-77 asked' })).status).toBe(422);
      const { json } = await send('POST', '/v1/tokens', { name: 'reader', scopes: ['events:read'] });
      expect((await send('POST', '/v1/erasures', { session: 's' }, json.secret)).status).toBe(403);
    });

    it('includes events that contain a masked value, by the token of that value', async () => {
      const hash = await current()
        .weir.app.get(TokenKeys)
        .of(await accountId());
      // As repeated by a provider in an answer.
      const token = stableToken('MAIL', 'mail-77', hash);
      await call('with-mail', `write to ${token} please`, OTHER);
      const { counts } = await erase({ value: { type: 'MAIL', text: 'mail-77' }, dry_run: true });
      expect(counts['events']).toBeGreaterThan(0);
      expect(counts['remembered_answers']).toBeGreaterThan(0);
    });

    it('includes open calls, which are emptied after they have ended', async () => {
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

    it('includes a session, by its id', async () => {
      await call('in-session', 'hi', OTHER);
      const { counts } = await erase({ session: 'another-session' });
      expect(counts).toMatchObject({ sessions: 1 });
      expect((await send('GET', '/v1/events?metadata.user_id=somebody-else')).json.data).toEqual([]);
    });

    it('includes every label and reason that names the person, however many windows and entries the account has', async () => {
      const name = 'zwieback-in-windows';
      await owned().query(
        `INSERT INTO budget_periods (account_id, environment, budget_id, unit, per, scope, scope_label, timezone, period_start,
           on_exceed, limit_n, warn_at)
         SELECT $1::uuid, 'production', 'each-hour', 'usd', 'hour', n::text,
           json_build_object('metadata.user_id', CASE WHEN n % 1000 = 0 THEN $2 ELSE 'user-' || n END), 'UTC',
           now() - make_interval(hours => n), 'record', 1, '{}'
         FROM generate_series(1, 12000) AS s (n)`,
        [await accountId(), name],
      );
      await owned().query(
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

    it('includes the number of files in buckets that may contain the person, even if no event of the person is left', async () => {
      const add = (id: string, filters: object) =>
        owned().query(
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

    it('excludes calls under a legal hold, whose events are only counted', async () => {
      await call('held', 'to be shown in court', HELD);
      const { counts } = await erase({ metadata: { user_id: HELD } });
      expect(counts).toMatchObject({ events: 0, bodies: 0, remembered_answers: 0, held: 1 });
      expect((await send('GET', '/v1/events/held')).json).toMatchObject({
        payload: { prompt: 'to be shown in court' },
        metadata: { user_id: HELD },
      });
    });
  },
  { policies: { ...TEST_POLICIES, 'production/policy.yaml': POLICY } },
);
