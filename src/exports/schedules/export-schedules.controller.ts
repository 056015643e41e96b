import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess, type ActingManager, type Reach } from '../../access/index.js';
import { Records } from '../../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../../config/index.js';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../../http/index.js';
import { exportView } from '../api-schemas.js';
import { isOpen, type ExportDestination, type ExportOrder } from '../export-job.js';
import { ExportJobs } from '../export-jobs.js';
import { ExportRunner } from '../export-runner.js';
import { PendingUploads } from '../pending-uploads.js';
import { checkFilters, checkTable, idOf, readDestination, readOrder } from '../read-order.js';
import { ExportSchedules, MAX_SCHEDULES, type ScheduleChange } from './export-schedules.js';
import type { ExportSchedule } from './schedule.js';
import { NEW_SCHEDULE, RUNS, SCHEDULE, SCHEDULE_CHANGE, SCHEDULES, scheduleView } from './schedule-schemas.js';

type OrderChange = Omit<z.infer<typeof SCHEDULE_CHANGE>, 'name' | 'paused' | 'due'>;

/** Fields that the schedule determines itself. */
const ITS_OWN: readonly string[] = ['from', 'to'];

/** Schedules of recurring exports. */
@ApiTags('events')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
@Controller('v1/export-schedules')
export class ExportSchedulesController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(ExportSchedules) private readonly schedules: ExportSchedules,
    @Inject(ExportJobs) private readonly jobs: ExportJobs,
    @Inject(ExportRunner) private readonly runner: ExportRunner,
    @Inject(PendingUploads) private readonly uploads: PendingUploads,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listExportSchedules',
    summary: 'Scheduled exports, sorted by name. Scope `events:read`.',
  })
  @ApiResponse(answerSchema(200, 'The schedules.', SCHEDULES))
  async list(@Req() request: FastifyRequest) {
    const manager = await this.access.authorize(request, 'events:read');
    return { data: (await this.schedules.list(manager)).map(scheduleView) };
  }

  @Post()
  @HttpCode(201)
  @Records('export.schedule_created')
  @ApiOperation({
    operationId: 'createExportSchedule',
    summary: 'Create a schedule that exports events each day, week or month. Scope `events:read`.',
    description:
      'The first file begins at the latest due time before the schedule was created. Each further file begins where the previous one ends, so that the periods, by time of receipt, have no gap and do not overlap; the run after a failed run also exports the events of the failed run. An export starts ten minutes after it is due. Events that are stored even later are counted and reported when the next file is written. Members must have entered their password within the last ten minutes.',
  })
  @ApiBody(bodySchema(NEW_SCHEDULE))
  @ApiResponse(answerSchema(201, 'The schedule.', SCHEDULE))
  @ApiResponse({
    status: 422,
    description: `A field is wrong (\`details\` names it), or there are already ${MAX_SCHEDULES} schedules.`,
  })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.access.authorizeSensitive(request, 'events:read');
    const { name, due, ...wanted } = readBody(NEW_SCHEDULE, request);
    checkTimes(wanted.filters);
    const { order, credentials } = readOrder(wanted, manager, this.config.exports);
    const made = await this.schedules.create(manager, { name, due, order }, credentials);
    if (made === 'too_many') {
      throw invalidRequest([{ path: 'name', message: `exceeds the limit of ${MAX_SCHEDULES} schedules per account` }]);
    }
    return scheduleView(made);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getExportSchedule', summary: 'One schedule of exports. Scope `events:read`.' })
  @ApiParam({ name: 'id', description: 'Id of the schedule.' })
  @ApiResponse(answerSchema(200, 'The schedule.', SCHEDULE))
  @ApiResponse({ status: 404, description: 'There is no such schedule.' })
  async get(@Req() request: FastifyRequest) {
    return scheduleView(await this.schedule(request, await this.access.authorize(request, 'events:read')));
  }

  @Get(':id/runs')
  @ApiOperation({
    operationId: 'listExportScheduleRuns',
    summary: 'The runs of a schedule, newest first, including failures. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: 'Id of the schedule.' })
  @ApiResponse(answerSchema(200, 'The runs of the last 400 days, at most 200.', RUNS))
  @ApiResponse({ status: 404, description: 'There is no such schedule.' })
  async runs(@Req() request: FastifyRequest) {
    const manager = await this.access.authorize(request, 'events:read');
    const { id } = await this.schedule(request, manager);
    return { data: (await this.jobs.list(manager, id)).map(exportView) };
  }

  @Patch(':id')
  @Records('export.schedule_changed')
  @ApiOperation({
    operationId: 'changeExportSchedule',
    summary: 'Change, pause or resume a schedule of exports. Scope `events:read`.',
    description:
      'The change applies from the next run on. The person or token that changes a schedule becomes responsible for it: if this person or token loses access to the account, the schedule is paused. Members must have entered their password within the last ten minutes.',
  })
  @ApiParam({ name: 'id', description: 'Id of the schedule.' })
  @ApiBody(bodySchema(SCHEDULE_CHANGE))
  @ApiResponse(answerSchema(200, 'The schedule after the change.', SCHEDULE))
  @ApiResponse({ status: 404, description: 'There is no such schedule.' })
  @ApiResponse({ status: 422, description: 'A field is wrong (`details` names it), or the body changes no field.' })
  async change(@Req() request: FastifyRequest) {
    const manager = await this.access.authorizeSensitive(request, 'events:read');
    const { id } = await this.schedule(request, manager);
    const change = this.readChange(readBody(SCHEDULE_CHANGE, request), manager);
    const changed = await this.schedules.change(manager, id, change);
    if (changed === null) throw new WeirError('not_found');
    return scheduleView(changed);
  }

  @Delete(':id')
  @HttpCode(204)
  @Records('export.schedule_deleted')
  @ApiOperation({
    operationId: 'deleteExportSchedule',
    summary: 'Delete a schedule of exports and its credentials; a current run is cancelled. Scope `events:read`.',
    description: 'Finished files are kept for as long as the files of other exports.',
  })
  @ApiParam({ name: 'id', description: 'Id of the schedule.' })
  @ApiResponse({ status: 204, description: 'The schedule is deleted.' })
  @ApiResponse({ status: 404, description: 'There is no such schedule.' })
  async delete(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.access.authorize(request, 'events:read');
    const id = idOf(request);
    const runs = (await this.jobs.list(manager, id)).filter(isOpen).map((job) => job.id);
    const remove = () => this.schedules.remove(manager, id, manager.actor);
    const removed = await this.uploads.removing(manager, runs, remove);
    if (removed === false) throw new WeirError('not_found');
    if (removed.ended !== null) this.runner.end(removed.ended);
  }

  /** @throws {WeirError} 422 for a change without fields, or a destination that is not allowed */
  private readChange(
    { name, paused, due, ...more }: z.infer<typeof SCHEDULE_CHANGE>,
    manager: ActingManager,
  ): ScheduleChange {
    const isOrder = Object.values(more).some((field) => field !== undefined);
    if (!isOrder && name === undefined && paused === undefined && due === undefined) {
      throw invalidRequest([{ path: '', message: 'must name at least one change' }]);
    }
    checkTimes(more.filters);
    const { place, credentials } = readDestination(more.destination, this.config.exports);
    return {
      ...(name === undefined ? {} : { name }),
      ...(due === undefined ? {} : { due }),
      ...(isOrder ? { order: (stored: ExportOrder) => changedOrder(stored, more, place, manager) } : {}),
      ...(paused === undefined ? {} : { isPaused: paused }),
      ...(credentials === undefined ? {} : { credentials }),
    };
  }

  private async schedule(request: FastifyRequest, manager: ActingManager): Promise<ExportSchedule> {
    const schedule = await this.schedules.find(manager, idOf(request));
    if (schedule === null) throw new WeirError('not_found');
    return schedule;
  }
}

/**
 * @param place the new destination, if the change contains one
 * @throws {WeirError} 422 for a change that contradicts the rest of the order
 */
function changedOrder(
  stored: ExportOrder,
  { columns, destination, ...change }: OrderChange,
  place: ExportDestination,
  manager: Reach,
): ExportOrder {
  const { format = stored.format, filters = stored.filters, bom = stored.bom } = change;
  const shown = columns === undefined ? stored.columns : (columns ?? undefined);
  const order = {
    ...{ format, filters, bom, destination: destination === undefined ? stored.destination : place },
    ...(shown === undefined ? {} : { columns: shown }),
  };
  checkTable(order);
  checkFilters(order.filters, manager);
  return order;
}

/** @throws {WeirError} 422 naming each filter of time, which the schedule sets itself */
function checkTimes(filters: Readonly<Record<string, string>> = {}): void {
  const wrong = ITS_OWN.filter((name) => Object.hasOwn(filters, name));
  if (wrong.length === 0) return;
  const message = 'is set by the schedule: each file begins where the previous one ends';
  throw invalidRequest(wrong.map((name) => ({ path: `filters.${name}`, message })));
}
