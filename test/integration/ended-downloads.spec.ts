/** Long answers whose credential is deleted after their first part. */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { AuditReader } from '../../src/access/management/audit-reader.js';
import { encodeCursor } from '../../src/events/reading/cursor.js';
import { ReplicaEventReader } from '../../src/events/reading/replica-event-reader.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';

eachApp('A download', (current) => {
  const rest = restClient(current);
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${current().bootstrap.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  };
  /**
   * Downloads with a new token, and returns the status of the complete answer.
   *
   * @param change changes the service, so that it calls `revoke`, which deletes the token; returns a function that undoes the change
   */
  async function downloaded(path: string, scope: string, change: (revoke: () => Promise<void>) => () => void) {
    const { token, secret } = (await send('POST', '/v1/tokens', { name: 'reader', scopes: [scope] })).json;
    const undo = change(async () => {
      const { status } = await send('DELETE', `/v1/tokens/${token.id}`);
      expect([204, 404]).toContain(status);
    });
    try {
      const response = await fetch(`${current().url}${path}`, { headers: { authorization: `Bearer ${secret}` } });
      await response.text();
      return response.status;
    } catch {
      return 'cut off';
    } finally {
      undo();
    }
  }

  beforeAll(async () => {
    for (const id of ['one', 'two']) {
      const event = { type: 'ai.request', event_id: id, request_id: id, payload: { prompt: id } };
      expect((await rest.submit(event)).status).toBe(200);
    }
  });

  it.each(['jsonl', 'csv'])('of the event log ends with its token: %s', async (format) => {
    const readers = current().weir.app.get(ReplicaEventReader);
    const upTo = readers.upTo.bind(readers);
    /** The log has one page: each of its events is turned into one. */
    const inTwoPages = (revoke: () => Promise<void>) => {
      readers.upTo = async (...until) => {
        const reader = await upTo(...until);
        const list = reader.list.bind(reader);
        reader.list = async (filters, cursor) => {
          const { data, ...page } = await list({ ...filters, limit: 1 }, cursor);
          await revoke();
          return { ...page, data, nextCursor: data[0] === undefined ? null : encodeCursor(data[0].id) };
        };
        return reader;
      };
      return () => void (readers.upTo = upTo);
    };
    const path = `/v1/events/export?format=${format}`;
    expect(await downloaded(path, 'events:read', inTwoPages)).toBe('cut off');
    expect(await downloaded(path, 'events:read', () => () => undefined)).toBe(200);
  });

  it('of the audit log ends with its token', async () => {
    const reader = current().weir.app.get(AuditReader);
    const page = reader.page.bind(reader);
    const inTwoPages = (revoke: () => Promise<void>) => {
      reader.page = async (accountId, filter) => {
        const found = await page(accountId, filter, 1);
        await revoke();
        return found;
      };
      return () => void (reader.page = page);
    };
    const path = '/v1/audit?format=jsonl';
    expect(await downloaded(path, 'account:admin', inTwoPages)).toBe('cut off');
    expect(await downloaded(path, 'account:admin', () => () => undefined)).toBe(200);
  });

  it('of an exported file ends with its token', async () => {
    const jobs = current().weir.app.get(ExportJobs);
    const contents = jobs.contents.bind(jobs);
    let job = (await send('POST', '/v1/exports', { format: 'jsonl' })).json;
    while (job.state !== 'done') job = (await send('GET', `/v1/exports/${job.id}`)).json;
    const inTwoParts = (revoke: () => Promise<void>) => {
      jobs.contents = async function* (...file) {
        const parts: Buffer[] = [];
        for await (const part of contents(...file)) parts.push(await promisify(inflateRaw)(part));
        const whole = Buffer.concat(parts);
        await revoke();
        for (const half of [whole.subarray(0, 10), whole.subarray(10)]) yield await promisify(deflateRaw)(half);
      };
      return () => void (jobs.contents = contents);
    };
    const path = `/v1/exports/${job.id}/file`;
    expect(await downloaded(path, 'events:read', inTwoParts)).toBe('cut off');
    expect(await downloaded(path, 'events:read', () => () => undefined)).toBe(200);
  });
});
