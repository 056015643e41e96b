/** Scheduled exports over HTTP. */
import { eachApp } from '../support/each-app.js';

interface Schedule {
  readonly id: string;
  readonly next_at: string | null;
  readonly covered_to: string;
}

const DAILY = { name: 'Audit, each night', due: { every: 'day', hour: 2 }, format: 'parquet' };
const SECRET = 'wJalrXUtnFEMI/K7MDENG/' + 'bPxRfiCYEXAMPLEKEY';
const BUCKET = {
  ...{ kind: 's3', bucket: 'audit', region: 'eu-central-1', prefix: 'weir/' },
  credentials: { access_key_id: 'AKIDEXAMPLE7F2A', secret_access_key: SECRET },
};

eachApp('Schedules of exports', (current) => {
  const send = async (method: string, path: string, body?: object, token = current().bootstrap.token) => {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(text).not.toContain(SECRET);
    return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) };
  };
  const made = async (body: object = DAILY): Promise<Schedule> => {
    const { status, json, text } = await send('POST', '/v1/export-schedules', body);
    expect([status, text]).toEqual([201, expect.anything()]);
    return json;
  };
  /** The fields that an error answer names. */
  const wrongIn = (text: string): string => {
    const { details } = (JSON.parse(text) as { error: { details: { path: string; message: string }[] } }).error;
    return details.map(({ path, message }) => (path === '' ? message : path)).join(', ');
  };
  afterEach(async () => {
    const { data } = (await send('GET', '/v1/export-schedules')).json as { data: Schedule[] };
    for (const { id } of data) await send('DELETE', `/v1/export-schedules/${id}`);
  });

  it('show when they are due next, where the next file begins, and on whose behalf they run', async () => {
    const schedule = await made({ ...DAILY, filters: { decision: 'block' } });
    expect(schedule).toMatchObject({
      ...{ ...DAILY, paused: false, problem: null, filters: { decision: 'block' }, columns: null, bom: false },
      ...{ destination: { kind: 'download' }, environment: null, last_run: null },
      by: { kind: 'token', name: expect.any(String) as string },
    });
    const [from, to] = [Date.parse(schedule.covered_to), Date.parse(schedule.next_at!)];
    expect(to - from).toBe(86_400_000);
    expect(to).toBeGreaterThan(Date.now());
    expect(schedule.next_at).toMatch(/T02:00:00.000Z$/);
    expect((await send('GET', '/v1/export-schedules')).json).toEqual({ data: [schedule] });
    expect((await send('GET', `/v1/export-schedules/${schedule.id}`)).json).toEqual(schedule);
    expect((await send('GET', `/v1/export-schedules/${schedule.id}/runs`)).json).toEqual({ data: [] });
  });

  it('can be changed field by field, paused, and deleted', async () => {
    const { id } = await made({ ...DAILY, format: 'csv', columns: ['id', 'model'] });
    const patch = async (body: object) => (await send('PATCH', `/v1/export-schedules/${id}`, body)).json;
    expect(await patch({ paused: true })).toMatchObject({ paused: true, next_at: null, columns: ['id', 'model'] });
    expect(await patch({ paused: false, bom: true })).toMatchObject({ paused: false, bom: true, format: 'csv' });
    expect(await patch({ columns: null })).toMatchObject({ columns: null, bom: true });
    const weekly = { every: 'week', weekday: 'monday', hour: 6 };
    const changed = (await patch({ due: weekly, name: 'Weekly' })) as Schedule;
    expect(changed).toMatchObject({ due: weekly, name: 'Weekly' });
    expect(new Date(changed.next_at!).getUTCDay()).toBe(1);
    expect((await send('DELETE', `/v1/export-schedules/${id}`)).status).toBe(204);
    expect((await send('GET', `/v1/export-schedules/${id}`)).status).toBe(404);
    const { json } = await send('GET', `/v1/audit?subject=${id}`);
    const { data } = json as { data: { action: string; details: object }[] };
    expect(data.map(({ action }) => action.replace('export.schedule_', ''))).toEqual([
      'deleted',
      'changed',
      'changed',
      'changed',
      'changed',
      'created',
    ]);
    expect(data[1]!.details).toMatchObject({ fields: ['name', 'due'] });
  });

  it('keep all of several changes that are made at the same time', async () => {
    const { id } = await made({ ...DAILY, format: 'csv' });
    const patch = (body: object) => send('PATCH', `/v1/export-schedules/${id}`, body);
    for (const bucket of ['first', 'second', 'third']) {
      const [filters, columns, name] = [{ model: bucket }, ['id', 'model'], `to ${bucket}`];
      const changes = [{ destination: { ...BUCKET, bucket } }, { filters }, { columns }, { name, bom: true }];
      const answers = await Promise.all(changes.map(patch));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const destination = { bucket, access_key_ends: '7F2A' };
      const { json } = await send('GET', `/v1/export-schedules/${id}`);
      expect(json).toMatchObject({ name, bom: true, filters, columns, destination });
    }
  });

  it('never show the credentials of their bucket, only the last characters of the key id', async () => {
    const schedule = await made({ ...DAILY, destination: BUCKET });
    const destination = { kind: 's3', bucket: 'audit', region: 'eu-central-1', prefix: 'weir/', endpoint: null };
    expect(schedule).toMatchObject({ destination: { ...destination, access_key_ends: '7F2A' } });
    expect((await send('PATCH', `/v1/export-schedules/${schedule.id}`, { format: 'csv' })).json).toMatchObject({
      destination: { ...destination, access_key_ends: '7F2A' },
    });
    expect(
      (await send('PATCH', `/v1/export-schedules/${schedule.id}`, { destination: { kind: 'download' } })).json,
    ).toMatchObject({ destination: { kind: 'download' } });
    await send('GET', `/v1/audit?subject=${schedule.id}`);
  });

  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ due: { every: 'hour', hour: 1 } }, 'due.every'],
    [{ due: { every: 'day', hour: 24 } }, 'due.hour'],
    [{ due: { every: 'day' } }, 'due.hour'],
    [{ due: { every: 'day', hour: 1, weekday: 'monday' } }, 'due'],
    [{ due: { every: 'week', hour: 1 } }, 'due.weekday'],
    [{ due: { every: 'month', day: 31, hour: 1 } }, 'due.day'],
    [{ due: '0 2 * * *' }, 'due'],
    [{ format: 'xml' }, 'format'],
    [{ format: 'jsonl', columns: ['id'] }, 'columns'],
    [{ bom: true }, 'bom'],
    [{ filters: { from: '2026-01-01T00:00:00Z' } }, 'filters.from'],
    [{ filters: { to: '2026-01-01T00:00:00Z' } }, 'filters.to'],
    [{ filters: { colour: 'red' } }, 'filters.colour'],
    [{ filters: { limit: '5' } }, 'filters.limit'],
    [{ destination: { ...BUCKET, endpoint: 'https://127.0.0.1' } }, 'destination.endpoint'],
    [{ destination: { ...BUCKET, bucket: 'A' } }, 'destination.bucket'],
    [{ destination: { ...BUCKET, credentials: undefined } }, 'destination.credentials'],
    [{ colour: 'red' }, 'colour'],
  ])('refuse %j on creation and change, and name the field', async (wrong, field) => {
    const { id } = await made();
    for (const [method, path, body] of [
      ['POST', '/v1/export-schedules', { ...DAILY, ...wrong }],
      ['PATCH', `/v1/export-schedules/${id}`, wrong],
    ] as const) {
      const { status, text } = await send(method, path, body);
      expect([method, status, wrongIn(text)]).toEqual([method, 422, expect.stringContaining(field)]);
    }
  });

  it.each<[object, string]>([
    [{ due: undefined }, 'due'],
    [{ format: undefined }, 'format'],
    [{ name: undefined }, 'name'],
  ])('require every mandatory field on creation: %j', async (without, field) => {
    const { status, text } = await send('POST', '/v1/export-schedules', { ...DAILY, ...without });
    expect([status, wrongIn(text)]).toEqual([422, field]);
  });

  it('refuse a change without fields', async () => {
    const { id } = await made();
    expect((await send('PATCH', `/v1/export-schedules/${id}`, {})).status).toBe(422);
  });

  it('are limited to the environment of a bound token', async () => {
    const wide = await made();
    const token = { name: 'staging', scopes: ['events:read'], environment: 'staging' };
    const { secret } = (await send('POST', '/v1/tokens', token)).json as { secret: string };
    const narrow = await send('POST', '/v1/export-schedules', DAILY, secret);
    expect(narrow.json).toMatchObject({ environment: 'staging' });
    expect((await send('GET', `/v1/export-schedules/${wide.id}`, undefined, secret)).status).toBe(404);
    expect((await send('DELETE', `/v1/export-schedules/${wide.id}`, undefined, secret)).status).toBe(404);
    expect((await send('PATCH', `/v1/export-schedules/${wide.id}`, { paused: true }, secret)).status).toBe(404);
  });
});
