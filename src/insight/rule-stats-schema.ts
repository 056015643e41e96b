import { z } from 'zod';
import { ACTION_NAMES, ENVIRONMENTS } from '../core/index.js';
import { parameter } from '../http/index.js';

/** The query and the answer of `GET /v1/policies/{environment}/rules/stats`. */
export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 400;
export const SPARKS = 30;

export const RULE_STATS_QUERY = {
  from: parameter.instant(
    `Hits from this time on (RFC 3339), from the beginning of its hour; ${DEFAULT_DAYS} days ago when absent.`,
  ),
  to: parameter.instant('Hits before this time (RFC 3339), to the end of its hour; now when absent.'),
};

const hits = {
  hits: z.int().describe('Number of times that the rule fired, enforced or not.'),
  enforced: z.int().describe('Enforced hits.'),
  monitored: z.int().describe('Hits that were not enforced and would have blocked or redacted.'),
  excepted: z
    .int()
    .describe(
      'Number of matches that an exception exempted. Only matches of exceptions with `effect: monitor` also count as hits.',
    ),
  first_hit: z.string().nullable().describe('First hit in the range; RFC 3339, UTC.'),
  last_hit: z.string().nullable(),
  marks: z
    .strictObject({ right: z.int(), wrong: z.int(), missed: z.int() })
    .describe('Marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`.'),
  spark: z.array(z.int()).describe(`Hits in each of ${SPARKS} equal parts of the range, oldest first.`),
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
          formerly: z.array(z.string()).describe('Former ids of the rule; their hits and marks are included.'),
          title: z.string(),
          stage: z.enum(['pre', 'post', 'tool']),
          action: z.enum(ACTION_NAMES),
          mode: z.enum(['enforce', 'monitor']),
          ...hits,
        }),
      )
      .describe('Every rule of the active policy, the most hits first.'),
    others: z
      .array(z.strictObject({ rule: z.string(), ...hits }))
      .describe('Rules that fired in the range but are not in the active policy.'),
  })
  .meta({ id: 'RuleStats' });
