import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, Apps, ManagementAccess, ManagementTokens, type ActingManager } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { ENVIRONMENTS } from '../core/index.js';
import { answerSchema, WeirError } from '../http/index.js';
import { DatabaseClock } from '../database/index.js';
import { Subscriptions, subscriptionView } from '../subscription/index.js';
import { VERSION } from '../version.js';
import { AccountRetention } from './account-retention.js';
import { FEATURES, ME } from './me-schema.js';

/** The caller, its rights, and information about this service: everything that a client needs to begin. */
@ApiTags('access')
@ApiManagers()
@Controller('v1/me')
export class MeController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Apps) private readonly apps: Apps,
    @Inject(ManagementTokens) private readonly tokens: ManagementTokens,
    @Inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
    @Inject(AccountRetention) private readonly retention: AccountRetention,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getMe',
    summary: 'The caller, its permissions, the account and the service in one answer. Any scope.',
  })
  @ApiHeader({
    name: 'X-Weir-Background',
    required: false,
    schema: { type: 'string', example: '1' },
    description:
      'On any route that accepts a session, `1` means that the page sends the request on its own, not for an action of the user. Such a request does not extend the session.',
  })
  @ApiResponse(answerSchema(200, 'The caller, the account and the service.', ME))
  async me(@Req() request: FastifyRequest): Promise<z.infer<typeof ME>> {
    const manager = await this.access.authorize(request);
    const { accountId, session, scopes, environment } = manager;
    const [account, token, subscription] = await Promise.all([
      this.apps.account(accountId),
      this.tokenOf(manager),
      this.subscriptions.find(accountId),
    ]);
    if (account === null || (token === undefined && session === undefined)) throw new WeirError('authentication_error');
    const { billing, providers, server } = this.config;
    const visible = environment === undefined ? [...ENVIRONMENTS] : [environment];
    return {
      person: session === undefined ? null : { id: session.personId, email: session.email },
      token: token === undefined ? null : { id: token.id, name: token.name },
      account: { id: account.id, email: account.email },
      role: session?.role ?? null,
      scopes: [...scopes],
      environments: visible,
      subscription: subscription === null ? null : subscriptionView(subscription, billing, this.clock.now()),
      retention: await this.retention.of(accountId, visible, scopes),
      server: {
        version: VERSION,
        base_url: server.baseUrl,
        billing: billing.enabled ? 'on' : 'off',
        providers: providers.map(({ id, style }) => ({ id, style })),
        features: [...FEATURES],
      },
    };
  }

  private async tokenOf({ accountId, actor }: ActingManager) {
    if (actor.kind !== 'token') return undefined;
    return (await this.tokens.find(accountId, actor.id ?? '')) ?? undefined;
  }
}
