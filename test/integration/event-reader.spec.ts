import { randomUUID } from 'node:crypto';
import type { Reach } from '../../src/access/index.js';
import type { NewEvent } from '../../src/events/event.js';
import { EventLog } from '../../src/events/event-log.js';
import type { EventFilters } from '../../src/events/reading/event-filters.js';
import { EventReader, InvalidEventQuery } from '../../src/events/reading/event-reader.js';
import type { EventRecord } from '../../src/events/reading/event-record.js';
import { eachDatabase } from '../support/each-database.js';
import { appendRequest, freshEventId, newEvent, violationEvent } from '../support/events.js';

const MASK = {
  ...{ path: 'messages[0].content', start: 0, end: 7, entity: 'EMAIL' },
  ...{ detector: 'pii', rule: null, n: 1 },
};

const NO_ID = '00000000-0000-0000-0000-000000000000';

eachDatabase('reading events', (current) => {
  const reader = (): EventReader => new EventReader(current().database.sql);
  /** A separate account for each test, with one app called `chat`. */
  const newAccount = async (): Promise<{ manager: Reach; appId: string; accountId: string }> => {
    const [accountId, appId] = [randomUUID(), randomUUID()];
    const { sql } = current().database;
    await sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [accountId]);
    await sql.query(`INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, $2::uuid, 'chat', now())`, [
      accountId,
      appId,
    ]);
    return { accountId, appId, manager: { accountId } };
  };
  const store = async (...events: NewEvent[]): Promise<void> => {
    const log = new EventLog(current().database.sql);
    await Promise.all(events.map((event) => log.append(appendRequest(event))));
  };
  const ids = (records: readonly EventRecord[]): string[] => records.map(({ id }) => id);
  const found = async (filters: EventFilters): Promise<string[]> => ids((await reader().list(filters)).data);

  it('returns a record as it was stored', async () => {
    const { accountId, appId, manager } = await newAccount();
    const receivedAt = new Date('2026-03-04T05:06:07.089Z');
    const event = newEvent({
      accountId,
      appId,
      receivedAt,
      sessionId: 's-1',
      reason: 'content_policy_violation',
      decision: 'block',
      usage: { promptTokens: 12, completionTokens: 34, cacheReadTokens: 5 },
      costNanoUsd: '12345678901234567890',
      priceVersion: '2026-01',
      latencyMs: { total: 12.5, weir: 1.25 },
      redactions: [{ type: 'contains_pii', count: 2 }],
      upstreamStatus: 200,
      marks: { masks: [MASK], masksLeftOut: 3, excerpt: 'Hello' },
      excepted: [{ rule: 'pii.mask', exception: 'EX-1', kept: 'redact' }],
    });
    await store(event);
    expect(await reader().get(manager, event.id)).toEqual({
      id: event.id,
      event_id: event.id,
      type: 'ai.request',
      app: { id: appId, name: 'chat' },
      key_id: 'AbCdEfGhIjKl',
      environment: 'production',
      declared_environment: 'production',
      source: 'rest',
      request_id: 'req-1',
      trace_id: null,
      parent_id: null,
      session_id: 's-1',
      provider: 'openai',
      model: 'gpt-4o',
      metadata: { user_id: 'u_1' },
      payload: { messages: [{ role: 'user', content: 'Hello' }] },
      capture: 'redacted',
      masks: [MASK],
      masks_left_out: 3,
      excerpt: 'Hello',
      excepted: [{ rule: 'pii.mask', exception: 'EX-1', kept: 'redact' }],
      decision: 'block',
      reason: 'content_policy_violation',
      outcome: 'blocked',
      violations: [],
      redactions: [{ type: 'contains_pii', count: 2 }],
      unread: [],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 34,
        cache_read_tokens: 5,
        cache_write_tokens: null,
        cache_write_1h_tokens: null,
        reasoning_tokens: null,
        other: null,
        estimated: false,
      },
      cost_nano_usd: '12345678901234567890',
      price_version: '2026-01',
      latency_ms: { total: 12.5, provider: null, weir: 1.25 },
      policy: { id: 'production', digest: 'd'.repeat(64), version: '1' },
      detectors: [{ key: 'pii', plugin: 'pii', version: '1.0.0', revision: 1, status: 'scanned' }],
      facts: { 'pii.count': 0 },
      upstream_status: 200,
      received_at: '2026-03-04T05:06:07.089Z',
    });
  });

  it('returns null for missing fields', async () => {
    const { accountId, appId, manager } = await newAccount();
    const event: NewEvent = { ...newEvent({ accountId, appId }) };
    const bare = Object.fromEntries(
      Object.entries(event).filter(([key]) => !['metadata', 'payload', 'facts', 'policyId', 'decision'].includes(key)),
    ) as unknown as NewEvent;
    await store(bare);
    const record = await reader().get(manager, event.id);
    expect(record).toMatchObject({
      metadata: null,
      payload: null,
      facts: null,
      masks: null,
      masks_left_out: 0,
      excerpt: null,
      policy: null,
      decision: null,
      usage: null,
    });
  });

  it('returns every number of the payload as it was received', async () => {
    const { accountId, appId, manager } = await newAccount();
    const payload = '{"big":12345678901234567890,"money":1.10,"tiny":1e-7,"zero":-0,"n":[1,2.5],"__proto__":{"x":1}}';
    const event = newEvent({ accountId, appId, payload });
    await store(event);
    const record = await reader().get(manager, event.id);
    expect(JSON.stringify((record as EventRecord).payload)).toBe(payload);
  });

  it('returns each event on exactly one page, newest first, while new events are stored', async () => {
    const { accountId, appId, manager } = await newAccount();
    const events = Array.from({ length: 23 }, () => newEvent({ accountId, appId }));
    await store(...events);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await reader().list({ manager, limit: 5 }, cursor);
      seen.push(...ids(page.data));
      await store(newEvent({ accountId, appId }));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(events.map(({ id }) => id).toReversed());
  });

  it('returns no cursor after the last page, even if that page is full', async () => {
    const { accountId, appId, manager } = await newAccount();
    await store(...Array.from({ length: 4 }, () => newEvent({ accountId, appId })));
    const first = await reader().list({ manager, limit: 2 });
    const second = await reader().list({ manager, limit: 2 }, first.nextCursor ?? '');
    expect(second.data).toHaveLength(2);
    expect(second.nextCursor).toBeNull();
  });

  it('ends a page early if its events are large, and still makes progress', async () => {
    const { accountId, appId, manager } = await newAccount();
    const payload = JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) });
    const events = Array.from({ length: 5 }, () => newEvent({ accountId, appId, payload }));
    await store(...events);
    const first = await reader().list({ manager });
    expect(first.data).toHaveLength(2);
    const second = await reader().list({ manager }, first.nextCursor ?? '');
    const third = await reader().list({ manager }, second.nextCursor ?? '');
    expect([...ids(first.data), ...ids(second.data), ...ids(third.data)]).toEqual(
      events.map(({ id }) => id).toReversed(),
    );
    expect(third.nextCursor).toBeNull();
  });

  it('applies each filter', async () => {
    const { accountId, appId, manager } = await newAccount();
    const at = (iso: string): { receivedAt: Date } => ({ receivedAt: new Date(iso) });
    const base = { accountId, appId };
    const plain = newEvent({ ...base, ...at('2026-01-05T00:00:00Z'), metadata: '{}', requestId: 'r-plain' });
    const source = newEvent({
      ...base,
      ...at('2026-01-20T12:00:00Z'),
      environment: 'staging',
      type: 'ai.response',
      requestId: 'r-2',
      sessionId: 's-2',
      model: 'claude-sonnet-4-5',
      decision: 'block',
      metadata: '{"user":{"id":7},"tags":["beta","eu"],"note":"a\\u0000b"}',
      violations: violationEvent(plain, 'pii.block').violations,
    });
    const child = { ...violationEvent(source, 'pii.block'), ...base, metadata: '{"user":{"id":"7"}}' };
    await store(plain);
    await new EventLog(current().database.sql).append(appendRequest(source, [child]));
    const both = [child.id, source.id];
    const cases: [Partial<EventFilters>, string[]][] = [
      [{ type: 'ai.response' }, [source.id]],
      [{ type: 'policy.violation' }, [child.id]],
      [{ environment: 'staging' }, both],
      [{ environment: 'development' }, []],
      [{ app: 'chat' }, [...both, plain.id]],
      [{ app: appId }, [...both, plain.id]],
      [{ app: 'other' }, []],
      [{ app: randomUUID() }, []],
      [{ requestId: 'r-2' }, [source.id]],
      [{ sessionId: 's-2' }, [source.id]],
      [{ model: 'claude-sonnet-4-5' }, [source.id]],
      [{ decision: 'block' }, [source.id]],
      [{ rule: 'pii.block' }, both],
      [{ rule: 'pii' }, []],
      [{ metadata: { 'user.id': '7' } }, both],
      [{ metadata: { 'user.id': '7', tags: 'eu' } }, [source.id]],
      [{ metadata: { tags: 'us' } }, []],
      [{ metadata: { note: 'a\0b' } }, [source.id]],
      [{ from: new Date('2026-01-20T12:00:00Z') }, both],
      [{ to: new Date('2026-01-20T12:00:00Z') }, [plain.id]],
      [{ from: new Date('2026-01-05T00:00:00Z'), to: new Date('2026-01-05T00:00:00.001Z') }, [plain.id]],
      [{ type: 'ai.response', decision: 'allow' }, []],
      [{ model: `' OR true --` }, []],
    ];
    for (const [filters, expected] of cases) {
      expect({ filters, ids: await found({ manager, ...filters }) }).toEqual({ filters, ids: expected });
    }
  });

  it('finds text in payload and metadata regardless of letter case, and matches special characters literally', async () => {
    const { accountId, appId, manager } = await newAccount();
    const base = { accountId, appId };
    const quoted = newEvent({ ...base, payload: JSON.stringify({ text: 'He said "100%_sure"\nÄrger' }) });
    const tagged = newEvent({ ...base, metadata: '{"feature":"Checkout"}' });
    await store(quoted, tagged);
    expect(await found({ manager, text: 'SAID "100%_SURE"\n' })).toEqual([quoted.id]);
    expect(await found({ manager, text: 'checkOUT' })).toEqual([tagged.id]);
    expect(await found({ manager, text: '100_sure' })).toEqual([]);
    expect(await found({ manager, text: 'back\\slash' })).toEqual([]);
  });

  it('ends a page early if it takes too long, reports how far it searched, and continues from there', async () => {
    const { accountId, appId, manager } = await newAccount();
    const base = { accountId, appId };
    const needle = newEvent({ ...base, model: 'rare', payload: '{"text":"needle"}' });
    await store(needle);
    const others = Array.from({ length: 60 }, () => newEvent(base));
    await store(...others);
    for (const filters of [{ text: 'needle' }, { model: 'rare' }, { view: 'calls', model: 'rare' }] as const) {
      const impatient = { ms: 0, rows: 7 };
      const first = await reader().page({ manager, ...filters }, undefined, impatient);
      expect(first.data).toEqual([]);
      expect(first.searchedTo).not.toBeNull();
      let page = first;
      for (let pages = 1; page.nextCursor !== null && page.data.length === 0; pages++) {
        expect(pages).toBeLessThan(60);
        page = await reader().page({ manager, ...filters }, page.nextCursor, impatient);
      }
      expect(page.data.map(({ id }) => id)).toEqual([needle.id]);
    }
  });

  it('fills a page if there is no time limit', async () => {
    const { accountId, appId, manager } = await newAccount();
    const needle = newEvent({ accountId, appId, model: 'rare' });
    await store(needle);
    await store(...Array.from({ length: 60 }, () => newEvent({ accountId, appId })));
    const page = await reader().page({ manager, model: 'rare' }, undefined, { ms: Infinity, rows: 7 });
    expect(page).toMatchObject({ data: [{ id: needle.id }], nextCursor: null, searchedTo: null });
  });

  it('refuses invalid cursors and limits', async () => {
    const { manager } = await newAccount();
    for (const cursor of ['', 'x', 'AAAA', '!!!!', Buffer.alloc(17, 2).toString('base64url'), `${'A'.repeat(23)}=`]) {
      await expect(reader().list({ manager }, cursor)).rejects.toThrow(InvalidEventQuery);
    }
    for (const limit of [0, -1, 201, 1.5, Number.NaN]) {
      await expect(reader().list({ manager, limit })).rejects.toMatchObject({ field: 'limit' });
    }
  });

  it('returns nothing of another account, neither in lists nor by id', async () => {
    const mine = await newAccount();
    const theirs = await newAccount();
    const eventId = freshEventId();
    const event = newEvent({ accountId: mine.accountId, appId: mine.appId, eventId });
    await store(event);
    expect(await found({ manager: theirs.manager })).toEqual([]);
    expect(await reader().get(theirs.manager, event.id)).toBeNull();
    expect(await reader().get(theirs.manager, eventId)).toBeNull();
    expect(await found({ manager: theirs.manager, app: mine.appId })).toEqual([]);
  });

  it('is limited to the environment of a bound token', async () => {
    const { accountId, appId, manager } = await newAccount();
    const eventId = freshEventId();
    const production = newEvent({ accountId, appId, eventId });
    const staging = newEvent({ accountId, appId, eventId, environment: 'staging' });
    await store(production, staging);
    const bound: Reach = { ...manager, environment: 'staging' };
    expect(await found({ manager: bound })).toEqual([staging.id]);
    expect(await found({ manager: bound, environment: 'production' })).toEqual([]);
    expect(await reader().get(bound, production.id)).toBeNull();
    expect(await reader().get(bound, eventId)).toMatchObject({ id: staging.id });
    expect(await reader().get(manager, eventId)).toEqual({ by: ['environment'] });
    expect(await reader().get(manager, eventId, { environment: 'staging' })).toMatchObject({ id: staging.id });
    expect(await reader().get(manager, eventId, { environment: 'development' })).toBeNull();
    expect(await reader().get(bound, eventId, { environment: 'production' })).toBeNull();
  });

  it('requires the app if several apps share an event_id', async () => {
    const { accountId, appId, manager } = await newAccount();
    const otherApp = randomUUID();
    const eventId = freshEventId();
    const here = newEvent({ accountId, appId, eventId });
    await store(here, newEvent({ accountId, appId: otherApp, eventId }));
    expect(await reader().get(manager, eventId)).toEqual({ by: ['app'] });
    expect(await reader().get(manager, eventId, { app: 'chat' })).toMatchObject({ id: here.id });
    expect(await reader().get(manager, eventId, { app: otherApp })).toMatchObject({
      app: { id: otherApp, name: null },
    });
    expect(await reader().get(manager, eventId, { app: 'nobody' })).toBeNull();
  });

  it('finds by event id the attempt that was accepted, or the latest attempt if all were refused', async () => {
    const { accountId, appId, manager } = await newAccount();
    const eventId = freshEventId();
    const log = new EventLog(current().database.sql);
    const attempts = [1, 2].map(() => newEvent({ accountId, appId, eventId, decision: 'block' }));
    for (const event of attempts) {
      await log.append({ event, children: [], idempotency: { fingerprint: Buffer.alloc(32) } });
    }
    expect(await reader().get(manager, eventId)).toMatchObject({ id: attempts[1]?.id });
    const final = newEvent({ accountId, appId, eventId });
    await log.append(appendRequest(final));
    expect(await reader().get(manager, eventId)).toMatchObject({ id: final.id });
  });

  it('returns the events after an id in parts, each with as many records as fit into a number of bytes', async () => {
    const { accountId, appId, manager } = await newAccount();
    const payload = JSON.stringify({ text: 'x'.repeat(40_000) });
    const events = Array.from({ length: 5 }, () => newEvent({ accountId, appId, payload }));
    await store(...events);
    await store(newEvent({ accountId, appId, model: 'other' }));
    const all = events.map(({ id }) => id);
    const filters = { manager, model: 'gpt-4o' };
    const [begin, rest] = [await reader().idsAfter(filters, NO_ID, 3), await reader().idsAfter(filters, all[2]!, 3)];
    expect(begin).toEqual({ ids: all.slice(0, 3), reached: all[2], isComplete: false });
    expect(rest).toMatchObject({ ids: all.slice(3), isComplete: true });
    const sizes = [100_000, 1, 1e9].map((bytes) => reader().firstOf(manager, all, bytes));
    expect((await Promise.all(sizes)).map(ids)).toEqual([all.slice(0, 2), all.slice(0, 1), all]);
    expect(await reader().firstOf(manager, [NO_ID, ...all], 1)).toEqual([await reader().get(manager, all[0]!)]);
    expect(await reader().firstOf(manager, [NO_ID], 1e9)).toEqual([]);
  });

  it('accepts any text as an id', async () => {
    const { manager } = await newAccount();
    for (const id of ['', '\0', `' OR 1=1`, 'x'.repeat(5_000), randomUUID()]) {
      expect(await reader().get(manager, id)).toBeNull();
    }
  });
});
