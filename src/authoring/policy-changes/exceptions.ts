import { z } from 'zod';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

const DAY_MS = 86_400_000;
/** Limits of the states of an exception, in days before its end. */
const WARN_DAYS = [3, 14, 30] as const;

export const EXCEPTION = z.strictObject({
  id: z.string(),
  environment: z.string(),
  rules: z.array(z.string()),
  effect: z.enum(['monitor', 'skip']),
  conditional: z
    .boolean()
    .describe('Whether the exception has a condition; without a condition, the exception applies to every call.'),
  expires: z.string(),
  state: z.enum(['expired', 'within_3_days', 'within_14_days', 'within_30_days', 'later']),
  because: z.string(),
  approved_by: z.string(),
  ticket: z.string(),
  at: z.strictObject({ file: z.string(), line: z.int() }).nullable(),
});
export type ExceptionEntry = z.infer<typeof EXCEPTION>;

/** The exceptions of a policy, sorted by the time of their end. */
export function exceptionsOf(policy: CompiledPolicy, nowMs: number): ExceptionEntry[] {
  return [...policy.exceptions]
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs || (a.id < b.id ? -1 : 1))
    .map((one) => {
      const place = policy.sources.exceptions[one.id]?.at;
      return {
        id: one.id,
        environment: policy.environment,
        rules: [...one.rules],
        effect: one.effect,
        conditional: one.conditional,
        expires: new Date(one.expiresAtMs).toISOString(),
        state: stateOf(one.expiresAtMs, nowMs),
        because: one.because,
        approved_by: one.approvedBy,
        ticket: one.ticket,
        at: place === undefined ? null : { file: place.file, line: place.line },
      };
    });
}

function stateOf(expiresAtMs: number, nowMs: number): ExceptionEntry['state'] {
  if (expiresAtMs <= nowMs) return 'expired';
  const days = WARN_DAYS.find((limit) => expiresAtMs - nowMs <= limit * DAY_MS);
  return days === undefined ? 'later' : `within_${days}_days`;
}
