import { Controller, Get, Inject, Patch, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  ApiManagers,
  Apps,
  ManagementAccess,
  type ActingManager,
  type AppDetail,
  type AppLimits,
} from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import type { ErrorDetail } from '../core/index.js';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../http/index.js';
import { mostWithin, RateLimits } from '../limits/index.js';
import { AppFigures } from './app-figures.js';
import { APP_CHANGE, APP_DETAIL, RECEPTION, type APP_LIMITS } from './app-schemas.js';
import { Refusals } from './refusals.js';

const SURFACES = ['events', 'proxy'] as const;
const REFUSED_MINUTES = 10;

/** One app: limits and use, its last events, and its refusals. */
@ApiTags('access')
@ApiManagers()
@ApiParam({ name: 'app', description: 'Id of the app.' })
@ApiResponse({ status: 404, description: 'There is no such app, or it was archived.' })
@Controller('v1/apps/:app')
export class AppController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Apps) private readonly apps: Apps,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(AppFigures) private readonly figures: AppFigures,
    @Inject(Refusals) private readonly refusals: Refusals,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'getApp', summary: 'One app with its limits and their current use. Any scope.' })
  @ApiResponse(answerSchema(200, 'The app.', APP_DETAIL))
  async get(@Req() request: FastifyRequest) {
    const manager = await this.access.authorize(request);
    return this.shown(manager, await this.found(manager, request));
  }

  @Patch()
  @Records(['app.renamed', 'app.limits_changed'])
  @ApiOperation({
    operationId: 'changeApp',
    summary: 'Rename an app or limit its calls. Scope `account:admin`, for all environments.',
    description:
      "A changed limit applies on every replica within a second. Limits can only be stricter than the operator's.",
  })
  @ApiBody(bodySchema(APP_CHANGE))
  @ApiResponse(answerSchema(200, 'The app after the change.', APP_DETAIL))
  @ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to one environment.' })
  async change(@Req() request: FastifyRequest) {
    const manager = await this.access.authorize(request, 'account:admin');
    if (manager.environment !== undefined) {
      throw new WeirError('forbidden', { message: 'Changing apps requires a token for all environments' });
    }
    const id = appId(request);
    const { name, limits } = readBody(APP_CHANGE, request);
    if (name === undefined && limits === undefined) {
      throw invalidRequest([{ path: 'name', message: 'is required, unless `limits` is given' }]);
    }
    const changed = await this.apps.change(manager.accountId, id, manager.actor, {
      ...(name === undefined ? {} : { name }),
      ...(limits === undefined ? {} : { limits: this.checked(limits) }),
    });
    if (changed === 'unknown') throw new WeirError('not_found');
    if (changed === 'taken') throw invalidRequest([{ path: 'name', message: 'is the name of another app' }]);
    return this.shown(manager, changed);
  }

  @Get('reception')
  @ApiOperation({
    operationId: 'getAppReception',
    summary: 'Calls and refusals of an app in the last ten minutes. Scope `events:read`.',
    description:
      'The refusals are those of all replicas, with a delay of up to a second. A token for one environment gets those of calls with a key of that environment. Calls with an unknown key are not counted; calls with a deleted or expired key of the app, or with a wrong secret, are counted as status 401.',
  })
  @ApiResponse(answerSchema(200, 'Calls and refusals.', RECEPTION))
  async reception(@Req() request: FastifyRequest): Promise<z.infer<typeof RECEPTION>> {
    const manager = await this.access.authorize(request, 'events:read');
    const { id } = await this.found(manager, request);
    const [last, refused] = await Promise.all([
      this.figures.lastEventAt(manager, id),
      this.refusals.recent(manager, id, REFUSED_MINUTES),
    ]);
    return {
      last_event_at: last?.toISOString() ?? null,
      refused: refused.map(({ status, type, count, lastAt }) => ({
        ...{ status, type, count },
        last_at: lastAt.toISOString(),
      })),
    };
  }

  private async found({ accountId }: ActingManager, request: FastifyRequest): Promise<AppDetail> {
    const app = await this.apps.get(accountId, appId(request));
    if (app === null) throw new WeirError('not_found');
    return app;
  }

  private async shown(manager: ActingManager, app: AppDetail): Promise<z.infer<typeof APP_DETAIL>> {
    const { id, name, createdAt, limits } = app;
    const mayRead = manager.scopes.includes('events:read');
    const [events, proxy, asked, calls, last] = await Promise.all([
      this.limits.use('events', id, limits?.events),
      this.limits.use('proxy', id, limits?.proxy),
      this.limits.use('calls', id, limits?.proxy),
      mayRead ? this.figures.calls(manager, id) : null,
      mayRead ? this.figures.lastEventAt(manager, id) : null,
    ]);
    return {
      ...{ id, name, created_at: createdAt.toISOString() },
      limits: limits === undefined ? null : { events: limits.events ?? null, proxy: limits.proxy ?? null },
      usage: { events, proxy, calls: asked, counted_by: this.limits.isOfAllReplicas ? 'all_replicas' : 'this_replica' },
      calls_24h: calls,
      last_event_at: last?.toISOString() ?? null,
    };
  }

  /** @throws {WeirError} 422 for limits that exceed the operator's */
  private checked(limits: z.infer<typeof APP_LIMITS> | null): AppLimits | null {
    const details: ErrorDetail[] = [];
    for (const surface of SURFACES) {
      const [own, operators] = [limits?.[surface], this.limits.operators(surface)];
      if (own === undefined || own === null || operators === undefined) continue;
      const most = mostWithin(own.seconds, operators);
      if (own.count <= most) continue;
      const allowed = `${operators.limit} calls in ${operators.windowSeconds} seconds`;
      details.push(
        most === 0
          ? { path: `limits.${surface}.seconds`, message: `is too short: the operator allows ${allowed}` }
          : { path: `limits.${surface}.count`, message: `must be at most ${most}: the operator allows ${allowed}` },
      );
    }
    if (details.length > 0) throw invalidRequest(details);
    const [events, proxy] = [limits?.events ?? undefined, limits?.proxy ?? undefined];
    if (events === undefined && proxy === undefined) return null;
    return { ...(events === undefined ? {} : { events }), ...(proxy === undefined ? {} : { proxy }) };
  }
}

function appId(request: FastifyRequest): string {
  const { app } = request.params as { readonly app: string };
  if (!z.uuid().safeParse(app).success) throw new WeirError('not_found');
  return app;
}
