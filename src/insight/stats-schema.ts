import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';

const instant = z.iso.datetime();
const nanoUsd = z.string().describe('Cost in integer nano-dollars, as text.');
const ms = z.number().nullable();
const WITHOUT_PRICE =
  'calls whose tokens are known, but not their price: the cost does not include them. A call with several answers counts once for each of them.';
/** Clients report the usage of calls: a sum can exceed the exact range of a double, and is then rounded. */
const tokens = z.number();

export const STATS_TOTALS = z
  .strictObject({
    calls: z.int(),
    allowed: z.int(),
    flagged: z.int(),
    would_block: z.int().describe('Calls that a rule in monitor mode would have blocked.'),
    redacted: z.int(),
    blocked: z.int(),
    unavailable: z.int().describe('Calls refused because a guardrail could not be evaluated.'),
    errors: z.int().describe('Calls that failed at the provider.'),
    cost_nano_usd: nanoUsd,
    without_price: z.int().describe(`Number of ${WITHOUT_PRICE}`),
    prompt_tokens: tokens,
    completion_tokens: tokens,
    weir_ms: z.strictObject({ p50: ms, p95: ms, p99: ms }),
  })
  .meta({ id: 'StatsTotals' });

export const STATS_GROUP = z
  .strictObject({
    key: z
      .string()
      .describe(
        'The outcome, environment, model or rule of the group, or the id of its app or key; `other` for all other groups together.',
      ),
    label: z.string(),
    calls: z.array(z.int()).optional().describe('Number of calls per bucket; for a rule, number of its hits.'),
    blocked: z
      .array(z.int())
      .optional()
      .describe('Number of calls per bucket that a rule refused; absent when grouped by outcome or rule.'),
    cost_nano_usd: z.array(nanoUsd).optional().describe('Cost per bucket; absent when grouped by outcome or rule.'),
    without_price: z
      .array(z.int())
      .optional()
      .describe(`Present together with the cost. Number per bucket of ${WITHOUT_PRICE}`),
    tokens: z.array(tokens).optional().describe('Tokens per bucket; absent when grouped by outcome or rule.'),
    weir_ms: z
      .strictObject({ p50: z.array(ms), p95: z.array(ms), p99: z.array(ms) })
      .optional()
      .describe("Percentiles of Weir's own processing time; only when grouped by environment or app."),
    previous: z
      .strictObject({
        calls: z.int(),
        cost_nano_usd: nanoUsd
          .optional()
          .describe('Cost in integer nano-dollars, as text; absent when grouped by rule.'),
      })
      .optional()
      .describe(
        'Totals of the group in the previous period. Absent when grouped by outcome: the field `previous` of the answer contains these totals.',
      ),
  })
  .meta({ id: 'StatsGroup' });

export const STATS = z
  .strictObject({
    from: instant.describe('Start of the first bucket.'),
    to: instant.describe('End of the last bucket.'),
    step_seconds: z.int(),
    complete_until: instant.describe('Time after which the figures may still be incomplete.'),
    buckets: z.array(instant).describe('Start of each bucket.'),
    groups: z.array(STATS_GROUP),
    totals: STATS_TOTALS,
    previous: STATS_TOTALS.describe(
      'Totals of all groups in the previous period of equal length. If the range ends later than now, the totals of its previous period end at the same elapsed time: at 13:55, those of yesterday end at 13:55.',
    ),
    deployments: z.array(
      z.strictObject({
        environment: z.enum(ENVIRONMENTS),
        number: z.int(),
        at: instant,
        by: z
          .strictObject({ kind: z.enum(['person', 'token']), name: z.string().nullable() })
          .nullable()
          .describe(
            'Author of the deployment; null if the service itself made it, and without the scope `policy:read`.',
          ),
        because: z.string().nullable().describe('Reason for the deployment; null without the scope `policy:read`.'),
      }),
    ),
  })
  .meta({ id: 'Stats' });
