import { createHash } from 'node:crypto';
import { ReplicaEventReader } from '../../src/events/reading/replica-event-reader.js';
import { eachApp } from '../support/each-app.js';

interface Export {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly sha256: string;
}

/** Two of these events are more than one stored part of a file. */
const LONG = { model: 'long-texts', payload: { prompt: 'x'.repeat(600_000) } };

eachApp('Exports in the background', (current) => {
  const send = async (method: string, path: string, body?: object, token = current().bootstrap.token) => {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const bytes = await response.bytes();
    const isJson = response.headers.get('content-type')?.includes('application/json') === true;
    return {
      ...{ status: response.status, headers: response.headers, bytes },
      json: isJson ? JSON.parse(Buffer.from(bytes).toString()) : undefined,
    };
  };
  const ended = async (path: string): Promise<Export> => {
    for (;;) {
      const job = (await send('GET', path)).json as Export;
      if (job.state !== 'queued' && job.state !== 'running') return job;
    }
  };
  const done = async (body: object): Promise<Export> => {
    const { id } = (await send('POST', '/v1/exports', body)).json as Export;
    return ended(`/v1/exports/${id}`);
  };
  const submit = async (eventId: string, more: object) => {
    const body = { type: 'ai.request', event_id: eventId, request_id: eventId, ...more };
    expect((await send('POST', '/v1/events', body, current().bootstrap.keys.production)).status).toBe(200);
  };
  /** Exports while the log cannot be read after some events. */
  const failing = async (events: number, body: object): Promise<Export> => {
    const readers = current().weir.app.get(ReplicaEventReader);
    const upTo = readers.upTo.bind(readers);
    readers.upTo = async (...until) => {
      const reader = await upTo(...until);
      const list = reader.list.bind(reader);
      let read = 0;
      reader.list = async (filters, cursor) => {
        if (read++ === events) throw new Error('the log cannot be read');
        return list({ ...filters, limit: 1 }, cursor);
      };
      return reader;
    };
    try {
      return await done(body);
    } finally {
      readers.upTo = upTo;
    }
  };

  beforeAll(async () => {
    for (const eventId of ['one', 'two', 'three']) await submit(eventId, { payload: { prompt: eventId } });
  });

  it.each(['jsonl', 'csv', 'parquet'])(
    'write the same file as the stream with the same filters: %s',
    async (format) => {
      const job = await done({ format, filters: { type: 'ai.request' } });
      expect(job).toMatchObject({
        ...{
          state: 'done',
          format,
          rows: 3,
          rows_expected: 3,
          error: null,
          has_file: true,
          filters: { type: 'ai.request' },
        },
        ...{ by: { kind: 'token', name: expect.any(String) as string }, destination: { kind: 'download' } },
      });
      const file = await send('GET', `/v1/exports/${job.id}/file`);
      expect(file.headers.get('content-disposition')).toMatch(
        new RegExp(`^attachment; filename="weir-events-.*\\.${format}"`),
      );
      const streamed = await send('GET', `/v1/events/export?format=${format}&type=ai.request`);
      expect(Buffer.from(file.bytes).equals(Buffer.from(streamed.bytes))).toBe(true);
      expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(job.sha256);
    },
  );

  it('have the requested columns in CSV, and a byte order mark for Excel', async () => {
    const job = await done({ format: 'csv', bom: true, columns: ['event_id', 'model'] });
    const { bytes } = await send('GET', `/v1/exports/${job.id}/file`);
    expect(Buffer.from(bytes).toString()).toBe('\ufeffevent_id,model\r\nthree,\r\ntwo,\r\none,\r\n');
  });

  it.each<[object, string]>([
    [{ format: 'xml' }, 'format'],
    [{ format: 'csv', filters: { colour: 'red' } }, 'filters.colour'],
    [{ format: 'csv', filters: { from: 'yesterday' } }, 'filters.from'],
    [{ format: 'csv', filters: { limit: '5' } }, 'filters.limit'],
    [{ format: 'csv', columns: ['secret'] }, 'columns'],
    [{ format: 'csv', columns: ['id', 'id'] }, 'columns'],
    [{ format: 'jsonl', columns: ['id'] }, 'columns'],
    [{ format: 'parquet', bom: true }, 'bom'],
    [{ format: 'csv', destination: { kind: 'mail' } }, 'destination'],
  ])('refuse %j and name the field', async (body, field) => {
    const { status, bytes } = await send('POST', '/v1/exports', body);
    expect([status, Buffer.from(bytes).toString()]).toEqual([422, expect.stringContaining(field)]);
  });

  it('are recorded in the admin audit log on creation, download and removal', async () => {
    const { id } = await done({ format: 'jsonl', filters: { q: 'private words' } });
    await send('GET', `/v1/exports/${id}/file`);
    expect((await send('DELETE', `/v1/exports/${id}`)).status).toBe(204);
    expect((await send('GET', `/v1/exports/${id}`)).status).toBe(404);
    const { json } = await send('GET', `/v1/audit?subject=${id}`);
    const { data } = json as { data: { action: string }[] };
    expect(data.map(({ action }) => action)).toEqual(['export.removed', 'export.downloaded', 'export.created']);
    expect(JSON.stringify(data)).not.toContain('private words');
  });

  it('are limited to the environment of a bound token, which sees no other exports', async () => {
    const made = await send('POST', '/v1/tokens', { name: 'staging', scopes: ['events:read'], environment: 'staging' });
    const { secret } = made.json as { secret: string };
    const wide = await done({ format: 'csv' });
    expect((await send('GET', `/v1/exports/${wide.id}`, undefined, secret)).status).toBe(404);
    const narrow = (await send('POST', '/v1/exports', { format: 'jsonl' }, secret)).json as Export;
    let job = narrow;
    while (job.state !== 'done') job = (await send('GET', `/v1/exports/${job.id}`, undefined, secret)).json;
    expect(job).toMatchObject({ environment: 'staging', rows: 0 });
  });

  it('are resumed after a failure, and then have the same file as in one run', async () => {
    for (const eventId of ['long-1', 'long-2', 'long-3']) await submit(eventId, LONG);
    const order = { format: 'jsonl', filters: { model: LONG.model } };
    const whole = await done(order);
    const failed = await failing(2, order);
    expect(failed).toMatchObject({
      ...{ state: 'failed', error: 'The service could not write the file', rows: 2, has_file: false, resumable: true },
      expires_at: expect.any(String) as string,
    });
    const path = `/v1/exports/${failed.id}`;
    expect((await send('GET', `${path}/file`)).status).toBe(404);
    expect((await send('PATCH', path, { paused: false })).status).toBe(200);
    expect(await ended(path)).toMatchObject({
      ...{ state: 'done', error: null, rows: 3, sha256: whole.sha256, has_file: true, resumable: false },
    });
    const { json } = await send('GET', `/v1/audit?subject=${failed.id}`);
    const { data } = json as { data: { action: string }[] };
    expect(data.map(({ action }) => action)).toEqual(['export.resumed', 'export.created']);
  });

  it('cannot be resumed if they failed before a row was stored', async () => {
    const failed = await failing(0, { format: 'jsonl' });
    expect(failed).toMatchObject({ state: 'failed', rows: 0, resumable: false, expires_at: null });
    const { status, bytes } = await send('PATCH', `/v1/exports/${failed.id}`, { paused: false });
    expect([status, Buffer.from(bytes).toString()]).toEqual([422, expect.stringContaining('"paused"')]);
  });

  it('have the events that match by themselves, without the other events of their calls', async () => {
    const call = { request_id: 'refused', model: 'busy-model' };
    await submit('refused-request', { ...call, payload: { prompt: 'hello' } });
    const error = { type: 'overloaded', message: 'busy' };
    await submit('refused-answer', { ...call, type: 'ai.error', payload: { error } });
    const { data } = (await send('GET', '/v1/events?view=calls&outcome=error')).json as { data: { id: string }[] };
    expect(data).toMatchObject([{ event_id: 'refused-request' }]);
    expect(await done({ format: 'jsonl', filters: { outcome: 'error' } })).toMatchObject({ rows: 1 });
    expect(await done({ format: 'jsonl', filters: { call: data[0]!.id } })).toMatchObject({ rows: 2 });
  });
});
