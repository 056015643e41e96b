import type { Reach } from '../../access/index.js';
import { ENVIRONMENTS } from '../../core/index.js';
import { invalidRequest, parameter, WeirError, type QueryOf } from '../../http/index.js';
import type { EventReader } from './event-reader.js';
import type { EventRecord } from './event-record.js';

const ARCHIVED =
  'The event is in the archive: list it with archive=true (weir events list --archive), or have an operator restore its week (weir archive restore)';
/** The error detail by which programs distinguish an archived event from an unknown one. */
const IN_ARCHIVE = { path: 'archive', message: 'holds the event' };
const NEEDED = 'needed when several apps or environments have used the same `event_id`.';

/** The place of an event that is named by its client's `event_id`, which other apps or environments may have used as well. */
export const EVENT_PLACE_QUERY = {
  app: parameter.text(`Id or name of an app; ${NEEDED}`),
  environment: parameter.oneOf(ENVIRONMENTS, `Effective environment; ${NEEDED}`),
};

export type EventPlace = Partial<QueryOf<typeof EVENT_PLACE_QUERY>>;

/**
 * The event that a route names.
 *
 * @param id the service's `id`, or the client's `event_id`
 * @throws {WeirError} 404 if the token may read no such event; 422 naming the missing parameters if there are several
 */
export async function namedEvent(
  reader: EventReader,
  reach: Reach,
  id: string,
  place: EventPlace,
): Promise<EventRecord> {
  const event = await reader.get(reach, id, place);
  if (event === null) {
    const isArchived = await reader.isArchived(reach, id, place);
    throw new WeirError('not_found', isArchived ? { message: ARCHIVED, details: [IN_ARCHIVE] } : {});
  }
  if (!('by' in event)) return event;
  throw invalidRequest(event.by.map((path) => ({ path, message: 'is required: several events have this event_id' })));
}
