import { z } from 'zod';
import { FIELDS } from '../fields/event-fields.js';
import { text } from '../fields/event-shapes.js';
import { MARK } from '../marks/mark-schemas.js';

/** An event in the API; `EventRecord` is its type. */
type Shapes = { readonly [Name in keyof typeof FIELDS]: (typeof FIELDS)[Name]['shape'] };
const shapes = Object.fromEntries(Object.entries(FIELDS).map(([name, { shape }]) => [name, shape])) as Shapes;

export const EVENT = z
  .strictObject({
    ...shapes,
    marks: z.array(MARK).optional().describe('Marks of the event or its call; in lists and for one event.'),
  })
  .meta({ id: 'Event' });

const large = Object.entries(FIELDS).flatMap(([name, field]) => ('large' in field ? [[name, true] as const] : []));

export const EVENT_SUMMARY = EVENT.omit(Object.fromEntries(large) as { payload: true }).meta({ id: 'EventSummary' });

const searchedTo = text.describe(
  'RFC 3339 time where the search stopped because it would have taken too long. Null if the search is complete.',
);

export const EVENT_COUNT = z
  .strictObject({
    count: z.int(),
    capped: z.boolean().describe('True if there are, or may be, more matching events.'),
    searched_to: searchedTo,
  })
  .meta({ id: 'EventCount' });

export const EVENT_FACETS = z
  .strictObject({
    sampled: z.boolean().describe('True when only the newest matching events were counted.'),
    of: z.int().describe('Number of events that were counted.'),
    searched_to: searchedTo,
    data: z.record(
      z.string(),
      z.array(z.strictObject({ value: z.string(), label: text.describe("An app's name."), count: z.int() })),
    ),
  })
  .meta({ id: 'EventFacets' });

export const EVENT_PAGE = z
  .strictObject({
    data: z.array(z.union([EVENT, EVENT_SUMMARY])).describe('The events; with `fields=summary`, their summaries.'),
    next_cursor: text.describe('Null on the last page. A page that ends early may be empty and still have a cursor.'),
    searched_to: searchedTo,
  })
  .meta({ id: 'EventPage' });
