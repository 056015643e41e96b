import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess, type ActingManager } from '../../access/index.js';
import { Records } from '../../admin-audit/index.js';
import {
  BUDGET_ADJUSTMENT,
  BUDGET_AUDIT,
  BUDGET_ENTRIES,
  BUDGET_SERIES,
  BUDGET_STATE,
  BUDGETS,
  ENVIRONMENTS,
  type Environment,
  type TokenScope,
} from '../../core/index.js';
import {
  answerSchema,
  ApiQueries,
  bodySchema,
  invalidRequest,
  parameter,
  readBody,
  readQuery,
  WeirError,
  type QueryOf,
} from '../../http/index.js';
import { BudgetAdjustments } from './budget-adjustments.js';
import { BudgetCourse, entryPlace } from './budget-course.js';
import { BudgetReader } from './budget-reader.js';

const QUERY = {
  environment: parameter.oneOf(ENVIRONMENTS, 'Only this environment.'),
  past: parameter.boolean('Include past windows.'),
};
const EVENTS_AT_ONCE = 20;
/** Every part of a scope has at most 200 characters, and its name. */
const SCOPE_LENGTH = 4_000;
const LIST_QUERY = {
  ...QUERY,
  event: parameter.listOf(
    parameter.uuid(
      'Ids (`id`) of events: return only windows to which one of these events was charged, with the charged amount.',
    ),
    EVENTS_AT_ONCE,
  ),
};
const ONE_QUERY = {
  ...QUERY,
  scope: parameter.text(
    'Only windows with this scope: its names and values in the order of the policy, separated by spaces, such as `app=web metadata.team=payments`; `(none)` stands for a missing value.',
    SCOPE_LENGTH,
  ),
  period_id: parameter.uuid('Only the window with this id.'),
};
type AnyQuery = typeof LIST_QUERY & typeof ONE_QUERY;

const ENTRIES_AT_ONCE = 50;
const PERIOD = parameter.uuid('Id of a window of one scope; optional if the budget has only one window.');
const SERIES_QUERY = { period_id: PERIOD };
const ENTRIES_QUERY = {
  period_id: PERIOD,
  limit: parameter.integer(1, 200, `Entries per page; ${ENTRIES_AT_ONCE} when absent.`),
  cursor: parameter.text('`next_cursor` of the previous page.', 100),
};

/** Routes for the spending of budgets. */
@ApiTags('budgets')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to another environment.' })
@Controller('v1')
export class BudgetsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(BudgetReader) private readonly reader: BudgetReader,
    @Inject(BudgetAdjustments) private readonly adjustments: BudgetAdjustments,
    @Inject(BudgetCourse) private readonly course: BudgetCourse,
  ) {}

  @Get('budgets')
  @ApiOperation({ operationId: 'listBudgets', summary: 'Spending of all budgets. Scope `events:read`.' })
  @ApiQueries(LIST_QUERY)
  @ApiResponse(answerSchema(200, 'One entry per budget, scope and window.', BUDGETS))
  async list(@Req() request: FastifyRequest) {
    return { data: await this.states(request, LIST_QUERY) };
  }

  @Get('budgets/:id')
  @ApiOperation({ operationId: 'getBudget', summary: 'Spending of one budget across all scopes. Scope `events:read`.' })
  @ApiParam({ name: 'id', description: "The budget's id in the policy." })
  @ApiQueries(ONE_QUERY)
  @ApiResponse(answerSchema(200, 'One entry per scope and window.', BUDGETS))
  @ApiResponse({ status: 404, description: 'No policy contains or contained such a budget, or it has no such window.' })
  async get(@Req() request: FastifyRequest) {
    const data = await this.states(request, ONE_QUERY, budgetId(request));
    if (data.length === 0) throw new WeirError('not_found');
    return { data };
  }

  @Get('budgets/:id/series')
  @ApiOperation({
    operationId: 'getBudgetSeries',
    summary: 'Spending in one window of a budget over time, with a forecast. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: "The budget's id in the policy." })
  @ApiQueries(SERIES_QUERY)
  @ApiResponse(answerSchema(200, 'Spending at the end of each step so far, and a forecast.', BUDGET_SERIES))
  @ApiResponse({ status: 404, description: 'The budget has no such window.' })
  async series(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request, 'events:read');
    return this.course.series(await this.period(request, manager, readQuery(SERIES_QUERY, request.query).period_id));
  }

  @Get('budgets/:id/entries')
  @ApiOperation({
    operationId: 'listBudgetEntries',
    summary: 'The ledger of one window of a budget, newest first. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: "The budget's id in the policy." })
  @ApiQueries(ENTRIES_QUERY)
  @ApiResponse(answerSchema(200, 'A page of entries.', BUDGET_ENTRIES))
  @ApiResponse({ status: 404, description: 'The budget has no such window.' })
  async entries(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request, 'events:read');
    const { period_id: id, limit = ENTRIES_AT_ONCE, cursor } = readQuery(ENTRIES_QUERY, request.query);
    const place = cursor === undefined ? undefined : entryPlace(cursor);
    if (cursor !== undefined && place === undefined) {
      throw invalidRequest([{ path: 'cursor', message: 'must be a `next_cursor`' }]);
    }
    return this.course.entries(await this.period(request, manager, id), limit, place);
  }

  @Post('budgets/:id/adjustments')
  @HttpCode(200)
  @Records('budget.adjusted')
  @ApiOperation({
    operationId: 'adjustBudget',
    summary: 'Correct the spending of a budget in one window. Scope `budgets:admin`.',
  })
  @ApiParam({ name: 'id', description: "The budget's id in the policy." })
  @ApiBody(bodySchema(BUDGET_ADJUSTMENT))
  @ApiResponse(answerSchema(200, 'The window after the change.', BUDGET_STATE))
  @ApiResponse({ status: 404, description: 'The budget has no such window.' })
  async adjust(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request, 'budgets:admin');
    const { period_id: periodId, amount, because } = readBody(BUDGET_ADJUSTMENT, request);
    const wanted = { accountId: manager.accountId, budget: budgetId(request), periodId, amount, because };
    return this.reader.withThresholds(manager.accountId, await this.adjustments.adjust(wanted, manager));
  }

  @Get('budget-audit')
  @ApiOperation({
    operationId: 'auditBudgets',
    summary: 'Compare the amounts recorded in events, ledger and budgets for each budget window. Scope `events:read`.',
  })
  @ApiResponse(
    answerSchema(
      200,
      'The comparison; `exact` is true for a window in which no amount is missing or counted twice.',
      BUDGET_AUDIT,
    ),
  )
  async audit(@Req() request: FastifyRequest) {
    const { accountId, environment } = await this.authorize(request, 'events:read');
    return this.reader.audit(accountId, environment);
  }

  /**
   * @throws {WeirError} 404, also for a window of another budget, environment or account; 422 when several windows
   * match
   */
  private async period(request: FastifyRequest, manager: ActingManager, asked: string | undefined) {
    const budget = budgetId(request);
    const period = await this.reader.period(manager.accountId, budget, asked, manager.environment);
    if (period === 'several') {
      throw invalidRequest([{ path: 'period_id', message: 'is required: the budget has several windows' }]);
    }
    if (period === undefined) throw new WeirError('not_found');
    return period;
  }

  private async states(request: FastifyRequest, table: Partial<AnyQuery>, budget?: string) {
    const manager = await this.authorize(request, 'events:read');
    const {
      past = false,
      environment: asked,
      event: events,
      scope,
      period_id: periodId,
    } = readQuery(table, request.query) as QueryOf<AnyQuery>;
    const environment = environmentOf(manager, asked);
    return this.reader.list({
      accountId: manager.accountId,
      ...(environment === undefined ? {} : { environment }),
      ...(budget === undefined ? {} : { budget }),
      ...(events === undefined ? {} : { events }),
      ...(scope === undefined ? {} : { scope }),
      ...(periodId === undefined ? {} : { periodId }),
      past,
    });
  }

  private authorize(request: FastifyRequest, scope: TokenScope): Promise<ActingManager> {
    return this.access.authorize(request, scope);
  }
}

function environmentOf({ environment: own }: ActingManager, asked: Environment | undefined): Environment | undefined {
  if (own !== undefined && asked !== undefined && own !== asked) {
    throw new WeirError('forbidden', { message: `The management token is for ${own} only` });
  }
  return own ?? asked;
}

function budgetId(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id;
}
