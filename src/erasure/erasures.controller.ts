import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess, TokenKeys, type ActingManager } from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import { stableToken } from '../core/index.js';
import { isUuid } from '../events/index.js';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../http/index.js';
import { ERASURE, ERASURE_LIST, erasureView, NEW_ERASURE } from './api-schemas.js';
import { ErasureRunner } from './erasure-runner.js';
import { Erasures, MOST_OPEN, TooManyErasures } from './erasures.js';
import { hasWord, mentions, type Selector } from './selector.js';

const RETRY_SECONDS = 60;

/** Erases the stored data of a person and issues a certificate. */
@ApiTags('events')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `events:erase`.' })
@Controller('v1/erasures')
export class ErasuresController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Erasures) private readonly erasures: Erasures,
    @Inject(ErasureRunner) private readonly runner: ErasureRunner,
    @Inject(TokenKeys) private readonly keys: TokenKeys,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listErasures', summary: 'Erasures, newest first. Scope `events:erase`.' })
  @ApiResponse(answerSchema(200, 'The latest 200 erasures.', ERASURE_LIST))
  async list(@Req() request: FastifyRequest): Promise<z.infer<typeof ERASURE_LIST>> {
    const manager = await this.access.authorize(request, 'events:erase');
    return { data: (await this.erasures.list(manager)).map(erasureView) };
  }

  @Post()
  @HttpCode(201)
  @Records(['erasure.requested', 'erasure.tried'])
  @ApiOperation({
    operationId: 'createErasure',
    summary: 'Erase the data of a person: the texts of calls and all copies of these texts. Scope `events:erase`.',
    description:
      'All given conditions must match. The events keep time, app, model, decision, tokens and cost, so that budgets and counts stay correct. The erasure runs in the background and continues after a restart; the answer and `GET /v1/erasures/{id}` are its certificate once `state` is `done`. Members must have entered their password within the last ten minutes.',
  })
  @ApiBody(bodySchema(NEW_ERASURE))
  @ApiResponse(answerSchema(201, 'The erasure has started.', ERASURE))
  @ApiResponse({ status: 422, description: 'The request contains no condition, or its reason names the person.' })
  @ApiResponse({ status: 429, description: `${MOST_OPEN} erasures are already running.` })
  async create(@Req() request: FastifyRequest): Promise<z.infer<typeof ERASURE>> {
    const manager = await this.access.authorizeSensitive(request, 'events:erase');
    const { because, dry_run: dryRun = false, ...wanted } = readBody(NEW_ERASURE, request);
    const selector = await this.selectorOf(wanted, manager);
    // The selector has only the token of a `value`, but a reason would contain the value itself.
    const names = (text: string): boolean =>
      mentions(text, selector) || (wanted.value !== undefined && hasWord(text, wanted.value.text));
    if (because !== undefined && names(because)) {
      throw invalidRequest([{ path: 'because', message: 'must not name the person, because reasons are stored' }]);
    }
    const made = await this.erasures
      .create(manager.accountId, { selector, dryRun, because }, manager.actor)
      .catch((error: unknown) => {
        if (!(error instanceof TooManyErasures)) throw error;
        const message = `${MOST_OPEN} erasures are already running`;
        throw new WeirError('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_SECONDS });
      });
    this.runner.look();
    return erasureView(made);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getErasure', summary: 'One erasure with its certificate. Scope `events:erase`.' })
  @ApiParam({ name: 'id', description: 'Id of the erasure.' })
  @ApiResponse(answerSchema(200, 'The erasure.', ERASURE))
  @ApiResponse({ status: 404, description: 'There is no such erasure.' })
  async get(@Req() request: FastifyRequest): Promise<z.infer<typeof ERASURE>> {
    const manager = await this.access.authorize(request, 'events:erase');
    const { id } = request.params as { readonly id: string };
    const erasure = isUuid(id) ? await this.erasures.find(manager, id) : null;
    if (erasure === null) throw new WeirError('not_found');
    return erasureView(erasure);
  }

  /** @throws {WeirError} 422 without a condition, 403 for another environment than the token's */
  private async selectorOf(
    {
      metadata = {},
      session,
      token,
      value,
      app,
      environment,
    }: Omit<z.infer<typeof NEW_ERASURE>, 'because' | 'dry_run'>,
    manager: ActingManager,
  ): Promise<Selector> {
    if (token !== undefined && value !== undefined) {
      throw invalidRequest([{ path: 'value', message: 'cannot be combined with `token`' }]);
    }
    const sought = token ?? (value && stableToken(value.type, value.text, await this.keys.of(manager.accountId)));
    if (Object.keys(metadata).length === 0 && session === undefined && sought === undefined) {
      throw invalidRequest([
        { path: 'metadata', message: 'is required, unless `session`, `token` or `value` is given' },
      ]);
    }
    if (manager.environment !== undefined && environment !== undefined && environment !== manager.environment) {
      throw new WeirError('forbidden', { message: `The token is bound to ${manager.environment}` });
    }
    const within = manager.environment ?? environment;
    return {
      metadata,
      ...(session === undefined ? {} : { session }),
      ...(sought === undefined ? {} : { token: sought }),
      ...(app === undefined ? {} : { app }),
      ...(within === undefined ? {} : { environment: within }),
    };
  }
}
