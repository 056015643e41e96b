import { createHash } from 'node:crypto';
import { eachApp } from '../support/each-app.js';

interface Export {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly sha256: string;
}

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
      json: (isJson ? JSON.parse(Buffer.from(bytes).toString()) : undefined) as never,
    };
  };
  const done = async (body: object): Promise<Export> => {
    let job = (await send('POST', '/v1/exports', body)).json as Export;
    while (job.state === 'queued' || job.state === 'running') {
      job = (await send('GET', `/v1/exports/${job.id}`)).json;
    }
    return job;
  };

  beforeAll(async () => {
    for (const eventId of ['one', 'two', 'three']) {
      const body = { type: 'ai.request', event_id: eventId, request_id: eventId, payload: { prompt: eventId } };
      expect((await send('POST', '/v1/events', body, current().bootstrap.keys.production)).status).toBe(200);
    }
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
});
