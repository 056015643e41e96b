import { Controller, Delete, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Records } from '../../admin-audit/index.js';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../../http/index.js';
import { Apps } from '../apps.js';
import { MOST_OF_ACCOUNT } from '../account-maximum.js';
import type { ActingManager } from '../caller.js';
import { ManagementAccess } from '../management-access.js';
import { ApiManagers } from './api-managers.js';
import { APP, APPS, NEW_APP } from './api-schemas.js';
import { appOf } from './path-ids.js';
import { appView } from './views.js';

/** The apps of an account. */
@ApiTags('access')
@ApiManagers()
@Controller('v1')
export class AppsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Apps) private readonly apps: Apps,
  ) {}

  @Get('apps')
  @ApiOperation({ operationId: 'listApps', summary: "The account's apps, oldest first. Any scope." })
  @ApiResponse(answerSchema(200, 'The apps.', APPS))
  async list(@Req() request: FastifyRequest) {
    const manager = await this.access.authorize(request);
    return { data: (await this.apps.list(manager.accountId)).map(appView) };
  }

  @Post('apps')
  @HttpCode(201)
  @Records('app.created')
  @ApiOperation({ operationId: 'createApp', summary: 'Create an app. Scope `account:admin`, for all environments.' })
  @ApiBody(bodySchema(NEW_APP))
  @ApiResponse(answerSchema(201, 'The app; it has no keys yet.', APP))
  @ApiResponse({
    status: 422,
    description: `The name is wrong or taken, or the account has ${MOST_OF_ACCOUNT.apps} apps that are not archived.`,
  })
  @ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to one environment.' })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.authorizeChange(request);
    const app = await this.apps.create(manager.accountId, readBody(NEW_APP, request).name, manager.actor);
    if (app === null) throw taken();
    return appView(app);
  }

  @Delete('apps/:app')
  @HttpCode(204)
  @Records('app.archived')
  @ApiOperation({
    operationId: 'archiveApp',
    summary: 'Archive an app. Scope `account:admin`, for all environments.',
    description:
      'The keys of the app stop working permanently: at once on this replica, within a second on all others. Its events stay readable.',
  })
  @ApiParam({ name: 'app', description: 'Id of the app.' })
  @ApiResponse({ status: 204, description: 'The app is archived.' })
  @ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to one environment.' })
  @ApiResponse({ status: 404, description: 'There is no such app, or it was archived.' })
  async archive(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.authorizeChange(request);
    if (!(await this.apps.archive(manager.accountId, appOf(request), manager.actor))) throw new WeirError('not_found');
  }

  private async authorizeChange(request: FastifyRequest): Promise<ActingManager> {
    const manager = await this.access.authorize(request, 'account:admin');
    if (manager.environment !== undefined) {
      throw new WeirError('forbidden', { message: 'Changing apps requires a token for all environments' });
    }
    return manager;
  }
}

function taken(): WeirError {
  return invalidRequest([{ path: 'name', message: 'is the name of another app' }]);
}
