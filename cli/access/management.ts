import type { z } from 'zod';
import { apiClient, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import {
  ACCOUNT,
  APPS,
  AUDIT_PAGE,
  CREATED_KEY,
  CREATED_TOKEN,
  KEYS,
  ROTATED_KEY,
  TOKENS,
  type Key,
} from './answers.js';

/** The commands that list created credentials, for messages after a request whose answer could not be read. */
const KEY_LIST = 'weir keys list';
const TOKEN_LIST = 'weir tokens list';

/** The routes for apps, keys and tokens; every response is validated. */
export class Management {
  private constructor(private readonly client: ApiClient) {}

  static async of(flags: ServerFlags, io: Io): Promise<Management> {
    return new Management(await apiClient(flags, io));
  }

  get url(): string {
    return this.client.connection.url;
  }

  async account(): Promise<z.infer<typeof ACCOUNT>> {
    return readAnswer(ACCOUNT, await this.client.get('/v1/account'));
  }

  async keys(): Promise<Key[]> {
    return readAnswer(KEYS, await this.client.get('/v1/keys')).data;
  }

  /** @throws CliError (exit 2) if there is no such key */
  async key(id: string): Promise<Key> {
    const found = (await this.keys()).find((key) => key.id === id);
    if (found === undefined) throw usageError(`there is no key ${shownId(id)}. See: weir keys list`);
    return found;
  }

  /** Finds an app by id or name, or without `named` the only app; returns its id. @throws CliError (exit 2) */
  async appId(named: string | undefined): Promise<string> {
    const { data: apps } = readAnswer(APPS, await this.client.get('/v1/apps'));
    const names = apps.map(({ name }) => name).join(', ');
    const [only, ...others] =
      named === undefined ? apps : apps.filter(({ id, name }) => id === named || name === named);
    if (only === undefined) throw usageError(`there is no such app; there are: ${names === '' ? 'none' : names}`);
    if (others.length > 0) throw usageError(`which app? Use --app with one of: ${names}`);
    return only.id;
  }

  async createKey(appId: string, body: object): Promise<z.infer<typeof CREATED_KEY>> {
    return readAnswer(CREATED_KEY, await this.client.post(`/v1/apps/${appId}/keys`, body, KEY_LIST), KEY_LIST);
  }

  async rotateKey({ app, id }: Key, body: object): Promise<z.infer<typeof ROTATED_KEY>> {
    const path = `/v1/apps/${app.id}/keys/${id}/rotate`;
    return readAnswer(ROTATED_KEY, await this.client.post(path, body, KEY_LIST), KEY_LIST);
  }

  async deleteKey({ app, id }: Key): Promise<void> {
    await this.client.delete(`/v1/apps/${app.id}/keys/${id}`);
  }

  async tokens(): Promise<z.infer<typeof TOKENS>['data']> {
    return readAnswer(TOKENS, await this.client.get('/v1/tokens')).data;
  }

  async audit(query: URLSearchParams): Promise<z.infer<typeof AUDIT_PAGE>> {
    return readAnswer(AUDIT_PAGE, await this.client.get(`/v1/audit?${query.toString()}`));
  }

  /** Streams all matching entries of the audit log as text. */
  auditStream(query: URLSearchParams): AsyncIterable<Uint8Array> {
    return this.client.stream(`/v1/audit?${query.toString()}`);
  }

  async createToken(body: object): Promise<z.infer<typeof CREATED_TOKEN>> {
    return readAnswer(CREATED_TOKEN, await this.client.post('/v1/tokens', body, TOKEN_LIST), TOKEN_LIST);
  }

  async deleteToken(id: string): Promise<void> {
    await this.client
      .delete(`/v1/tokens/${encodeURIComponent(id)}`)
      .catch(whereUnknown(`there is no token ${shownId(id)}. See: weir tokens list`));
  }
}

/** Formats an id that a user typed for messages; a text that could be a credential is not repeated. */
export function shownId(id: string): string {
  return /^[0-9A-Za-z]{1,12}$/.test(id) ? `"${id}"` : 'with this id (ids have 12 letters and digits)';
}
