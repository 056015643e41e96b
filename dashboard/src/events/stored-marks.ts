/** Requests that change marks, and the loaded data that contains marks. */
import type { QueryClient } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { withMark } from './marking.ts';

export function markPath({ id, app }: Pick<CallEvent, 'id' | 'app'>, rule: string): string {
  return `/v1/events/${id}/marks/${encodeURIComponent(rule)}?app=${encodeURIComponent(app.id)}`;
}

/**
 * Writes a stored mark into the loaded event, because a page that is opened again shows that event first.
 *
 * @param mark null: it was removed
 */
export function keepMark(client: QueryClient, eventId: string, rule: string, mark: Schemas['Mark'] | null): void {
  client.setQueriesData<CallEvent>({ queryKey: ['event'] }, (event) =>
    event?.id === eventId ? withMark(event, rule, mark) : event,
  );
}

/** Loads the data that contains marks again. */
export function reloadMarked(client: QueryClient): void {
  for (const key of ['rule-stats', 'event', 'events', 'attention']) void client.invalidateQueries({ queryKey: [key] });
}
