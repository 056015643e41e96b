/** One event as a row: every column with the way in. */
import type { NewEvent } from './event.js';
import type { Column } from './fields/column.js';
import { COLUMNS } from './fields/event-columns.js';

/** All columns of `events` but `event_id_claimed` and those of the call, which the statement itself knows. */
export const EVENT_COLUMNS: readonly ({ readonly name: string } & Column)[] = Object.entries<Column>(COLUMNS).map(
  ([name, column]) => ({ name, ...column }),
);

/** The values of one event in the order of `EVENT_COLUMNS`, and their length in UTF-16 units. */
export function eventRow(event: NewEvent): { values: (string | null)[]; size: number } {
  const values = EVENT_COLUMNS.map((column) => column.write(event));
  return { values, size: values.reduce((sum, value) => sum + (value?.length ?? 0), 0) };
}
