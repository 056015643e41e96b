import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess } from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import { ENVIRONMENTS } from '../core/index.js';
import { DatabaseClock } from '../database/index.js';
import {
  ApiEnvironment,
  assertEnvironment,
  authorizeEnvironment,
  DeployedTexts,
  type LocatedPolicy,
  type PolicySelector,
} from '../deployments/index.js';
import { answerSchema, ApiQueries, bodySchema, parameter, readBody, readQuery, WeirError } from '../http/index.js';
import { ExceptionStatsReader, type ExceptionHits } from '../insight/index.js';
import { EvaluateLimit, Overload } from '../limits/index.js';
import { PolicyAnswers } from './policy-answers.js';
import {
  DIFF,
  EVALUATE_BODY,
  EVALUATED,
  EXCEPTIONS,
  RULES,
  type DiffBody,
  type EvaluatedBody,
  type ExceptionsBody,
  type RulesBody,
} from './schemas.js';

/** The period for which the hits of each exception are reported. */
const HITS_MS = 30 * 86_400_000;
const MAX_NUMBER = 2_147_483_647;
const DEPLOYMENT = parameter.integer(0, MAX_NUMBER, 'Number of a deployment; 0 for the policies folder.');
const WHICH_QUERY = {
  deployment: DEPLOYMENT,
  digest: parameter.text('SHA-256 of the compiled policy, in hex, as events record it.', 64),
};
const DIFF_QUERY = {
  from: parameter.integer(
    0,
    MAX_NUMBER,
    'Number of the earlier deployment; 0 for the policies folder. Default: the deployment before that of `to`.',
  ),
  to: parameter.integer(0, MAX_NUMBER, 'Number of the later deployment. Default: the newest deployment.'),
  to_environment: parameter.oneOf(
    ENVIRONMENTS,
    'Another environment: its active policy is compared with the active policy of the environment in the path.',
  ),
  without: parameter.text(
    'Id of an exception: the later policy is compared with the same policy without this exception.',
    200,
  ),
};

/** The content of a policy, its differences from another one, and its hypothetical decisions. */
@ApiTags('policies')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to another environment.' })
@ApiResponse({ status: 404, description: 'There is no such environment, deployment or digest.' })
@Controller('v1/policies')
export class PolicyInquiriesController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(DeployedTexts) private readonly texts: DeployedTexts,
    @Inject(PolicyAnswers) private readonly answers: PolicyAnswers,
    @Inject(ExceptionStatsReader) private readonly exceptionStats: ExceptionStatsReader,
    @Inject(EvaluateLimit) private readonly limit: EvaluateLimit,
    @Inject(Overload) private readonly overload: Overload,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get(':environment/rules')
  @ApiOperation({
    operationId: 'listRules',
    summary: 'The rules of a policy, in sentences and with their places. Scope `policy:read`.',
    description:
      'Without parameters, the answer is about the active policy. The answer for a given `digest` never changes.',
  })
  @ApiEnvironment()
  @ApiQueries(WHICH_QUERY)
  @ApiResponse(answerSchema(200, 'The rules, in the order in which they are written.', RULES))
  async rules(@Req() request: FastifyRequest): Promise<RulesBody> {
    const { accountId, policy } = await this.asked(request);
    return this.answers.rules(accountId, policy);
  }

  @Get(':environment/exceptions')
  @ApiOperation({
    operationId: 'listExceptions',
    summary: 'The exceptions of a policy, sorted by their expiry. Scope `policy:read`.',
    description:
      'With the scope `events:read`, the answer also shows how often each exception was applied, counted by the hour.',
  })
  @ApiEnvironment()
  @ApiQueries(WHICH_QUERY)
  @ApiResponse(answerSchema(200, 'The exceptions.', EXCEPTIONS))
  async exceptions(@Req() request: FastifyRequest): Promise<ExceptionsBody> {
    const { accountId, scopes, environment, policy } = await this.asked(request);
    const nowMs = this.clock.nowMs();
    const [listed, hits] = await Promise.all([
      this.answers.exceptions(accountId, policy),
      scopes.includes('events:read')
        ? this.exceptionStats.since(accountId, environment, nowMs - HITS_MS, nowMs)
        : undefined,
    ]);
    return { ...listed, data: listed.data.map((one) => ({ ...one, ...hitsOf(hits, one.id) })) };
  }

  @Get(':environment/diff')
  @ApiOperation({
    operationId: 'diffPolicies',
    summary:
      'Compare two deployments rule by rule; shows requests that their policies judge differently. Scope `policy:read`.',
  })
  @ApiEnvironment()
  @ApiQueries(DIFF_QUERY)
  @ApiResponse(answerSchema(200, 'The differences.', DIFF))
  async diff(@Req() request: FastifyRequest): Promise<DiffBody> {
    const { manager, environment } = await authorizeEnvironment(this.access, request, 'policy:read');
    const { from, to, to_environment: other, without } = readQuery(DIFF_QUERY, request.query);
    if (other !== undefined) assertEnvironment(manager, other);
    const { accountId } = manager;
    const next = found(
      await this.texts.locate(accountId, other ?? environment, to === undefined ? {} : { number: to }),
    );
    if (without !== undefined) return this.answers.diff(accountId, next, next, without);
    const base =
      from ?? (other === undefined ? await this.texts.before(accountId, environment, next.deployment ?? 0) : undefined);
    const before = found(await this.texts.locate(accountId, environment, base === undefined ? {} : { number: base }));
    return this.answers.diff(accountId, before, next);
  }

  @Post(':environment/evaluate')
  @HttpCode(200)
  @Records([], { orNothingBecause: 'it stores, charges and changes nothing' })
  @ApiOperation({
    operationId: 'evaluatePolicy',
    summary: 'Evaluate a text, a conversation or a tool call by a policy. Scope `policy:read`.',
    description:
      'Nothing is stored, charged or logged, and no provider is called. Detectors that call a remote service are unavailable here. At most 60 requests per minute and account are admitted.',
  })
  @ApiEnvironment()
  @ApiBody(bodySchema(EVALUATE_BODY))
  @ApiResponse(answerSchema(200, 'The decision, and every evaluated rule.', EVALUATED))
  @ApiResponse({
    status: 429,
    description: 'There were more than 60 requests in a minute, or the previous requests took too long.',
  })
  async evaluate(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvaluatedBody> {
    const { manager, environment } = await authorizeEnvironment(this.access, request, 'policy:read');
    const { accountId } = manager;
    await this.limit.take(accountId, (name, value) => void reply.header(name, value));
    const body = readBody(EVALUATE_BODY, request);
    const policy =
      body.bundle === undefined ? await this.locate(accountId, environment, { number: body.deployment }) : null;
    const leave = await this.overload.enter('rest', [accountId, 'evaluate'], reply.raw);
    try {
      // The token or session may have ended while the question waited for its turn.
      await authorizeEnvironment(this.access, request, 'policy:read');
      return await this.answers.evaluate(accountId, environment, policy, body);
    } finally {
      leave();
    }
  }

  private async asked(request: FastifyRequest) {
    const { manager, environment } = await authorizeEnvironment(this.access, request, 'policy:read');
    const { deployment: number, digest } = readQuery(WHICH_QUERY, request.query);
    return {
      ...{ accountId: manager.accountId, scopes: manager.scopes, environment },
      policy: await this.locate(manager.accountId, environment, { number, digest }),
    };
  }

  private async locate(
    accountId: string,
    environment: Parameters<DeployedTexts['locate']>[1],
    { number, digest }: { readonly [Name in keyof PolicySelector]?: PolicySelector[Name] | undefined },
  ): Promise<LocatedPolicy> {
    const which = { ...(number === undefined ? {} : { number }), ...(digest === undefined ? {} : { digest }) };
    return found(await this.texts.locate(accountId, environment, which));
  }
}

/** @param hits by id of the exception; undefined if the caller may not see them */
function hitsOf(
  hits: ReadonlyMap<string, ExceptionHits> | undefined,
  id: string,
): Pick<ExceptionsBody['data'][number], 'hits_30d' | 'kept_30d' | 'last_hit'> {
  if (hits === undefined) return { hits_30d: null, kept_30d: null, last_hit: null };
  const { hits: all, kept, lastMs } = hits.get(id) ?? { hits: 0, kept: 0, lastMs: null };
  return { hits_30d: all, kept_30d: kept, last_hit: lastMs === null ? null : new Date(lastMs).toISOString() };
}

function found<T>(value: T | null): T {
  if (value === null) throw new WeirError('not_found');
  return value;
}
