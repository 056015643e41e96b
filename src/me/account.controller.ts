import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, Apps, ManagementAccess, ManagementTokens, tokenView } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { DatabaseClock } from '../database/index.js';
import { answerSchema, WeirError } from '../http/index.js';
import { Subscriptions, subscriptionView } from '../subscription/index.js';
import { VERSION } from '../version.js';
import { ACCOUNT } from './me-schema.js';

/** The account of the token or session. */
@ApiTags('access')
@ApiManagers()
@Controller('v1/account')
export class AccountController {
  constructor(
    @Inject(ManagementAccess) private readonly access: Pick<ManagementAccess, 'authorize'>,
    @Inject(Apps) private readonly apps: Pick<Apps, 'account'>,
    @Inject(ManagementTokens) private readonly tokens: Pick<ManagementTokens, 'find'>,
    @Inject(Subscriptions) private readonly subscriptions: Pick<Subscriptions, 'find'>,
    @Inject(APP_CONFIG) private readonly config: Pick<AppConfig, 'billing'>,
    @Inject(DatabaseClock) private readonly clock: Pick<DatabaseClock, 'now'>,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getAccount',
    summary: 'The account, and the token or person that sent the request. Any scope.',
  })
  @ApiResponse(answerSchema(200, 'The owner of the token or session; for a token, also its scopes.', ACCOUNT))
  async account(@Req() request: FastifyRequest): Promise<z.infer<typeof ACCOUNT>> {
    const { accountId, actor } = await this.access.authorize(request);
    const tokenId = actor.kind === 'token' ? actor.id : null;
    const [account, subscription, token] = await Promise.all([
      this.apps.account(accountId),
      this.subscriptions.find(accountId),
      tokenId === null ? null : this.tokens.find(accountId, tokenId),
    ]);
    if (account === null || subscription === null || (token === null && actor.kind === 'token'))
      throw new WeirError('authentication_error');
    const { id, email, emailVerified } = account;
    const { state } = subscriptionView(subscription, this.config.billing, this.clock.now());
    return {
      account: { id, email, email_verified: emailVerified, subscription: state },
      token: token === null ? null : tokenView(token),
      person: actor.kind === 'person' && actor.id !== null ? { id: actor.id } : null,
      server: { version: VERSION },
    };
  }
}
