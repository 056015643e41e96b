import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiManagers, ManagementAccess, type ActingManager } from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import {
  ACTIVE_POLICY,
  atOnceOrInTurns,
  BUNDLE_SCHEMA,
  DEPLOY_BODY,
  DEPLOYMENT_ANSWER,
  EMERGENCY_BODY,
  HISTORY,
  ROLLBACK_BODY,
  type TokenScope,
  type Turns,
} from '../core/index.js';
import { answerSchema, ApiQueries, bodySchema, parameter, readingBody, readQuery, WeirError } from '../http/index.js';
import type { Deployment } from './deployment.js';
import { DeploymentHistory } from './deployment-history.js';
import { Deployments } from './deployments.service.js';
import { ApiEnvironment, authorizeEnvironment } from './environment-access.js';
import { afterOthers } from './trial.js';
import { activeView, deploymentView, replicaView } from './views.js';

const PAGE = 50;
const MAX_PAGE = 200;

const MAX_NUMBER = 2_147_483_647;
const NUMBER = z.coerce.number().int().min(0).max(MAX_NUMBER);

const TURNS: Turns = { nowMs: () => performance.now(), pause: afterOthers };

const HISTORY_QUERY = {
  limit: parameter.integer(1, MAX_PAGE, `Deployments per page; ${PAGE} when absent.`),
  before: parameter.integer(0, MAX_NUMBER, 'Only deployments with a lower number than this.'),
};

/** Routes of management that deploy policies and read deployments. */
@ApiTags('policies')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope, or is bound to another environment.' })
@Controller('v1/policies')
export class DeploymentsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(Deployments) private readonly deployments: Deployments,
    @Inject(DeploymentHistory) private readonly history: DeploymentHistory,
  ) {}

  @Get(':environment')
  @ApiOperation({
    operationId: 'getPolicy',
    summary: 'The active policy of an environment, and the policy of each replica. Scope `policy:read`.',
  })
  @ApiEnvironment()
  @ApiResponse(answerSchema(200, 'The active policy and its replicas.', ACTIVE_POLICY))
  async active(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:read');
    const active = await this.deployments.active(manager.accountId, environment);
    return activeView(environment, active, await this.deployments.replicas(manager.accountId, environment));
  }

  @Get(':environment/bundle')
  @ApiOperation({
    operationId: 'getPolicyBundle',
    summary: 'The files of the active policy, as a bundle. Scope `policy:read`.',
  })
  @ApiEnvironment()
  @ApiResponse(
    answerSchema(
      200,
      'The bundle. If nothing is deployed, it contains the policies folder without tests.',
      BUNDLE_SCHEMA,
    ),
  )
  async bundle(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:read');
    return found(await this.deployments.sources(manager.accountId, environment));
  }

  @Get(':environment/deployments')
  @ApiOperation({
    operationId: 'listDeployments',
    summary: 'The deployments of an environment, newest first. Scope `policy:read`.',
  })
  @ApiEnvironment()
  @ApiQueries(HISTORY_QUERY)
  @ApiResponse(answerSchema(200, 'A page of the history.', HISTORY))
  async list(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:read');
    const { limit = PAGE, before } = readQuery(HISTORY_QUERY, request.query);
    const page = await this.history.list(manager.accountId, environment, limit, before);
    const last = page.at(-1)?.number ?? 0;
    return { data: page.map(deploymentView), next_before: page.length === limit && last > 1 ? last : null };
  }

  @Get(':environment/deployments/:number')
  @ApiOperation({ operationId: 'getDeployment', summary: 'One deployment and its replicas. Scope `policy:read`.' })
  @ApiEnvironment()
  @ApiNumber()
  @ApiResponse(answerSchema(200, 'The deployment.', DEPLOYMENT_ANSWER))
  @ApiResponse({ status: 404, description: 'There is no such deployment.' })
  async get(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:read');
    const number = numberOf(request);
    const deployment = found(await this.history.get(manager.accountId, environment, number));
    return this.answer(manager, deployment);
  }

  @Get(':environment/deployments/:number/bundle')
  @ApiOperation({
    operationId: 'getDeploymentBundle',
    summary: 'The bundle of a deployment; for number 0, the bundle of the policies folder. Scope `policy:read`.',
  })
  @ApiEnvironment()
  @ApiNumber()
  @ApiResponse(answerSchema(200, 'The deployed bundle.', BUNDLE_SCHEMA))
  @ApiResponse({ status: 404, description: 'There is no such deployment.' })
  async bundleOf(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:read');
    return found(await this.deployments.sources(manager.accountId, environment, numberOf(request)));
  }

  @Post(':environment/deployments')
  @HttpCode(201)
  @Records('policy.deployed')
  @ApiOperation({
    operationId: 'deployPolicy',
    summary: 'Deploy a bundle. It is checked, compiled and tested before it becomes active. Scope `policy:deploy`.',
    description:
      'A signed bundle whose serial number is not higher than that of an earlier deployment needs `because` and also the scope `policy:rollback`.',
  })
  @ApiEnvironment()
  @ApiBody(bodySchema(DEPLOY_BODY))
  @ApiResponse(
    answerSchema(201, 'The new deployment. Replicas that have not reported yet are `pending`.', DEPLOYMENT_ANSWER),
  )
  @ApiResponse({
    status: 409,
    description: '`stale_plan`: there is a newer deployment than the base. Nothing has changed.',
  })
  @ApiResponse({
    status: 422,
    description: 'The bundle is refused; `details` contains the reasons. Nothing has changed.',
  })
  async deploy(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:deploy');
    const { bundle, base, action, because, untested } = await bodyOf(DEPLOY_BODY, request);
    const deployment = await this.deployments.deploy(manager, environment, {
      bundle,
      base,
      action: action ?? 'deploy',
      untested: untested ?? false,
      ...(because === undefined ? {} : { because }),
    });
    return this.answer(manager, deployment);
  }

  @Post(':environment/rollback')
  @HttpCode(201)
  @Records('policy.rolled_back')
  @ApiOperation({
    operationId: 'rollbackPolicy',
    summary: 'Reactivate an earlier deployment as a new one. Scope `policy:rollback`.',
  })
  @ApiEnvironment()
  @ApiBody(bodySchema(ROLLBACK_BODY))
  @ApiResponse(answerSchema(201, 'The new deployment.', DEPLOYMENT_ANSWER))
  @ApiResponse({
    status: 409,
    description: '`stale_plan`: there is a newer deployment than the base. Nothing has changed.',
  })
  @ApiResponse({ status: 422, description: 'The deployment cannot be reactivated; `details` contains the reasons.' })
  async rollback(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:rollback');
    const wanted = await bodyOf(ROLLBACK_BODY, request);
    return this.answer(manager, await this.deployments.rollback(manager, environment, wanted));
  }

  @Post(':environment/emergency')
  @HttpCode(201)
  @Records('policy.changed_in_emergency')
  @ApiOperation({
    operationId: 'changePolicy',
    summary: 'Change files of the active policy, without a working tree. Scope `policy:emergency`.',
    description:
      'The deployment is permanently marked as an emergency, and `weir drift` reports it until the sources contain the same change.',
  })
  @ApiEnvironment()
  @ApiBody(bodySchema(EMERGENCY_BODY))
  @ApiResponse(answerSchema(201, 'The new deployment.', DEPLOYMENT_ANSWER))
  @ApiResponse({
    status: 409,
    description: '`stale_plan`: there is a newer deployment than the base. Nothing has changed.',
  })
  @ApiResponse({
    status: 422,
    description: 'The change is refused; `details` contains the reasons. Nothing has changed.',
  })
  async change(@Req() request: FastifyRequest) {
    const { manager, environment } = await this.authorize(request, 'policy:emergency');
    const { base, changes, because, waive_failing_tests: waive } = await bodyOf(EMERGENCY_BODY, request);
    const wanted = { base, changes, because, waiveFailingTests: waive ?? false };
    return this.answer(manager, await this.deployments.change(manager, environment, wanted));
  }

  private async answer(manager: ActingManager, deployment: Deployment): Promise<z.infer<typeof DEPLOYMENT_ANSWER>> {
    const replicas = await this.deployments.replicas(manager.accountId, deployment.environment);
    return { deployment: deploymentView(deployment), replicas: replicas.map(replicaView) };
  }

  private authorize(request: FastifyRequest, scope: TokenScope) {
    return authorizeEnvironment(this.access, request, scope);
  }
}

function ApiNumber(): MethodDecorator {
  return ApiParam({
    name: 'number',
    description: 'Number of the deployment, counted from 1 in each environment.',
    schema: { type: 'integer' },
  });
}

function numberOf(request: FastifyRequest): number {
  const parsed = NUMBER.safeParse((request.params as { readonly number: string }).number);
  if (!parsed.success) throw new WeirError('not_found');
  return parsed.data;
}

/** The body, which may have megabytes: other requests are served while it is read. @throws {WeirError} 422 */
function bodyOf<T>(schema: z.ZodType<T>, request: FastifyRequest): Promise<T> | T {
  return atOnceOrInTurns(readingBody(schema, request), TURNS);
}

function found<T>(value: T | null): T {
  if (value === null) throw new WeirError('not_found');
  return value;
}
