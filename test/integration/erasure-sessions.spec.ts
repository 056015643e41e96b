/** The histories of sessions that rules read, after the erasure of a person: those of the person are gone, all others stay. */
import { sessionDigest } from '../../src/events/index.js';
import { eachApp } from '../support/each-app.js';
import { erasing } from '../support/erasing.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

const RULE = `
  - id: flow.no-mail-after-web
    title: No mail after a page from the web
    stage: tool
    severity: high
    when:
      all:
        - flow: { from: { tool_call: { name: { in: [fetch_page] } } }, to: { tool_call: { name: { in: [send_mail] } } } }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;

eachApp(
  'The session of an erased person',
  (current) => {
    const { rest, send, erase, owned } = erasing(current);
    const toolCall = (tool: string, user: string, session: string) =>
      rest.submit({
        type: 'agent.tool_call',
        payload: { tool, arguments: {} },
        metadata: { user_id: user, session_id: session },
      });
    const fetchPage = async (user: string, session: string): Promise<void> => {
      expect((await toolCall('fetch_page', user, session)).status).toBe(200);
    };
    const isStored = async (session: string): Promise<boolean> => {
      const rows = await owned().query('SELECT 1 AS one FROM session_histories WHERE session_key = $1', [
        sessionDigest(session),
      ]);
      return rows.length > 0;
    };
    const sessionsOf = async (user: string): Promise<string[]> => {
      const { json } = await send('GET', `/v1/events?metadata.user_id=${user}`);
      return [...new Set((json.data as { session_id: string }[]).map(({ session_id: id }) => id))];
    };

    it('has no history afterwards, although its id is masked in the log; a session that is masked alike keeps its own', async () => {
      await fetchPage('ann', 'mail-1');
      await fetchPage('bob', 'mail-2');
      const [ofAnn, ofBob] = [await sessionsOf('ann'), await sessionsOf('bob')];
      expect(ofAnn).toEqual([expect.stringMatching(/^\[MAIL\]\[ID_[a-z]{14}\]$/)]);
      expect(ofBob).not.toEqual(ofAnn);

      const order = { metadata: { user_id: 'ann' } };
      const dry = await erase({ ...order, dry_run: true });
      expect(dry.counts).toMatchObject({ events: 1, sessions: 1, session_states: 1 });
      expect(await isStored('mail-1')).toBe(true);
      const { counts } = await erase(order);
      expect(counts).toEqual(dry.counts);
      expect([await isStored('mail-1'), await isStored('mail-2')]).toEqual([false, true]);
      expect((await toolCall('send_mail', 'ann', 'mail-1')).status).toBe(200);
      expect((await toolCall('send_mail', 'bob', 'mail-2')).status).toBe(400);
    });

    it('is found by its id as the client sent it', async () => {
      await fetchPage('cara', 'mail-3');
      const order = { session: 'mail-3' };
      const dry = await erase({ ...order, dry_run: true });
      expect(dry.counts).toMatchObject({ events: 1, sessions: 1, session_states: 1 });
      expect((await erase(order)).counts).toEqual(dry.counts);
      expect([await isStored('mail-3'), await sessionsOf('cara')]).toEqual([false, []]);
    });

    it('is found through a proxied call, whose masked id is the same as that of a submitted event', async () => {
      await fetchPage('dora', 'mail-4');
      const headers = {
        'x-service-key': current().bootstrap.keys.production,
        'content-type': 'application/json',
        'x-service-session': 'mail-4',
        'x-service-metadata': '{"user_id":"dora"}',
      };
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
      const url = `${current().url}/proxy/openai/v1/chat/completions`;
      await (await fetch(url, { method: 'POST', headers, body })).text();
      expect(await sessionsOf('dora')).toHaveLength(1);
      expect((await erase({ metadata: { user_id: 'dora' } })).counts).toMatchObject({ sessions: 1, session_states: 1 });
      expect(await isStored('mail-4')).toBe(false);
    });

    it('keeps its history while a call of another person belongs to it', async () => {
      await fetchPage('fay', 'shared');
      await fetchPage('eve', 'shared');
      const order = { metadata: { user_id: 'eve' } };
      const dry = await erase({ ...order, dry_run: true });
      expect(dry.counts).toMatchObject({ events: 1, sessions: 0, session_states: 0 });
      expect((await erase(order)).counts).toEqual(dry.counts);
      expect((await toolCall('send_mail', 'fay', 'shared')).status).toBe(400);
    });

    it('is counted in a dry run although only the answer to a request names the person', async () => {
      const metadata = { session_id: 'answered' };
      const request = { type: 'ai.request', request_id: 'r-answered', metadata, payload: { prompt: 'hi' } };
      expect((await rest.submit(request)).status).toBe(200);
      const answer = { type: 'ai.response', request_id: 'r-answered', model: 'm', payload: { output: 'hello' } };
      expect((await rest.submit({ ...answer, metadata: { ...metadata, user_id: 'gus' } })).status).toBe(200);
      const order = { metadata: { user_id: 'gus' } };
      expect((await erase({ ...order, dry_run: true })).counts).toMatchObject({ sessions: 1 });
      expect((await erase(order)).counts).toMatchObject({ events: 2, sessions: 1 });
    });
  },
  {
    env: { WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:9' },
    policies: {
      ...TEST_POLICIES,
      'production/policy.yaml': `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted')}${RULE}`,
    },
  },
);
