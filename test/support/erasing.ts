/** Calls of a person, the erasure of the person, and the search for the person in all stored data. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Database } from '../../src/database/index.js';
import { tablesInOrder } from '../../src/database/table-sums.js';
import { restClient, type Answer } from './rest-client.js';
import type { TestApp } from './test-app.js';

/** Identifies the person in metadata and ids; `SAID` does so in texts. No part of either occurs anywhere else. */
export const PERSON = 'zwieback-0815';
export const SAID = 'kaltschale-4711';
/** Identifies the person in ids of events, which log lines contain as well. */
export const NAMED = 'semmelknoedel-1147';
export const OTHER = 'somebody-else';

export interface Certificate {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly open_calls: number;
  readonly looked_for: readonly { readonly fingerprint: string }[];
  readonly problem: string | null;
  readonly remains: {
    readonly vacuumed: boolean;
    readonly bucket_files: number;
    readonly audit_entries: number;
  } | null;
}

/** The texts that contain the person, shortened. */
export function naming(texts: readonly string[], words: readonly string[] = [PERSON, SAID, NAMED]): string[] {
  return texts.filter((text) => words.some((word) => text.includes(word))).map((text) => text.slice(0, 200));
}

/** The files of a folder and its folders that contain the person. */
export function filesNaming(folder: string, words: readonly string[] = [PERSON, SAID, NAMED]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return words.some((word) => bytes.includes(word));
    });
}

/** A row as text, followed by the content of its binary values: as it is, and decompressed. */
function opened(row: string): string {
  const binary = [...row.matchAll(/\\\\x((?:[0-9a-f]{2})+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'));
  return [row, ...binary.flatMap((bytes) => [bytes.toString('latin1'), inflated(bytes)])].join('\n');
}

function inflated(bytes: Buffer): string {
  try {
    return inflateRawSync(bytes).toString('latin1');
  } catch {
    return '';
  }
}

/** The routes of a service for recording and erasing calls of people. */
export function erasing(current: () => TestApp) {
  const rest = restClient(current);
  const send = (method: string, path: string, body?: object, token = current().bootstrap.token) =>
    rest.call(
      method,
      path,
      { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body && JSON.stringify(body),
    );
  let made = 0;
  const submit = async (
    event: object,
    user = PERSON,
    session = user === PERSON ? `session-${PERSON}` : 'another-session',
  ): Promise<void> => {
    const metadata = { user_id: user, session_id: session };
    const { status, json } = await rest.submit({
      type: 'ai.request',
      request_id: `r-${(made += 1)}`,
      metadata,
      ...event,
    });
    if (status !== 200) throw new Error(JSON.stringify(json));
  };
  /** Submits a request and its answer; an erasure would wait for a call without an answer. */
  const call = async (eventId: string, said: string, user = PERSON, more = {}): Promise<void> => {
    const request_id = `r-${user}-${eventId}`;
    await submit({ event_id: eventId, request_id, payload: { prompt: said }, ...more }, user);
    // Without metadata, as many clients submit answers.
    await submit({
      type: 'ai.response',
      request_id,
      model: 'm',
      metadata: {},
      payload: { output: said, cost_usd: 0.25 },
    });
  };
  const finished = async (path: string): Promise<Answer['json']> => {
    for (;;) {
      const { json } = await send('GET', path);
      if (!['queued', 'running', 'waiting'].includes(json.state)) return json;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const erase = async (order: object): Promise<Certificate> => {
    const { status, json } = await send('POST', '/v1/erasures', order);
    expect([status, json]).toEqual([201, expect.objectContaining({ state: 'running' })]);
    return finished(`/v1/erasures/${json.id}`);
  };
  const database = (): Database => current().weir.app.get(Database);
  const owned = () => database().sql.forMaintenance();
  const accountId = async (): Promise<string> => {
    const [account] = await owned().query<{ id: string }>('SELECT id::text AS id FROM accounts');
    if (account === undefined) throw new Error('there is no account');
    return account.id;
  };
  /** Every row of every table, as text, with the decompressed content of files. */
  const rows = () =>
    owned().transaction(async (transaction) => {
      const found: string[] = [];
      for (const table of await tablesInOrder(transaction)) {
        const texts = await transaction.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
        found.push(...texts.map(({ text }) => `${table}: ${opened(text)}`));
      }
      return found;
    });
  return { rest, send, submit, call, finished, erase, database, owned, accountId, rows };
}
