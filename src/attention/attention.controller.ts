import { Controller, Get, HttpCode, Inject, Put, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess, type ActingManager } from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import { DatabaseClock } from '../database/index.js';
import { answerSchema, ApiQueries, bodySchema, invalidRequest, readBody, readQuery, WeirError } from '../http/index.js';
import { Attention } from './attention.js';
import { ATTENTION, ATTENTION_QUERY, SNOOZE } from './attention-schemas.js';
import { KINDS } from './item.js';
import { MOST_SNOOZES, Snoozes } from './snoozes.js';

const MAX_SNOOZE_MS = 90 * 86_400_000;
const MAX_ID = 300;

/** The list of entries that need attention. */
@ApiTags('attention')
@ApiManagers()
@ApiResponse({
  status: 403,
  description: 'The token lacks the scope `events:read`, or is bound to another environment.',
})
@Controller('v1/attention')
export class AttentionController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Attention) private readonly attention: Attention,
    @Inject(Snoozes) private readonly snoozes: Snoozes,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listAttention',
    summary: 'List the entries that need attention, the most severe first. Scope `events:read`.',
    description:
      'Entries concern rules that fire three times as often as usual, rules past their review date, and rules that have not been changed since their decisions were marked as wrong or missed. Other entries concern exceptions that end soon, replicas that do not run the deployed policy, budgets that reach their limit, detectors whose failure caused refusals, keys that expire or are not used, emergency changes, and the end of a trial.',
  })
  @ApiQueries(ATTENTION_QUERY)
  @ApiResponse(answerSchema(200, 'The entries.', ATTENTION))
  async list(@Req() request: FastifyRequest): Promise<z.infer<typeof ATTENTION>> {
    const manager = await this.authorize(request);
    const { environment } = readQuery(ATTENTION_QUERY, request.query);
    checkEnvironment(manager, environment);
    const items = await this.attention.list(manager, environment);
    return {
      checked_at: this.clock.now().toISOString(),
      data: items.map(({ args, sinceMs, ...item }) => ({
        ...item,
        text_args: { ...args },
        since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
      })),
    };
  }

  @Put(':id/snooze')
  @HttpCode(204)
  @Records('attention.snoozed')
  @ApiOperation({
    operationId: 'snoozeAttention',
    summary: 'Hide one entry for a while from the caller only. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: 'Id of the entry, from the list.' })
  @ApiBody(bodySchema(SNOOZE))
  @ApiResponse({ status: 204, description: 'The entry is hidden until the given time.' })
  @ApiResponse({ status: 404, description: 'There is no entry with this id.' })
  async snooze(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.authorize(request);
    const { id } = request.params as { readonly id: string };
    if (id.length > MAX_ID || id.includes('\0') || !KINDS.some((kind) => id.startsWith(`${kind}:`))) {
      throw new WeirError('not_found');
    }
    const until = new Date(readBody(SNOOZE, request).until);
    const aheadMs = until.getTime() - this.clock.nowMs();
    if (!(aheadMs > 0 && aheadMs <= MAX_SNOOZE_MS)) {
      throw invalidRequest([{ path: 'until', message: 'must be a time within the next 90 days' }]);
    }
    if (!(await this.snoozes.snooze(manager, id, until))) {
      throw invalidRequest([{ path: 'until', message: `exceeds the limit of ${MOST_SNOOZES} hidden entries` }]);
    }
  }

  private authorize(request: FastifyRequest): Promise<ActingManager> {
    return this.access.authorize(request, 'events:read');
  }
}

function checkEnvironment({ environment: own }: ActingManager, asked: Environment | undefined): void {
  if (own === undefined || asked === undefined || own === asked) return;
  throw new WeirError('forbidden', { message: `The management token is for ${own} only` });
}
