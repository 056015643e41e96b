import { Controller, Delete, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Records } from '../../admin-audit/index.js';
import { answerSchema, bodySchema, readBody, WeirError } from '../../http/index.js';
import { DatabaseClock } from '../../database/index.js';
import { MOST_OF_ACCOUNT } from '../account-maximum.js';
import type { ActingManager } from '../caller.js';
import { ManagementAccess } from '../management-access.js';
import { ManagementTokens, type ManagementTokenView } from '../management-tokens.js';
import { ApiManagers } from './api-managers.js';
import { CREATED_TOKEN, NEW_TOKEN, TOKENS } from './api-schemas.js';
import { futureOf } from './keys.controller.js';
import { tokenView } from './views.js';

const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

/** Management tokens, for holders of a token with `account:admin`. Nobody can grant a right that they do not have. */
@ApiTags('access')
@ApiManagers()
@ApiResponse({
  status: 403,
  description:
    'The token lacks the scope `account:admin` or a scope of the new token, or expires before the new token; or the member must enter the password again.',
})
@Controller('v1/tokens')
export class TokensController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(ManagementTokens) private readonly tokens: ManagementTokens,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listTokens', summary: 'The management tokens, oldest first. Scope `account:admin`.' })
  @ApiResponse(answerSchema(200, 'The tokens, including expired tokens that are not deleted.', TOKENS))
  async list(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const tokens = await this.tokens.list(manager.accountId);
    return { data: tokens.filter((token) => isVisible(token, manager)).map(tokenView) };
  }

  @Post()
  @HttpCode(201)
  @Records('token.created')
  @ApiOperation({ operationId: 'createToken', summary: 'Create a management token. Scope `account:admin`.' })
  @ApiBody(bodySchema(NEW_TOKEN))
  @ApiResponse(answerSchema(201, 'The token with its secret, which is shown only once.', CREATED_TOKEN))
  @ApiResponse({
    status: 422,
    description: `A field is wrong (\`details\` names it), or the account has ${MOST_OF_ACCOUNT.tokens} tokens.`,
  })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.access.authorizeSensitive(request, 'account:admin');
    const { name, scopes, environment, expires_at: expires } = readBody(NEW_TOKEN, request);
    const lacking = scopes.find((scope) => !manager.scopes.includes(scope));
    if (lacking !== undefined) {
      throw new WeirError('forbidden', { message: `The management token lacks the scope ${lacking} itself` });
    }
    if (manager.environment !== undefined && environment !== manager.environment) {
      throw new WeirError('forbidden', { message: `The management token is for ${manager.environment} only` });
    }
    const expiresAt = endOf(expires, manager, this.clock.nowMs());
    const wanted = {
      accountId: manager.accountId,
      name,
      scopes: [...new Set(scopes)],
      ...(environment === null || environment === undefined ? {} : { environment }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const made = await this.tokens.create(wanted, manager.actor);
    return { token: tokenView(made.token), secret: made.secret };
  }

  @Delete(':id')
  @HttpCode(204)
  @Records('token.deleted')
  @ApiOperation({
    operationId: 'deleteToken',
    summary:
      'Delete a token: it stops working at once on this replica, within a second on all others. Scope `account:admin`.',
  })
  @ApiParam({ name: 'id', description: 'Public id of the token.' })
  @ApiResponse({ status: 204, description: 'The token is deleted.' })
  @ApiResponse({ status: 404, description: 'There is no such token, or it was deleted.' })
  async delete(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.authorize(request);
    const { id } = request.params as { readonly id: string };
    const token = await this.tokens.find(manager.accountId, id);
    const isKnown = token !== null && isVisible(token, manager);
    if (!isKnown || !(await this.tokens.delete(manager.accountId, id, manager.actor))) throw new WeirError('not_found');
  }

  private authorize(request: FastifyRequest): Promise<ActingManager> {
    return this.access.authorize(request, 'account:admin');
  }
}

/**
 * The expiry of a new token; undefined if it never expires. A token that could create one with a later expiry could extend its own
 * access without end.
 *
 * @throws {WeirError} 422 for a wrong time, 403 if the manager expires earlier
 */
function endOf(
  wanted: string | null | undefined,
  { expiresAtMs: ownMs = Infinity }: ActingManager,
  nowMs: number,
): Date | undefined {
  if (wanted === undefined) return new Date(Math.min(nowMs + DEFAULT_DAYS * DAY_MS, ownMs));
  const end = futureOf(wanted, nowMs);
  if ((end?.getTime() ?? Infinity) <= ownMs) return end;
  throw new WeirError('forbidden', {
    message: `The management token expires at ${new Date(ownMs).toISOString()} itself, and can only create tokens that expire by then`,
  });
}

function isVisible(token: ManagementTokenView, { environment }: ActingManager): boolean {
  return environment === undefined || token.environment === environment;
}
