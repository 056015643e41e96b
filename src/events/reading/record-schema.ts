import { z } from 'zod';
import { ENVIRONMENTS, SERVICE_TIERS, UNREAD_REASONS } from '../../core/index.js';
import { EVENT_SOURCES } from '../event.js';
import { MARK } from '../marks/mark-schemas.js';
import { OUTCOMES } from '../outcome.js';
import { DECISIONS, EVENT_TYPES } from './event-query.js';

/** What the API shows of an event; `EventRecord` is its type. */
const count = z.number().nullable();
const text = z.string().nullable();

export const VIOLATION = z
  .strictObject({
    rule: z.string(),
    policy: z.string(),
    category: z.string(),
    severity: z.enum(['low', 'medium', 'high', 'critical']),
    action: z.enum(['flag', 'redact', 'block']),
    enforced: z.boolean(),
    message: z.string(),
    detector: z.string().optional(),
    locations: z.array(z.string()).optional(),
    count: z.number().optional(),
  })
  .meta({ id: 'Violation' });

const MASK = z
  .strictObject({
    path: z.string().describe('Of the text in `payload`; it goes on into JSON that a string holds. `$`: all of it.'),
    start: z.int().describe('In the stored text, UTF-16 units.'),
    end: z.int(),
    entity: z.string().describe('What was found, such as `EMAIL`; `UNSCANNED` or `WITHHELD` for a whole text.'),
    detector: text.describe('Null where a whole text is masked, because nobody can vouch for it.'),
    rule: text.describe('The rule that did most about it; null where it was masked for the log alone.'),
    n: z
      .int()
      .nullable()
      .describe('Equal for equal values of one entity in one call; null where they could not be compared.'),
  })
  .meta({ id: 'Mask' });

export const EVENT = z
  .strictObject({
    id: z.uuid().describe("The service's id, a UUIDv7."),
    event_id: z.string().describe("The client's id, else equal to `id`."),
    type: z.enum(EVENT_TYPES),
    app: z.strictObject({ id: z.uuid(), name: text }),
    key_id: z.string(),
    environment: z.enum(ENVIRONMENTS).describe("The effective one: the key's."),
    declared_environment: z.enum(ENVIRONMENTS),
    source: z.enum(EVENT_SOURCES),
    request_id: text,
    parent_id: text.describe('The event that caused this one.'),
    session_id: text,
    provider: text,
    model: text,
    metadata: z.record(z.string(), z.unknown()).nullable(),
    payload: z.unknown().describe('As stored; see `capture`.'),
    capture: z.enum(['redacted', 'full', 'none']),
    masks: z
      .array(MASK)
      .nullable()
      .describe(
        'Where something is masked in the payload. Null where that is not known: no text is kept, or an earlier version stored it.',
      ),
    masks_left_out: z
      .int()
      .describe('Of how many masked places `masks` does not tell: beyond the first 1,000, or where no path leads.'),
    excerpt: text.describe('A line of the stored text, at most 160 characters; null where there is none.'),
    decision: z.enum(DECISIONS).nullable(),
    reason: text.describe("A block's reason, or an error's type."),
    outcome: z
      .enum(OUTCOMES)
      .nullable()
      .describe('What came of it, in one word; null for events that tell about another one.'),
    violations: z.array(VIOLATION),
    excepted: z
      .array(
        z.strictObject({
          rule: z.string(),
          exception: z.string(),
          kept: z
            .enum(['block', 'redact'])
            .nullable()
            .describe('What the exception kept the rule from; null where it would not have been carried out anyway.'),
        }),
      )
      .describe('Rules that matched and that an exception of the policy let go.'),
    redactions: z.array(z.strictObject({ type: z.string(), count: z.number() })),
    unread: z
      .array(
        z.strictObject({
          path: z.string().describe('Where it stands, such as `messages[0].content[1].file.file_data` or `parts[0]`.'),
          why: z.enum(UNREAD_REASONS),
          bytes: z.number(),
        }),
      )
      .describe('What of the call could be neither recognised nor read; see `unread` in the policy.'),
    usage: z
      .strictObject({
        prompt_tokens: count,
        completion_tokens: count,
        cache_read_tokens: count,
        cache_write_tokens: count,
        cache_write_1h_tokens: count.describe('Those of `cache_write_tokens` that are kept for an hour.'),
        reasoning_tokens: count,
        other: z
          .strictObject({
            service_tier: z.enum(SERVICE_TIERS).optional(),
            audio_input_tokens: z.number().optional(),
            audio_output_tokens: z.number().optional(),
            web_searches: z.number().optional(),
            file_searches: z.number().optional(),
            unknown_fees: z.literal(true).optional().describe('Work whose fee the answer does not tell.'),
          })
          .nullable()
          .describe('What is billed beside plain tokens. Where a price of it is not known, the cost is null.'),
        estimated: z.boolean().describe("Weir's own estimate: the provider did not come to report its counts."),
      })
      .nullable(),
    cost_nano_usd: text.describe('Integer nano-dollars as text: exact at any size.'),
    price_version: text,
    latency_ms: z.strictObject({ total: count, provider: count, weir: count }),
    policy: z.strictObject({ id: z.string(), digest: text, version: text }).nullable(),
    detectors: z.array(
      z.strictObject({
        key: z.string(),
        plugin: z.string(),
        version: z.string(),
        revision: z.number(),
        status: z.enum(['scanned', 'failed', 'timeout', 'not_run']),
      }),
    ),
    facts: z.record(z.string(), z.unknown()).nullable().describe('What the rules could read; never matched text.'),
    upstream_status: count,
    received_at: z.string().describe('RFC 3339, UTC, milliseconds.'),
    marks: z.array(MARK).optional().describe('What people said of it, or of the call; in lists and for one event.'),
  })
  .meta({ id: 'Event' });

export const EVENT_SUMMARY = EVENT.omit({
  ...{ payload: true, facts: true, detectors: true, unread: true },
  ...{ masks: true, masks_left_out: true },
} as const).meta({
  id: 'EventSummary',
});

const searchedTo = text.describe(
  'RFC 3339: looking further would have taken too long; what lies beyond this time was not looked at. Null when all of it was.',
);

export const EVENT_COUNT = z
  .strictObject({
    count: z.int(),
    capped: z.boolean().describe('True when there are more than this, or may be.'),
    searched_to: searchedTo,
  })
  .meta({ id: 'EventCount' });

export const EVENT_FACETS = z
  .strictObject({
    sampled: z.boolean().describe('True when only the newest that match were looked at.'),
    of: z.int().describe('How many were looked at.'),
    searched_to: searchedTo,
    data: z.record(
      z.string(),
      z.array(z.strictObject({ value: z.string(), label: text.describe("An app's name."), count: z.int() })),
    ),
  })
  .meta({ id: 'EventFacets' });

export const EVENT_PAGE = z
  .strictObject({
    data: z.array(z.union([EVENT, EVENT_SUMMARY])).describe('Summaries with `fields=summary`.'),
    next_cursor: text.describe('Null on the last page. A page that ends early may be empty and still have one.'),
    searched_to: searchedTo,
  })
  .meta({ id: 'EventPage' });
