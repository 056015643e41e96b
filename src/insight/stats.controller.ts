import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess } from '../access/index.js';
import { DatabaseClock } from '../database/index.js';
import { answerSchema, ApiQueries, BadParameter, invalidRequest, readQuery, type QueryOf } from '../http/index.js';
import { RuleHitsReader } from './rule-hits-reader.js';
import { stats } from './stats.js';
import { groupingProblem, METRICS, rangeOf, STATS_QUERY, type StatsRange } from './stats-query.js';
import { StatsReader } from './stats-reader.js';
import { STATS } from './stats-schema.js';

/** Figures of calls over time. */
@ApiTags('events')
@ApiManagers()
@Controller('v1/stats')
export class StatsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(StatsReader) private readonly reader: StatsReader,
    @Inject(RuleHitsReader) private readonly rules: RuleHitsReader,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getStats',
    summary: 'Calls, outcomes, cost, tokens and latency over time. Scope `events:read`.',
    description:
      'A call is counted once, at its beginning, with its strongest outcome. The range is widened to whole buckets.',
  })
  @ApiQueries(STATS_QUERY)
  @ApiResponse(answerSchema(200, 'The figures, per bucket and in total.', STATS))
  @ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
  @ApiResponse({ status: 422, description: 'A parameter is unknown or unreadable; `details` names it.' })
  async show(@Req() request: FastifyRequest): Promise<z.infer<typeof STATS>> {
    const manager = await this.access.authorize(request, 'events:read');
    const query = readQuery(STATS_QUERY, request.query);
    const problem = groupingProblem(query);
    if (problem !== undefined) throw invalidRequest([problem]);
    const { environment, app, model, key, rule, group_by: by = 'outcome', top = 5, metrics = METRICS } = query;
    const nowMs = this.clock.nowMs();
    const filter = {
      manager,
      ...(environment === undefined ? {} : { environment }),
      ...(app === undefined ? {} : { app }),
      ...(model === undefined ? {} : { model }),
      ...(key === undefined ? {} : { key }),
      ...(rule === undefined ? {} : { rule }),
    };
    const readers = { figures: this.reader, rules: this.rules };
    const answer = await stats(readers, { filter, range: readRange(query, nowMs), by, top, metrics }, nowMs);
    if (manager.scopes.includes('policy:read')) return answer;
    return { ...answer, deployments: answer.deployments.map((each) => ({ ...each, by: null, because: null })) };
  }
}

function readRange(query: QueryOf<typeof STATS_QUERY>, nowMs: number): StatsRange {
  try {
    return rangeOf(query, nowMs);
  } catch (error) {
    if (error instanceof BadParameter) throw invalidRequest([{ path: 'from', message: error.message }]);
    throw error;
  }
}
