import { z } from 'zod';
import { apiClient, ApiError, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';

export const VIEW = z.object({
  id: z.string(),
  page: z.string(),
  name: z.string(),
  query: z.string(),
  shared: z.boolean(),
  by: z.object({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
  created_at: z.string(),
});
export type View = z.infer<typeof VIEW>;

const VIEWS = z.object({ data: z.array(VIEW) });
const notOwn = whereUnknown('the view belongs to another person');
/** URL parameters of dashboard pages that are not event filters. */
const OF_PAGES = ['env', 'range'];

/** The routes for saved event filters, which the dashboard also uses. */
export class Views {
  private constructor(private readonly client: ApiClient) {}

  static async of(flags: ServerFlags, io: Io): Promise<Views> {
    return new Views(await apiClient(flags, io));
  }

  async list(): Promise<View[]> {
    return readAnswer(VIEWS, await this.client.get('/v1/views?page=events')).data;
  }

  /**
   * Finds a view by id or name. An own view and the shared views of colleagues may have the same name.
   *
   * @throws CliError (exit 2) if there is no such view, or several have this name
   */
  async named(idOrName: string): Promise<View> {
    const views = await this.list();
    const withId = views.find(({ id }) => id === idOrName);
    if (withId !== undefined) return withId;
    const [found, ...others] = views.filter(({ name }) => name === idOrName);
    if (found === undefined) throw usageError('there is no such view. See: weir views list');
    if (others.length > 0) throw usageError('several views have this name; use an id: weir views list');
    return found;
  }

  async save(view: Pick<View, 'name' | 'query' | 'shared'>): Promise<View> {
    return readAnswer(VIEW, await this.client.post('/v1/views', { page: 'events', ...view }).catch(refused));
  }

  /** Changes the given fields. @throws CliError (exit 2) for a name in use, invalid filters, and a view of another person */
  async change({ id }: View, fields: Partial<Pick<View, 'name' | 'query' | 'shared'>>): Promise<View> {
    return readAnswer(VIEW, await this.client.patch(`/v1/views/${id}`, fields).catch(notOwn).catch(refused));
  }

  async delete({ id }: View): Promise<void> {
    await this.client.delete(`/v1/views/${id}`).catch(notOwn);
  }
}

/** The filters of a view; given parameters override them. */
export function withView({ query }: View, given: URLSearchParams): URLSearchParams {
  const merged = new URLSearchParams(query);
  const environment = merged.get('env');
  if (environment !== null && environment !== 'all') merged.set('environment', environment);
  for (const name of OF_PAGES) merged.delete(name);
  for (const [name, value] of given) merged.set(name, value);
  return merged;
}

/** @throws CliError (exit 2) for a name in use, or invalid filters */
function refused(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const [detail] = error.details;
  throw detail === undefined ? error : usageError(`${detail.path === 'name' ? 'the name ' : ''}${detail.message}`);
}
