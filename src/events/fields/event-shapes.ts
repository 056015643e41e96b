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
        "True if the rule's canned answer (`then.answer`) was returned: by the proxy instead of the error, by the REST API together with the error.",
      ),
    detector: z.string().optional(),
    locations: z.array(z.string()).optional(),
    count: z.number().optional(),
  })
  .meta({ id: 'Violation' });

export const MASK = z
  .strictObject({
    path: z
      .string()
      .describe(
        'Path of the text in `payload`; it can continue in JSON that is inside a string. `$` is the whole payload.',
      ),
    start: z.int().describe('Start of the masked place in the stored text, in UTF-16 units.'),
    end: z.int(),
    entity: z
      .string()
      .describe('Code of the finding, such as `EMAIL`; `UNSCANNED` or `WITHHELD` if a whole text is masked.'),
    detector: text.describe('Detector of the finding; null if a whole text is masked because it could not be scanned.'),
    rule: text.describe(
      'Rule with the strongest action among those that masked the place; null if the place was masked only in the log.',
    ),
    n: z
      .int()
      .nullable()
      .describe(
        'Number of the masked value: equal values of one entity in one call have the same number; null if the values could not be compared.',
      ),
  })
  .meta({ id: 'Mask' });

export const EXCEPTED = z.strictObject({
  rule: z.string(),
  exception: z.string(),
  kept: z
    .enum(ENFORCING_ACTIONS)
    .nullable()
    .describe(
      'Action that the exception prevented; null if the action would not have been enforced even without the exception.',
    ),
});

export const REDACTION = z.strictObject({ type: z.string(), count: z.number() });

export const UNREAD = z.strictObject({
  path: z.string().describe('Position in the body, such as `messages[0].content[1].file.file_data` or `parts[0]`.'),
  why: z.enum(UNREAD_REASONS),
  bytes: z.number(),
});

export const USAGE = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  cache_write_1h_tokens: count.describe('Number of those `cache_write_tokens` that are cached for an hour.'),
  reasoning_tokens: count,
  other: z
    .strictObject({
      service_tier: z.enum(SERVICE_TIERS).optional(),
      audio_input_tokens: z.number().optional(),
      audio_output_tokens: z.number().optional(),
      web_searches: z.number().optional(),
      file_searches: z.number().optional(),
      unknown_fees: z
        .literal(true)
        .optional()
        .describe('True if the answer shows that work was billed, but not the fee.'),
    })
    .nullable()
    .describe(
      'Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is null.',
    ),
  estimated: z.boolean().describe('True if Weir estimated the tokens, because the provider did not report them.'),
});

export const DETECTOR = z.strictObject({
  key: z.string(),
  plugin: z.string(),
  version: z.string(),
  revision: z.number(),
  status: z.enum(['scanned', 'failed', 'timeout', 'not_run']),
});
