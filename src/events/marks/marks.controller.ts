import { Controller, Delete, Get, HttpCode, Inject, Put, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess, type ActingManager } from '../../access/index.js';
import { Records } from '../../admin-audit/index.js';
import type { Environment } from '../../core/index.js';
import {
  answerSchema,
  ApiQueries,
  bodySchema,
  invalidRequest,
  readBody,
  readQuery,
  WeirError,
} from '../../http/index.js';
import { PolicyStore } from '../../policy-store/index.js';
import { EventReader } from '../reading/event-reader.js';
import { EVENT_PLACE_QUERY, namedEvent } from '../reading/named-event.js';
import { EventMarks, type MarkedCall } from './event-marks.js';
import { MARK, MARK_PAGE, MARKS_AT_ONCE, MARKS_QUERY, NEW_MARK, type MarkWord } from './mark-schemas.js';
import { NoteMasker } from './note-masker.js';
import { ruleState } from './rule-state.js';
import { markView } from './mark-view.js';

const MAX_RULE = 100;

/** People's marks on decisions ("Was this right?"). */
@ApiTags('events')
@ApiManagers()
@Controller('v1')
export class MarksController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(EventReader) private readonly reader: EventReader,
    @Inject(EventMarks) private readonly marks: EventMarks,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(NoteMasker) private readonly notes: NoteMasker,
  ) {}

  @Get('marks')
  @ApiOperation({
    operationId: 'listMarks',
    summary: 'List marks on decisions, newest first. Scope `events:read`.',
  })
  @ApiQueries(MARKS_QUERY)
  @ApiResponse(answerSchema(200, 'A page of marks.', MARK_PAGE))
  @ApiResponse({
    status: 403,
    description: 'The token lacks the scope `events:read`, or is bound to another environment.',
  })
  async list(@Req() request: FastifyRequest): Promise<z.infer<typeof MARK_PAGE>> {
    const manager = await this.access.authorize(request, 'events:read');
    const { limit = MARKS_AT_ONCE, cursor, rule, mark, ...query } = readQuery(MARKS_QUERY, request.query);
    checkEnvironment(manager, query.environment);
    const filters = {
      ...query,
      ...(rule === undefined ? {} : { rules: rule }),
      ...(mark === undefined ? {} : { marks: mark }),
      ...(cursor === undefined ? {} : { before: cursor }),
    };
    const { data, nextCursor } = await this.marks.list(manager, filters, limit);
    return { data: data.map(markView), next_cursor: nextCursor };
  }

  @Put('events/:id/marks/:rule')
  @Records('event.marked')
  @ApiOperation({
    operationId: 'markEvent',
    summary: 'Mark the decision of a rule on a call as right or wrong. Scope `events:mark`.',
    description:
      'A call has one mark for each rule, regardless of the author; the latest mark counts. `right` and `wrong` are for rules, including monitored rules, that fired in an event of the call; `missed` is for active rules that did not fire.',
  })
  @ApiMarked()
  @ApiBody(bodySchema(NEW_MARK))
  @ApiResponse(answerSchema(200, 'The mark.', MARK))
  @ApiResponse({
    status: 422,
    description: '`right` or `wrong`, but the rule did not fire; or `missed`, but the rule fired or is not active.',
  })
  async set(@Req() request: FastifyRequest): Promise<z.infer<typeof MARK>> {
    const manager = await this.access.authorize(request, 'events:mark');
    const { mark, note = null } = readBody(NEW_MARK, request);
    const { call, rule } = await this.named(request, manager);
    const policy = this.policies.active(manager.accountId, call.environment);
    const state = ruleState(policy.policy, rule);
    checkFired(call, mark, state !== null);
    const masked = note === null ? null : await this.notes.masked(policy, manager.accountId, note);
    return markView(await this.marks.set(manager, call, { rule, mark, note: masked, ruleState: state }));
  }

  @Delete('events/:id/marks/:rule')
  @HttpCode(204)
  @Records('event.unmarked')
  @ApiOperation({
    operationId: 'unmarkEvent',
    summary: 'Remove a mark, regardless of its author. Scope `events:mark`.',
  })
  @ApiMarked()
  @ApiResponse({ status: 204, description: 'The mark was removed.' })
  async remove(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.access.authorize(request, 'events:mark');
    const { call, rule } = await this.named(request, manager);
    if (!(await this.marks.remove(manager, call, rule))) throw new WeirError('not_found');
  }

  /** The call and the rule that the path names. @throws {WeirError} 404, 422 for an `event_id` that several events have */
  private async named(
    request: FastifyRequest,
    manager: ActingManager,
  ): Promise<{ readonly call: MarkedCall; readonly rule: string }> {
    const { id, rule } = request.params as { readonly id: string; readonly rule: string };
    const place = readQuery(EVENT_PLACE_QUERY, request.query);
    if (rule.length > MAX_RULE || rule.includes('\0')) throw new WeirError('not_found');
    const event = await namedEvent(this.reader, manager, id, place);
    const call = await this.marks.callOf(manager.accountId, event.id, rule);
    if (call === null) throw new WeirError('not_found');
    return { call, rule };
  }
}

/** @throws {WeirError} 422 for a mark that contradicts the decision */
function checkFired({ fired }: MarkedCall, mark: MarkWord, isInForce: boolean): void {
  if (mark !== 'missed' && !fired) throw invalidRequest([{ path: 'rule', message: 'did not fire in this call' }]);
  if (mark !== 'missed') return;
  if (fired) throw invalidRequest([{ path: 'mark', message: 'must be right or wrong: the rule fired in this call' }]);
  if (!isInForce) throw invalidRequest([{ path: 'rule', message: 'is not a rule of the active policy' }]);
}

function checkEnvironment({ environment: own }: ActingManager, asked: Environment | undefined): void {
  if (own === undefined || asked === undefined || own === asked) return;
  throw new WeirError('forbidden', { message: `The management token is for ${own} only` });
}

function ApiMarked(): MethodDecorator {
  const decorators = [
    ApiParam({ name: 'id', description: "The service's `id`, or the client's `event_id`, of any event of the call." }),
    ApiParam({ name: 'rule', description: 'Id of the rule.' }),
    ApiQueries(EVENT_PLACE_QUERY),
    ApiResponse({ status: 403, description: 'The token lacks the scope `events:mark`.' }),
    ApiResponse({
      status: 404,
      description: 'There is no such event, or the token may not read it, or the event has no mark of the rule.',
    }),
  ];
  return (target, key, descriptor) => {
    for (const decorate of decorators) decorate(target, key, descriptor);
  };
}
