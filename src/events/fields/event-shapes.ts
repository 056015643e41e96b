/** The types of the parts of an event in the API. */
import { z } from 'zod';
import { ENFORCING_ACTIONS, VIOLATION_ACTIONS, SERVICE_TIERS, UNREAD_REASONS } from '../../core/index.js';

export const count = z.number().nullable();
export const text = z.string().nullable();

export const VIOLATION = z
  .strictObject({
    rule: z.string(),
    policy: z.string(),
    category: z.string(),
    severity: z.enum(['low', 'medium', 'high', 'critical']),
    action: z.enum(VIOLATION_ACTIONS),
    enforced: z.boolean(),
    message: z.string(),
    answered: z
      .literal(true)
      .optional()
      .describe(
        "The rule's canned answer (`then.answer`) was returned in place of an error, or, over the REST API, together with it.",
      ),
    detector: z.string().optional(),
    locations: z.array(z.string()).optional(),
    count: z.number().optional(),
  })
  .meta({ id: 'Violation' });

export const MASK = z
  .strictObject({
    path: z.string().describe('Path of the text in `payload`; may lead into JSON in a string. `$`: the whole payload.'),
    start: z.int().describe('Start in the stored text, in UTF-16 units.'),
    end: z.int(),
    entity: z.string().describe('Code of the finding, such as `EMAIL`; `UNSCANNED` or `WITHHELD` for a whole text.'),
    detector: text.describe('Null if a whole text is masked because it could not be scanned.'),
    rule: text.describe('Rule with the strongest action on this place; null if the place was masked only for the log.'),
    n: z
      .int()
      .nullable()
      .describe(
        'A number that is equal for equal values of one entity in one call; null if the values could not be compared.',
      ),
  })
  .meta({ id: 'Mask' });

export const EXCEPTED = z.strictObject({
  rule: z.string(),
  exception: z.string(),
  kept: z
    .enum(ENFORCING_ACTIONS)
    .nullable()
    .describe('The prevented action; null if the action would not have been enforced even without the exception.'),
});

export const REDACTION = z.strictObject({ type: z.string(), count: z.number() });

export const UNREAD = z.strictObject({
  path: z.string().describe('Position, such as `messages[0].content[1].file.file_data` or `parts[0]`.'),
  why: z.enum(UNREAD_REASONS),
  bytes: z.number(),
});

export const USAGE = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  cache_write_1h_tokens: count.describe('The part of `cache_write_tokens` that is cached for an hour.'),
  reasoning_tokens: count,
  other: z
    .strictObject({
      service_tier: z.enum(SERVICE_TIERS).optional(),
      audio_input_tokens: z.number().optional(),
      audio_output_tokens: z.number().optional(),
      web_searches: z.number().optional(),
      file_searches: z.number().optional(),
      unknown_fees: z.literal(true).optional().describe('True if the answer shows billed work, but not its fee.'),
    })
    .nullable()
    .describe('Billed items other than plain tokens. The cost is null if the price of one of them is unknown.'),
  estimated: z.boolean().describe('Estimated by Weir because the provider reported no counts.'),
});

export const DETECTOR = z.strictObject({
  key: z.string(),
  plugin: z.string(),
  version: z.string(),
  revision: z.number(),
  status: z.enum(['scanned', 'failed', 'timeout', 'not_run']),
});
