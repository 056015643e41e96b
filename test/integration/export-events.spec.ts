import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { parse } from 'csv-parse/sync';
import { rowsOfParquet } from '../support/parquet.js';
import { eachApp } from '../support/each-app.js';

interface Line {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
}

eachApp('Exporting and following the log', (current) => {
  const auth = (token = current().bootstrap.token) => ({ authorization: `Bearer ${token}` });
  const submit = async (eventId: string, more: object = {}) => {
    const response = await fetch(`${current().url}/v1/events`, {
      method: 'POST',
      headers: { ...auth(current().bootstrap.keys.production), 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'ai.request',
        event_id: eventId,
        request_id: eventId,
        payload: { prompt: 'hello' },
        ...more,
      }),
    });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  };
  const get = async (path: string) => {
    const response = await fetch(`${current().url}${path}`, { headers: auth() });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const lines = (text: string): Line[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);

  beforeAll(async () => {
    await submit('plain');
    await submit('formula', {
      model: '=HYPERLINK("https://evil.example")',
      metadata: { note: 'two\nlines, "quoted"' },
    });
    await submit('number', { metadata: { amount: -5, big: JSON.parse('1') as number } });
  });

  it('returns every event that matches as JSON lines, newest first', async () => {
    const { status, headers, text } = await get('/v1/events/export?type=ai.request');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    expect(lines(text).map(({ event_id: id }) => id)).toEqual(['number', 'formula', 'plain']);
  });

  it('continues after the last line received', async () => {
    const [first] = lines((await get('/v1/events/export')).text);
    const { text } = await get(`/v1/events/export?before=${first!.id}`);
    expect(lines(text).map(({ event_id: id }) => id)).toEqual(['formula', 'plain']);
  });

  it('returns CSV without cells that a spreadsheet would execute as formulas', async () => {
    const { headers, text } = await get('/v1/events/export?format=csv');
    expect(headers.get('content-type')).toContain('text/csv');
    const [head, ...rows] = text.split('\r\n');
    expect(head).toContain('id,received_at,type');
    const marked = await fetch(`${current().url}/v1/events/export?format=csv&bom=true`, { headers: auth() });
    expect(Buffer.from(await marked.bytes()).toString()).toBe(`\ufeff${text}`);
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(text).not.toMatch(/(^|,)"?[=+@-]/m);
    expect(rows.filter((row) => row !== '')).toHaveLength(3);
  });

  it('returns the requested columns in the requested order', async () => {
    const { text } = await get('/v1/events/export?format=csv&columns=model,event_id&type=ai.request');
    expect(text.split('\r\n').slice(0, 2)).toEqual(['model,event_id', ',number']);
  });

  it('returns the same rows as JSON lines, CSV and Parquet', async () => {
    const records = lines((await get('/v1/events/export')).text) as (Line & { received_at: string; payload: object })[];
    const known = records.map((one) => [one.id, one.event_id, one.received_at, JSON.stringify(one.payload)]);
    const table = parse((await get('/v1/events/export?format=csv')).text, { columns: true }) as Record<
      string,
      string
    >[];
    expect(table.map((row) => [row['id'], row['event_id'], row['received_at'], row['payload']])).toEqual(known);
    const response = await fetch(`${current().url}/v1/events/export?format=parquet`, { headers: auth() });
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const rows = await rowsOfParquet(
      await response.bytes(),
      "SELECT id, event_id, strftime(received_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'), payload FROM events",
    );
    expect(rows).toEqual(known);
  });

  it('returns a Parquet file without rows if nothing matches', async () => {
    const response = await fetch(`${current().url}/v1/events/export?format=parquet&model=none`, { headers: auth() });
    expect(await rowsOfParquet(await response.bytes(), 'SELECT count(*)::integer FROM events')).toEqual([[0]]);
  });

  it.each([
    ['/v1/events/export?format=parquet&before=0199a2f0-0000-7000-8000-000000000000', 'before'],
    ['/v1/events/export?format=xml', 'format'],
    ['/v1/events/export?format=parquet&bom=true', 'bom'],
    ['/v1/events/export?format=csv&bom=yes', 'bom'],
    ['/v1/events/export?format=csv&columns=model,colour', 'columns'],
    ['/v1/events/export?format=csv&columns=model,model', 'columns'],
    ['/v1/events/export?columns=model', 'columns'],
    ['/v1/events/export?limit=5', 'limit'],
    ['/v1/events/export?before=x', 'before'],
    ['/v1/events/export?colour=red', 'colour'],
    ['/v1/events/tail?q=x', 'q'],
  ])('refuses %s and names the parameter', async (path, name) => {
    const { status, text } = await get(path);
    expect(status).toBe(422);
    expect(text).toContain(`"${name}"`);
  });

  it('sends each new event once to a follower, and continues after the last received event when the follower reconnects', async () => {
    const seen: Line[] = [];
    const follow = async (until: number, headers: Record<string, string> = {}) => {
      // A separate connection: a pooled one would be reopened but not used, and the server would wait for it.
      const request = httpGet(`${current().url}/v1/events/tail?type=ai.request`, {
        agent: false,
        headers: { ...auth(), ...headers },
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.headers['content-type']).toContain('text/event-stream');
      let text = '';
      let submitted = false;
      for await (const part of response.setEncoding('utf8')) {
        text += part as string;
        if (!submitted && headers['last-event-id'] === undefined) {
          submitted = true;
          for (const id of ['t1', 't2', 't3']) await submit(id);
        }
        const frames = text.split('\n\n').filter((frame) => frame.includes('data: '));
        if (frames.length >= until) {
          seen.push(...frames.map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as Line));
          request.destroy();
          return;
        }
      }
    };
    await follow(3);
    expect(seen.map(({ event_id: id }) => id)).toEqual(['t1', 't2', 't3']);
    const first = seen[0]!.id;
    seen.length = 0;
    await follow(2, { 'last-event-id': first });
    expect(seen.map(({ event_id: id }) => id)).toEqual(['t2', 't3']);
  });
});
