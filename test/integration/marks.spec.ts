import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { secondAccount } from '../support/second-account.js';
import { deleteMarks } from '../../src/events/marks/delete-marks.js';

const BLOCK = 'words.block-ssn';
const FLAG = 'words.flag-token';
const MASK = 'words.redact-mail';

eachApp('Marks on decisions', (current) => {
  const rest = restClient(current);
  const own = () => current().bootstrap.token;
  const sql = () => current().weir.app.get(Database).sql;
  async function call(method: string, path: string, body?: unknown, token = own()) {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) };
  }
  const tokenFor = async (fields: object): Promise<string> =>
    (await call('POST', '/v1/tokens', { name: 'judge', ...fields })).body.secret;
  const send = async (eventId: string, prompt: string, more: object = {}): Promise<string> => {
    await rest.submit({ type: 'ai.request', event_id: eventId, request_id: eventId, payload: { prompt }, ...more });
    return (await rest.stored(eventId)).id;
  };
  const set = (event: string, rule: string, body: object, token?: string) =>
    call('PUT', `/v1/events/${event}/marks/${rule}`, body, token);
  const listed = async (query: string): Promise<string[]> =>
    (await rest.read(`/v1/events?${query}`)).json.data.map((event: { event_id: string }) => event.event_id);
  const marks = async (query = '', token = own()) => (await call('GET', `/v1/marks${query}`, undefined, token)).body;

  it('are stored per call and rule, returned with the event, and replaced by the next mark', async () => {
    const id = await send('one', 'my ssn-1');
    const made = await set('one', BLOCK, { mark: 'wrong', note: 'It is an order number.' });
    expect(made).toMatchObject({
      status: 200,
      body: {
        ...{ event: id, call: id, rule: BLOCK, mark: 'wrong', note: 'It is an order number.' },
        ...{ environment: 'production', app: { name: expect.any(String) }, by: { kind: 'token' } },
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    expect((await rest.stored('one')).marks).toEqual([made.body]);
    expect((await set(id, BLOCK, { mark: 'right' })).body).toMatchObject({ mark: 'right', note: null });
    expect((await marks('?rule=words.block-ssn')).data).toMatchObject([{ event: id, mark: 'right' }]);
    const [shown] = (await rest.read('/v1/events?view=calls&fields=summary&mark=right')).json.data;
    expect(shown).toMatchObject({ event_id: 'one', marks: [{ rule: BLOCK, mark: 'right' }] });
    const audited = (await rest.read(`/v1/audit?subject=${id}`)).json.data;
    expect(audited.map(({ action, details }: { action: string; details: object }) => [action, details])).toEqual([
      ['event.marked', { rule: BLOCK, mark: 'right', environment: 'production' }],
      ['event.marked', { rule: BLOCK, mark: 'wrong', environment: 'production' }],
    ]);
  });

  it('apply to the whole call, whichever of its events the request names', async () => {
    const request = await send('asked', 'hello');
    const about = { request_id: 'asked', event_id: 'answered' };
    await rest.submit({ type: 'ai.response', ...about, payload: { output: 'write to mail-1' } });
    const answer = (await rest.stored('answered')).id;
    const rule = 'words.redact-answer';
    expect((await set('asked', rule, { mark: 'wrong' })).body).toMatchObject({ call: request, event: answer });
    expect((await set('answered', rule, { mark: 'right' })).body).toMatchObject({ call: request, event: answer });
    const [reported] = (await rest.read('/v1/events?type=policy.violation&rule=words.redact-answer')).json.data;
    expect((await set(reported.id, rule, { mark: 'wrong' })).body).toMatchObject({ call: request, event: answer });
    expect((await marks(`?event=${answer}`)).data).toHaveLength(1);
    expect((await marks(`?event=${request}`)).data).toHaveLength(1);
    expect(await listed(`view=calls&mark=wrong&rule=${rule}`)).toEqual(['asked']);
    expect(await listed(`mark=wrong&rule=${rule}`)).toEqual(['answered']);
    expect((await rest.stored('asked')).marks).toHaveLength(1);
    expect((await rest.stored('answered')).marks).toHaveLength(1);
  });

  it('filter the list of events, its count and the list of calls', async () => {
    for (const id of ['f-1', 'f-2', 'f-3', 'f-4'])
      await send(id, 'token-1 and mail-1', { metadata: { set: 'filtered' } });
    await set('f-1', FLAG, { mark: 'right' });
    await set('f-2', FLAG, { mark: 'wrong' });
    await set('f-3', BLOCK, { mark: 'missed' });
    const of = (query: string) => listed(`metadata.set=filtered&type=ai.request&order=asc&${query}`);
    for (const view of ['', '&view=calls']) {
      expect(await of(`mark=right${view}`)).toEqual(['f-1']);
      expect(await of(`mark=right,wrong${view}`)).toEqual(['f-1', 'f-2']);
      expect(await of(`mark=none${view}`)).toEqual(['f-4']);
      expect(await of(`mark=missed,none${view}`)).toEqual(['f-3', 'f-4']);
      expect(await of(`mark=none&rule=${MASK}${view}`)).toEqual(['f-1', 'f-2', 'f-3', 'f-4']);
      expect(await of(`mark=wrong&rule=${MASK}${view}`)).toEqual([]);
      expect(await of(`mark=missed&rule=${BLOCK}${view}`)).toEqual(['f-3']);
      expect(await of(`mark=missed&rule=${MASK}${view}`)).toEqual([]);
    }
    const count = (await rest.read('/v1/events/count?metadata.set=filtered&mark=none&view=calls')).json;
    expect(count).toEqual({ count: 1, capped: false, searched_to: null });
    const { status, json } = await rest.read('/v1/events?mark=maybe');
    expect([status, json.error.details]).toEqual([
      422,
      [{ path: 'mark', message: 'must be one of right, wrong, missed, none' }],
    ]);
  });

  it('are refused if they contradict the call, with an error that names the invalid field', async () => {
    await send('quiet', 'token-1');
    const refused = async (rule: string, body: object) => {
      const { status, body: answer } = await set('quiet', rule, body);
      return [status, answer.error?.details?.[0]];
    };
    expect(await refused(BLOCK, { mark: 'right' })).toEqual([
      422,
      { path: 'rule', message: 'did not fire in this call' },
    ]);
    expect(await refused(FLAG, { mark: 'missed' })).toEqual([
      422,
      { path: 'mark', message: 'must be right or wrong: the rule fired in this call' },
    ]);
    expect(await refused('no.such-rule', { mark: 'missed' })).toEqual([
      422,
      { path: 'rule', message: 'is not a rule of the active policy' },
    ]);
    expect((await refused(FLAG, { mark: 'maybe' }))[1]).toMatchObject({ path: 'mark' });
    expect((await refused(FLAG, { mark: 'right', note: 'x'.repeat(501) }))[1]).toMatchObject({ path: 'note' });
    expect((await refused(FLAG, { mark: 'right', note: 'a\0b' }))[1]).toMatchObject({ path: 'note' });
    expect((await set('nowhere', FLAG, { mark: 'right' })).status).toBe(404);
    expect((await call('DELETE', `/v1/events/quiet/marks/${FLAG}`)).status).toBe(404);
    expect((await rest.stored('quiet')).marks).toEqual([]);
  });

  it('are stored with all findings in their notes masked, whatever content the policy stores', async () => {
    await send('noted', 'token-1');
    const { text } = await set('noted', FLAG, { mark: 'wrong', note: 'Ask mail-77 about it.\nIt is fine.' });
    expect(JSON.parse(text).note).toBe('Ask [MAIL] about it.\nIt is fine.');
    expect((await set('noted', FLAG, { mark: 'wrong', note: 'please explode' })).body.note).toBe('[UNSCANNED]');
    const [kept] = await sql().query<{ notes: string }>(`SELECT string_agg(note, ' ') AS notes FROM event_marks`);
    expect(kept?.notes).not.toMatch(/mail-77|explode/);
  });

  it('can be removed, which is a separate action in the audit log', async () => {
    const id = await send('undone', 'token-1');
    await set('undone', FLAG, { mark: 'wrong' });
    expect((await call('DELETE', `/v1/events/undone/marks/${FLAG}`)).status).toBe(204);
    expect((await call('DELETE', `/v1/events/undone/marks/${FLAG}`)).status).toBe(404);
    expect((await marks(`?event=${id}`)).data).toEqual([]);
    const [last] = (await rest.read(`/v1/audit?subject=${id}`)).json.data;
    expect(last).toMatchObject({ action: 'event.unmarked', details: { rule: FLAG } });
  });

  it('are listed in pages, the newest first', async () => {
    const before = (await marks('?limit=200')).data.length;
    const walked: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { data: { event: string; rule: string }[]; next_cursor: string | null } = await marks(
        `?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      walked.push(...page.data.map(({ event, rule }) => `${event} ${rule}`));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(new Set(walked).size).toBe(before);
    expect((await marks('?mark=missed')).data).toMatchObject([{ rule: BLOCK, mark: 'missed' }]);
  });

  it('require a token with the scope events:mark for their environment and account', async () => {
    const id = await send('guarded', 'token-1');
    const reader = await tokenFor({ scopes: ['events:read'] });
    expect((await set('guarded', FLAG, { mark: 'right' }, reader)).status).toBe(403);
    const marker = await tokenFor({ scopes: ['events:mark'] });
    expect((await set('guarded', FLAG, { mark: 'right' }, marker)).status).toBe(200);
    expect((await call('GET', '/v1/marks', undefined, marker)).status).toBe(403);
    const staging = await tokenFor({ scopes: ['events:mark', 'events:read'], environment: 'staging' });
    expect((await set('guarded', FLAG, { mark: 'wrong' }, staging)).status).toBe(404);
    expect((await marks('', staging)).data).toEqual([]);
    expect((await call('GET', '/v1/marks?environment=production', undefined, staging)).status).toBe(403);
    const second = await secondAccount(current(), 'marks');
    expect((await marks('', second.token)).data).toEqual([]);
    expect((await marks(`?event=${id}`, second.token)).data).toEqual([]);
    expect((await set(id, FLAG, { mark: 'wrong' }, second.token)).status).toBe(404);
    expect((await call('DELETE', `/v1/events/${id}/marks/${FLAG}`, undefined, second.token)).status).toBe(404);
    expect((await marks(`?event=${id}`)).data).toMatchObject([{ mark: 'right' }]);
  });

  it('are deleted after the events that they refer to', async () => {
    const id = await send('gone', 'token-1');
    await set('gone', FLAG, { mark: 'wrong', note: 'kept no longer' });
    const all = (await marks('?limit=200')).data.length;
    expect(await deleteMarks(sql())).toBe(0);
    await sql().query('DELETE FROM events WHERE id = $1::uuid', [id]);
    expect(await deleteMarks(sql())).toBe(1);
    expect((await marks('?limit=200')).data).toHaveLength(all - 1);
  });
});
