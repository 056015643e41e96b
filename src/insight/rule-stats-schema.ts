import { z } from 'zod';
import { ACTION_NAMES, ENVIRONMENTS } from '../core/index.js';
import { parameter } from '../http/index.js';

/** The query and the answer of `GET /v1/policies/{environment}/rules/stats`. */
export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 400;
export const SPARKS = 30;

export const RULE_STATS_QUERY = {
  from: parameter.instant(
    `Start of the range (RFC 3339), rounded down to the hour. Default: ${DEFAULT_DAYS} days ago.`,
  ),
  to: parameter.instant('End of the range (RFC 3339), rounded up to the hour. Default: now.'),
};

const hits = {
  hits: z.int().describe('Number of times that the rule fired, enforced or not.'),
  enforced: z.int().describe('Number of hits at which the action of the rule was enforced.'),
  monitored: z.int().describe('Number of hits that were not enforced, but would have blocked or redacted.'),
  excepted: z
    .int()
    .describe(
      'Number of matches to which an exception applied. They also count as hits if the exception has `effect: monitor`.',
    ),
  first_hit: z.string().nullable().describe('Time of the first hit in the range (RFC 3339, UTC).'),
  last_hit: z.string().nullable(),
  marks: z
    .strictObject({ right: z.int(), wrong: z.int(), missed: z.int() })
    .describe('Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`.'),
  spark: z.array(z.int()).describe(`Number of hits in each of ${SPARKS} equal parts of the range, oldest part first.`),
};

export const RULE_STATS = z
  .strictObject({
    environment: z.enum(ENVIRONMENTS),
    digest: z.string().describe('Digest of the active policy.'),
    from: z.string(),
    to: z.string(),
    data: z
      .array(
        z.strictObject({
          rule: z.string(),
          formerly: z.array(z.string()).describe('Former ids of the rule; the figures include their hits and marks.'),
          title: z.string(),
          stage: z.enum(['pre', 'post', 'tool']),
          action: z.enum(ACTION_NAMES),
          mode: z.enum(['enforce', 'monitor']),
          ...hits,
        }),
      )
      .describe('Every rule of the active policy; the rule with the most hits comes first.'),
    others: z
      .array(z.strictObject({ rule: z.string(), ...hits }))
      .describe('Rules that fired in the range but are not in the active policy.'),
  })
  .meta({ id: 'RuleStats' });
