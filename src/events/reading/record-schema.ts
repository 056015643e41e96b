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
    marks: z
      .array(MARK)
      .optional()
      .describe('Marks of the event or of its call; only in lists of events and in the answer for one event.'),
  })
  .meta({ id: 'Event' });

const large = Object.entries(FIELDS).flatMap(([name, field]) => ('large' in field ? [[name, true] as const] : []));

export const EVENT_SUMMARY = EVENT.omit(Object.fromEntries(large) as { payload: true }).meta({ id: 'EventSummary' });

const searchedTo = text.describe(
  'Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too long; null if the search is complete.',
);

export const EVENT_COUNT = z
  .strictObject({
    count: z.int(),
    capped: z.boolean().describe('True if there are, or may be, more matching events than `count`.'),
    searched_to: searchedTo,
  })
  .meta({ id: 'EventCount' });

export const EVENT_FACETS = z
  .strictObject({
    sampled: z.boolean().describe('True when only the newest matching events were counted.'),
    of: z.int().describe('Number of events whose values were counted.'),
    searched_to: searchedTo,
    data: z.record(
      z.string(),
      z.array(
        z.strictObject({
          value: z.string(),
          label: text.describe('Name of the app if the value is the id of an app; otherwise null.'),
          count: z.int(),
        }),
      ),
    ),
  })
  .meta({ id: 'EventFacets' });

export const EVENT_PAGE = z
  .strictObject({
    data: z.array(z.union([EVENT, EVENT_SUMMARY])).describe('The events; with `fields=summary`, their summaries.'),
    next_cursor: text.describe(
      'Cursor of the next page; null on the last page. A page that ends early may be empty and still have a cursor.',
    ),
    searched_to: searchedTo,
  })
  .meta({ id: 'EventPage' });
