/**
 * Figures of calls over time, for `weir stats`: the answer of the service and its output as text. Only the totals of groups are summed up
 * here, from the figures of their buckets. The schemas are not those of the service (src/insight/stats-schema.ts), which the command does not
 * load: these accept the fields of later versions and describe the output of the command.
 */
import { z } from 'zod';

const instant = z.string().describe('RFC 3339, UTC.');
const nanoUsd = z
  .string()
  .regex(/^-?\d+$/)
  .describe('Integer nano-dollars, as text.');
const ms = z.number().nullable();

const TOTALS = z.object({
  calls: z.int(),
  allowed: z.int(),
  flagged: z.int(),
  would_block: z.int().describe('Calls that a rule in monitor mode would have blocked.'),
  redacted: z.int(),
  blocked: z.int(),
  unavailable: z.int().describe('Calls refused because a guardrail could not be evaluated.'),
  errors: z.int().describe('Calls that failed at the provider.'),
  cost_nano_usd: nanoUsd,
  without_price: z.int().describe('Number of calls whose tokens are known, but not their price.'),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  weir_ms: z
    .object({ p50: ms, p95: ms, p99: ms })
    .describe('Percentiles of the processing time of Weir, in milliseconds.'),
});
export type StatsTotals = z.infer<typeof TOTALS>;

const GROUP = z.object({
  key: z.string().describe('The outcome, environment, model or rule, or the id of the app or key; `other`: the rest.'),
  label: z.string(),
  calls: z.array(z.int()).optional().describe('Number per bucket of calls, or of hits of a rule.'),
  blocked: z.array(z.int()).optional(),
  cost_nano_usd: z.array(nanoUsd).optional(),
  without_price: z.array(z.int()).optional(),
  tokens: z.array(z.number()).optional(),
  weir_ms: z.object({ p50: z.array(ms), p95: z.array(ms), p99: z.array(ms) }).optional(),
  previous: z
    .object({ calls: z.int(), cost_nano_usd: nanoUsd.optional() })
    .optional()
    .describe('Totals of the group in the period before the range.'),
});
export type StatsGroup = z.infer<typeof GROUP>;

export const STATS = z.object({
  from: instant,
  to: instant,
  step_seconds: z.int().describe('Length of a bucket.'),
  complete_until: instant.describe('Time after which the figures may still be incomplete.'),
  buckets: z.array(instant).describe('Start of each bucket.'),
  groups: z.array(GROUP),
  totals: TOTALS,
  previous: TOTALS.describe('Totals of the period of equal length before the range.'),
});
export type Stats = z.infer<typeof STATS>;
