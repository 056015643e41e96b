import { apiClient, ApiError, type ServerFlags } from '../api/index.js';
import { textOption, type ArgsOf } from '../command.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { EVENT, type Event } from './event-line.js';
import { environmentFlag, environmentIn } from '../vocabulary.js';

/** The flags that select the event if several apps or environments have used its `event_id`. */
export const EVENT_PLACE_OPTIONS = {
  app: textOption('App id or name; needed where an event_id is ambiguous'),
  ...environmentFlag('needed where an event_id is ambiguous'),
} as const;

interface EventArgs extends ServerFlags, ArgsOf<typeof EVENT_PLACE_OPTIONS> {
  readonly event: string;
}

/** Fetches one event by id. @throws CliError exit 2 if there is none, or several with this `event_id` */
export async function fetchEvent(args: EventArgs, io: Io): Promise<Event> {
  const client = await apiClient(args, io);
  const { app } = args;
  const environment = environmentIn(args);
  const place = Object.entries({ app, environment }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const query = place.length === 0 ? '' : `?${place.join('&')}`;
  try {
    const parsed = EVENT.safeParse(await client.get(`/v1/events/${encodeURIComponent(args.event)}${query}`));
    if (parsed.success) return parsed.data;
    throw new ApiError(0, 'bad_answer', 'the answer is not an event');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) {
      const isArchived = error.details.some(({ path }) => path === 'archive');
      throw usageError(
        isArchived
          ? 'the event is in the archive: weir events list --archive shows it; weir archive restore (on the server) brings it back'
          : 'there is no such event for this token',
      );
    }
    const flags = error.details.filter(({ path }) => path === 'app' || path === 'environment');
    if (flags.length > 0) {
      throw usageError(
        `several events have this event_id: use ${flags.map(({ path }) => (path === 'app' ? '--app' : '--env')).join(' or ')}`,
      );
    }
    throw error;
  }
}
