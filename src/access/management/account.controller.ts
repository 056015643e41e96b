import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../../http/index.js';
import { VERSION } from '../../version.js';
import { Apps } from '../apps.js';
import type { Manager } from '../caller.js';
import { ManagementTokens } from '../management-tokens.js';
import { requireManager } from '../require-manager.js';
import { TokenAuthenticator } from '../token-authenticator.js';
import { ACCOUNT, APP, APPS, NEW_APP } from './api-schemas.js';
import { appView, tokenView } from './views.js';

/** Whose token this is, and the account's apps. */
@ApiTags('access')
@ApiBearerAuth('management_token')
@ApiResponse({ status: 401, description: 'No valid management token.' })
@Controller('v1')
export class AccountController {
  constructor(
    @Inject(TokenAuthenticator) private readonly authenticator: TokenAuthenticator,
    @Inject(ManagementTokens) private readonly tokens: ManagementTokens,
    @Inject(Apps) private readonly apps: Apps,
  ) {}

  @Get('account')
  @ApiOperation({ operationId: 'getAccount', summary: 'The account and the token that asks. Any scope.' })
  @ApiResponse(answerSchema(200, 'Whose token this is, and what it may do.', ACCOUNT))
  async account(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const account = await this.apps.account(manager.accountId);
    const token = (await this.tokens.list(manager.accountId)).find(({ id }) => id === manager.tokenId);
    if (account === null || token === undefined) throw new WeirError('authentication_error');
    const { id, email, emailVerified, subscription } = account;
    return {
      account: { id, email, email_verified: emailVerified, subscription },
      token: tokenView(token),
      server: { version: VERSION },
    };
  }

  @Get('apps')
  @ApiOperation({ operationId: 'listApps', summary: "The account's apps, oldest first. Any scope." })
  @ApiResponse(answerSchema(200, 'The apps.', APPS))
  async list(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    return { data: (await this.apps.list(manager.accountId)).map(appView) };
  }

  @Post('apps')
  @HttpCode(201)
  @ApiOperation({ operationId: 'createApp', summary: 'Make an app. Scope `account:admin`, for all environments.' })
  @ApiBody(bodySchema(NEW_APP))
  @ApiResponse(answerSchema(201, 'The app; it has no keys yet.', APP))
  @ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to one environment.' })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    if (!manager.scopes.includes('account:admin') || manager.environment !== undefined) {
      throw new WeirError('forbidden', { message: 'Apps are made with the scope account:admin for all environments' });
    }
    const app = await this.apps.create(manager.accountId, readBody(NEW_APP, request).name);
    if (app === null) throw invalidRequest([{ path: 'name', message: 'is the name of another app' }]);
    return appView(app);
  }

  private authorize(request: FastifyRequest): Promise<Manager> {
    return requireManager(this.authenticator, request);
  }
}
