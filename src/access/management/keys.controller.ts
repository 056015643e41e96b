import { Controller, Delete, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Records } from '../../admin-audit/index.js';
import type { Environment } from '../../core/index.js';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../../http/index.js';
import { DatabaseClock } from '../../database/index.js';
import { MOST_OF_ACCOUNT } from '../account-maximum.js';
import { ApiKeys, type ApiKeyView } from '../api-keys.js';
import { Apps } from '../apps.js';
import type { ActingManager } from '../caller.js';
import { ManagementAccess } from '../management-access.js';
import { ApiManagers } from './api-managers.js';
import { CREATED_KEY, KEYS, NEW_KEY, ROTATED_KEY, ROTATION } from './api-schemas.js';
import { KeyMakers } from './key-makers.js';
import { appOf } from './path-ids.js';
import { keyView } from './views.js';

const TOO_MANY_KEYS = `A field is wrong (\`details\` names it), or the account has ${MOST_OF_ACCOUNT.keys} keys; while keys are replaced, it may have twice as many.`;

/** API keys, for holders of management tokens. A token bound to an environment can access only that environment's keys. */
@ApiTags('access')
@ApiManagers()
@ApiResponse({
  status: 403,
  description:
    'The token lacks the scope `keys:admin`, or is for another environment; or the member must enter the password again.',
})
@Controller('v1')
export class KeysController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(Apps) private readonly apps: Apps,
    @Inject(KeyMakers) private readonly makers: KeyMakers,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get('keys')
  @ApiOperation({ operationId: 'listAllKeys', summary: 'The keys of every app, oldest first. Scope `keys:admin`.' })
  @ApiResponse(answerSchema(200, 'The keys, including expired keys that are not deleted.', KEYS))
  async all(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const keys = visible(await this.keys.list(manager.accountId), manager);
    return { data: await this.makers.shown(manager.accountId, keys) };
  }

  @Get('apps/:app/keys')
  @ApiOperation({ operationId: 'listKeys', summary: 'The keys of an app, oldest first. Scope `keys:admin`.' })
  @ApiParam({ name: 'app', description: 'Id of the app.' })
  @ApiResponse(answerSchema(200, 'The keys, including expired keys that are not deleted.', KEYS))
  @ApiResponse({ status: 404, description: 'There is no such app, or it was archived.' })
  async list(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const app = appOf(request);
    if ((await this.apps.get(manager.accountId, app)) === null) throw new WeirError('not_found');
    const keys = visible(await this.keys.list(manager.accountId, app), manager);
    return { data: await this.makers.shown(manager.accountId, keys) };
  }

  @Post('apps/:app/keys')
  @HttpCode(201)
  @Records('key.created')
  @ApiOperation({ operationId: 'createKey', summary: 'Create a key. Scope `keys:admin`.' })
  @ApiParam({ name: 'app', description: 'Id of the app.' })
  @ApiBody(bodySchema(NEW_KEY))
  @ApiResponse(answerSchema(201, 'The key with its secret, which is shown only once.', CREATED_KEY))
  @ApiResponse({ status: 404, description: 'There is no such app.' })
  @ApiResponse({ status: 422, description: TOO_MANY_KEYS })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.access.authorizeSensitive(request, 'keys:admin');
    const { name, environment, expires_at: expires } = readBody(NEW_KEY, request);
    requireEnvironment(manager, environment);
    const account = await this.apps.account(manager.accountId);
    if (account?.emailVerified !== true) throw new WeirError('email_not_verified');
    const expiresAt = futureOf(expires, this.clock.nowMs());
    const { accountId, actor } = manager;
    const wanted = { accountId, appId: appOf(request), name, environment };
    // Queried before the key is created: after a later failure, its secret would be lost.
    const by = await this.makers.maker(accountId, actor);
    const made = await this.keys.create({ ...wanted, ...(expiresAt === undefined ? {} : { expiresAt }) }, actor);
    if (made === null) throw new WeirError('not_found');
    return { key: { ...keyView(made.key), created_by: by }, secret: made.secret };
  }

  @Post('apps/:app/keys/:id/rotate')
  @HttpCode(201)
  @Records('key.rotated')
  @ApiOperation({
    operationId: 'rotateKey',
    summary: 'Replace a key; the old one stays valid for a while. Scope `keys:admin`.',
  })
  @ApiParam({ name: 'app', description: 'Id of the app.' })
  @ApiParam({ name: 'id', description: 'Public id of the old key.' })
  @ApiBody(bodySchema(ROTATION))
  @ApiResponse(answerSchema(201, 'The new key with its secret, and the time when the old key expires.', ROTATED_KEY))
  @ApiResponse({ status: 404, description: 'There is no such key.' })
  @ApiResponse({ status: 422, description: TOO_MANY_KEYS })
  async rotate(@Req() request: FastifyRequest) {
    const manager = await this.access.authorizeSensitive(request, 'keys:admin');
    const { delete_old_after_seconds: seconds } = readBody(ROTATION, request);
    const { app, key } = await this.existing(request, manager);
    const { accountId, actor } = manager;
    const old = { accountId, appId: app, keyId: key.id };
    const wanted = seconds === null || seconds === undefined ? old : { ...old, deleteOldAfterMs: seconds * 1_000 };
    // Queried before the new key is created: after a later failure, its secret would be lost.
    const by = await this.makers.maker(accountId, actor);
    const [before] = await this.makers.shown(accountId, [key]);
    const rotated = await this.keys.rotate(wanted, actor);
    if (rotated === null) throw new WeirError('not_found');
    return {
      key: { ...keyView(rotated.key), created_by: by },
      secret: rotated.secret,
      old: { ...keyView(rotated.old), created_by: before?.created_by ?? null },
    };
  }

  @Delete('apps/:app/keys/:id')
  @HttpCode(204)
  @Records('key.deleted')
  @ApiOperation({
    operationId: 'deleteKey',
    summary:
      'Delete a key: it stops working at once on this replica, within a second on all others. Scope `keys:admin`.',
  })
  @ApiParam({ name: 'app', description: 'Id of the app.' })
  @ApiParam({ name: 'id', description: 'Public id of the key.' })
  @ApiResponse({ status: 204, description: 'The key is deleted.' })
  @ApiResponse({ status: 404, description: 'There is no such key, or it was deleted.' })
  async delete(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.authorize(request);
    const { app, key } = await this.existing(request, manager);
    if (!(await this.keys.delete(manager.accountId, app, key.id, manager.actor))) throw new WeirError('not_found');
  }

  /** Finds a key that the manager may see; any other key counts as unknown. */
  private async existing(request: FastifyRequest, manager: ActingManager): Promise<{ app: string; key: ApiKeyView }> {
    const app = appOf(request);
    const { id } = request.params as { readonly id: string };
    const key = await this.keys.find(manager.accountId, app, id);
    if (key === null || visible([key], manager).length === 0) throw new WeirError('not_found');
    return { app, key };
  }

  private authorize(request: FastifyRequest): Promise<ActingManager> {
    return this.access.authorize(request, 'keys:admin');
  }
}

function visible(keys: readonly ApiKeyView[], { environment }: ActingManager): ApiKeyView[] {
  return keys.filter((key) => environment === undefined || key.environment === environment);
}

function requireEnvironment(manager: ActingManager, environment: Environment): void {
  if (manager.environment !== undefined && manager.environment !== environment) {
    throw new WeirError('forbidden', { message: `The management token is for ${manager.environment} only` });
  }
}

/** PostgreSQL reads no year of five digits in the form of RFC 3339. */
const LAST_YEAR = 9999;

/** @throws {WeirError} 422 for a time in the past, with which a credential would never work, or one that the database cannot store */
export function futureOf(text: string | null | undefined, nowMs: number): Date | undefined {
  if (text === null || text === undefined) return undefined;
  const date = new Date(text);
  if (!(date.getTime() > nowMs)) throw invalidRequest([{ path: 'expires_at', message: 'must be in the future' }]);
  if (date.getUTCFullYear() > LAST_YEAR) {
    const message = `must be in the year ${LAST_YEAR} (UTC) or earlier, or null for no expiry`;
    throw invalidRequest([{ path: 'expires_at', message }]);
  }
  return date;
}
