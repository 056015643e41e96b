/** Requests for apps of an account, and their output, shared by commands. `weir apps limits` sets the limits of an app. */
import { z } from 'zod';
import { apiClient, ApiError, readAnswer, type ApiClient, type ServerFlags } from '../api/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';

export const APP = z.object({ id: z.string(), name: z.string(), created_at: z.string() });
export type App = z.infer<typeof APP>;

const LIMIT = z.object({ count: z.int(), seconds: z.int() });
const USE = LIMIT.extend({ used: z.int() }).nullable();
export const APP_DETAIL = APP.extend({
  limits: z.object({ events: LIMIT.nullable(), proxy: LIMIT.nullable() }).nullable(),
  usage: z.object({ events: USE, proxy: USE, counted_by: z.enum(['all_replicas', 'this_replica']) }),
  calls_24h: z.int().nullable(),
  last_event_at: z.string().nullable(),
});
export type AppDetail = z.infer<typeof APP_DETAIL>;

const APPS = z.object({ data: z.array(APP) });
/** The command that shows whether an app was created. */
const APP_LIST = 'weir apps list';

/** The routes for apps; every response is validated. */
export class AppClient {
  private constructor(private readonly client: ApiClient) {}

  static async of(flags: ServerFlags, io: Io): Promise<AppClient> {
    return new AppClient(await apiClient(flags, io));
  }

  async list(): Promise<App[]> {
    return readAnswer(APPS, await this.client.get('/v1/apps')).data;
  }

  /** Finds an app by id or name. @throws CliError (exit 2) if there is no such app */
  async named(idOrName: string): Promise<App> {
    const apps = await this.list();
    const found = apps.find(({ id, name }) => id === idOrName || name === idOrName);
    if (found !== undefined) return found;
    const names = apps.map(({ name }) => name).join(', ');
    throw usageError(`there is no such app; there are: ${names === '' ? 'none' : names}`);
  }

  async detail({ id }: App): Promise<AppDetail> {
    return readAnswer(APP_DETAIL, await this.client.get(`/v1/apps/${id}`));
  }

  async create(name: string): Promise<App> {
    return readAnswer(APP, await this.client.post('/v1/apps', { name }, APP_LIST).catch(nameTaken), APP_LIST);
  }

  async change({ id }: App, body: object): Promise<AppDetail> {
    return readAnswer(APP_DETAIL, await this.client.patch(`/v1/apps/${id}`, body).catch(nameTaken));
  }

  async archive({ id }: App): Promise<void> {
    await this.client.delete(`/v1/apps/${id}`);
  }
}

/** @throws CliError exit 2 if another app has this name */
function nameTaken(error: unknown): never {
  const detail = error instanceof ApiError ? error.details.find(({ path }) => path === 'name') : undefined;
  throw detail === undefined ? error : usageError(`the name ${detail.message}`);
}
