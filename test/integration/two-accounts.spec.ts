/** Two accounts that use the same names for everything, on one service: neither can detect the other. */
import { eachApp } from '../support/each-app.js';
import { secondAccount, type TestAccount } from '../support/second-account.js';

eachApp('Two accounts', (current) => {
  let both: readonly [TestAccount, TestAccount];
  const bearer = (credential: string) => ({
    authorization: `Bearer ${credential}`,
    'content-type': 'application/json',
  });

  async function call(account: TestAccount, method: string, path: string, body?: object) {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: bearer(path === '/v1/events' && method === 'POST' ? account.key : account.token),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text === '' ? null : JSON.parse(text) };
  }
  /** The response without values that differ between requests. */
  const comparable = ({ status, text }: { status: number; text: string }) => ({
    status,
    text: text.replace(/"trace_id":"[^"]+"/g, '<trace>'),
  });
  const send = (account: TestAccount, id: string, name: string) =>
    call(account, 'POST', '/v1/events', {
      ...{ type: 'ai.request', event_id: id, request_id: `r-${id}`, model: 'm', metadata: { who: name, same: 'x' } },
      payload: { prompt: `${name} says token-1` },
    });
  const EVENTS = ['e-1', 'e-2', 'e-3'];

  beforeAll(async () => {
    both = [await secondAccount(current(), 'anna'), await secondAccount(current(), 'bert')];
    for (const id of EVENTS) {
      // The same ids at the same time, so that they are batched into the same statements.
      const sent = await Promise.all([send(both[0], id, 'anna'), send(both[1], id, 'bert')]);
      expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    }
  }, 60_000);

  it('list only their own data, whatever the filter', async () => {
    const queries = ['', 'type=ai.request', 'metadata.same=x', 'q=says', 'rule=words.flag-token', 'request_id=r-e-1'];
    for (const [index, name] of ['anna', 'bert'].entries()) {
      for (const query of queries) {
        const { json, text } = await call(both[index]!, 'GET', `/v1/events?limit=100&${query}`);
        const apps = new Set(json.data.map(({ app }: { app: { id: string } }) => app.id));
        expect({ query, apps: [...apps] }).toEqual({ query, apps: [both[index]!.appId] });
        expect(text).not.toContain(name === 'anna' ? 'bert' : 'anna');
      }
      const page = await call(both[index]!, 'GET', '/v1/events?limit=100&type=ai.request');
      expect(page.json.data).toHaveLength(EVENTS.length);
      for (const path of ['apps', 'tokens', 'audit', `apps/${both[index]!.appId}/keys`]) {
        const listed = await call(both[index]!, 'GET', `/v1/${path}`);
        expect({ path, status: listed.status, n: listed.json.data.length > 0 }).toEqual({ path, status: 200, n: true });
        expect(listed.text).not.toContain(name === 'anna' ? 'bert' : 'anna');
      }
    }
  });

  it('each read their own event by an id that both have used, and store it once if it is sent again', async () => {
    for (const [index, name] of ['anna', 'bert'].entries()) {
      const { json } = await call(both[index]!, 'GET', '/v1/events/e-1');
      expect(json.metadata.who).toBe(name);
      const again = await send(both[index]!, 'e-1', name);
      expect(again.status).toBe(200);
      const stored = await call(both[index]!, 'GET', '/v1/events?limit=100&type=ai.request');
      expect(stored.json.data).toHaveLength(EVENTS.length);
    }
  });

  it('receive the same answer for resources of the other account as for unknown ones, and change nothing', async () => {
    const [anna, bert] = both;
    const foreign = (await call(bert, 'GET', '/v1/events/e-2')).json.id as string;
    const key = (await call(bert, 'GET', `/v1/apps/${bert.appId}/keys`)).json.data[0].id as string;
    const token = (await call(bert, 'GET', '/v1/tokens')).json.data[0].id as string;
    const nowhere = crypto.randomUUID();
    const pairs: [string, string, string, object?][] = [
      ['GET', `/v1/events/${foreign}`, `/v1/events/${nowhere}`],
      ['PATCH', `/v1/apps/${bert.appId}`, `/v1/apps/${nowhere}`, { name: 'taken over' }],
      ['DELETE', `/v1/apps/${bert.appId}`, `/v1/apps/${nowhere}`],
      ['DELETE', `/v1/apps/${anna.appId}/keys/${key}`, `/v1/apps/${anna.appId}/keys/unknownkeyid`],
      ['DELETE', `/v1/apps/${bert.appId}/keys/${key}`, `/v1/apps/${nowhere}/keys/${key}`],
      ['DELETE', `/v1/tokens/${token}`, '/v1/tokens/unknowntoken'],
      ['POST', `/v1/apps/${bert.appId}/keys`, `/v1/apps/${nowhere}/keys`, { name: 'mine', environment: 'production' }],
    ];
    for (const [method, path, unknown, body] of pairs) {
      const answer = comparable(await call(anna, method, path, body));
      expect({ method, path, ...answer }).toEqual({
        method,
        path,
        ...comparable(await call(anna, method, unknown, body)),
      });
      expect(answer.status).toBe(404);
    }
    expect((await call(bert, 'GET', '/v1/apps')).json.data).toEqual([expect.objectContaining({ name: 'bert' })]);
    expect((await call(bert, 'GET', `/v1/apps/${bert.appId}/keys`)).json.data).toHaveLength(1);
    expect((await call(bert, 'GET', '/v1/tokens')).json.data).toHaveLength(1);
    expect((await send(bert, 'e-9', 'bert')).status).toBe(200);
  });

  it('rename, archive and delete only their own resources', async () => {
    const [anna, bert] = both;
    expect((await call(anna, 'PATCH', `/v1/apps/${anna.appId}`, { name: 'renamed' })).status).toBe(200);
    const [key] = (await call(anna, 'GET', `/v1/apps/${anna.appId}/keys`)).json.data as { id: string }[];
    expect((await call(anna, 'DELETE', `/v1/apps/${anna.appId}/keys/${key!.id}`)).status).toBeLessThan(300);
    expect((await call(anna, 'DELETE', `/v1/apps/${anna.appId}`)).status).toBeLessThan(300);
    expect((await call(bert, 'GET', '/v1/apps')).json.data).toEqual([expect.objectContaining({ name: 'bert' })]);
    expect((await send(bert, 'e-10', 'bert')).status).toBe(200);
  });
});
