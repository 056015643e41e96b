import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess } from '../access/index.js';
import { DatabaseClock } from '../database/index.js';
import { ApiEnvironment, authorizeEnvironment } from '../deployments/index.js';
import { answerSchema, ApiQueries, invalidRequest, readQuery, type QueryOf } from '../http/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { hitsOf, RuleStatsReader, type HitRange, type RuleHits } from './rule-stats-reader.js';
import { DEFAULT_DAYS, MAX_DAYS, RULE_STATS, RULE_STATS_QUERY } from './rule-stats-schema.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Statistics of rules. */
@ApiTags('policies')
@ApiManagers()
@Controller('v1/policies')
export class RuleStatsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(RuleStatsReader) private readonly reader: RuleStatsReader,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get(':environment/rules/stats')
  @ApiOperation({
    operationId: 'getRuleStats',
    summary: 'Hits and marks of every active rule. Scopes `policy:read` and `events:read`.',
    description: 'Hits are counted by the hour, so the range is widened to whole hours. It covers at most 400 days.',
  })
  @ApiEnvironment()
  @ApiQueries(RULE_STATS_QUERY)
  @ApiResponse(answerSchema(200, 'The rules, sorted by hits in descending order.', RULE_STATS))
  @ApiResponse({
    status: 403,
    description: 'The token lacks one of the scopes, or is bound to another environment.',
  })
  @ApiResponse({ status: 404, description: 'There is no such environment.' })
  @ApiResponse({ status: 422, description: 'The range is empty or too long; `details` names the parameter.' })
  async show(@Req() request: FastifyRequest): Promise<z.infer<typeof RULE_STATS>> {
    const { manager, environment } = await authorizeEnvironment(this.access, request, 'policy:read');
    if (!manager.scopes.includes('events:read')) await this.access.authorize(request, 'events:read');
    const range = rangeOf(readQuery(RULE_STATS_QUERY, request.query), this.clock.nowMs());
    const { policy, digest } = this.policies.active(manager.accountId, environment);
    const found = await this.reader.read(manager.accountId, environment, range);
    const known = new Set(policy.rules.flatMap(({ id, formerly }) => [id, ...formerly]));
    return {
      environment,
      digest,
      from: new Date(range.fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      data: policy.rules
        .map(({ id, formerly, title, stage, action, monitor }) => ({
          ...{ rule: id, formerly: [...formerly], title, stage, action },
          mode: monitor ? ('monitor' as const) : ('enforce' as const),
          ...shown(hitsOf(found, [id, ...formerly])),
        }))
        .sort(byHits),
      others: [...found.keys()]
        .filter((id) => !known.has(id))
        .map((id) => ({ rule: id, ...shown(hitsOf(found, [id])) }))
        .sort(byHits),
    };
  }
}

/** @throws {WeirError} 422 */
function rangeOf({ from, to }: QueryOf<typeof RULE_STATS_QUERY>, nowMs: number): HitRange {
  const endMs = to?.getTime() ?? nowMs;
  const startMs = from?.getTime() ?? endMs - DEFAULT_DAYS * DAY_MS;
  if (startMs >= endMs) throw invalidRequest([{ path: 'from', message: 'must be before `to`' }]);
  if (endMs - startMs > MAX_DAYS * DAY_MS) {
    throw invalidRequest([{ path: 'from', message: `must be at most ${MAX_DAYS} days before \`to\`` }]);
  }
  if (startMs < 0) throw invalidRequest([{ path: 'from', message: 'must be a time after 1970' }]);
  return { fromMs: Math.floor(startMs / HOUR_MS) * HOUR_MS, toMs: Math.ceil(endMs / HOUR_MS) * HOUR_MS };
}

function byHits(a: { readonly hits: number; readonly rule: string }, b: typeof a): number {
  return b.hits - a.hits || (a.rule < b.rule ? -1 : 1);
}

function shown({ hits, enforced, monitored, excepted, firstMs, lastMs, marks, spark }: RuleHits) {
  const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    ...{ hits, enforced, monitored, excepted },
    ...{ first_hit: instant(firstMs), last_hit: instant(lastMs) },
    marks: { ...marks },
    spark: [...spark],
  };
}
