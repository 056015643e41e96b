import { apiClient, ApiError, type ServerFlags } from '../api/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { EVENT, type Event } from './event-line.js';

export interface EventArgs extends ServerFlags {
  readonly event: string;
  readonly app: string | undefined;
}

/** One event by id. @throws CliError exit 2 when there is none, or several of this `event_id` */
export async function fetchEvent(args: EventArgs, io: Io): Promise<Event> {
  const client = await apiClient(args, io);
  const query = args.app === undefined ? '' : `?app=${encodeURIComponent(args.app)}`;
  try {
    const parsed = EVENT.safeParse(await client.get(`/v1/events/${encodeURIComponent(args.event)}${query}`));
    if (parsed.success) return parsed.data;
    throw new ApiError(0, 'bad_answer', 'the answer is not an event');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) throw usageError('there is no such event for this token');
    if (error.details.some(({ path }) => path === 'app'))
      throw usageError('several events have this event_id: use --app');
    throw error;
  }
}
