import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { ActingManager, ManagementAccess } from '../access/index.js';
import { ENVIRONMENTS, type Environment, type TokenScope } from '../core/index.js';
import { WeirError } from '../http/index.js';

/**
 * The caller and the environment of the path.
 *
 * @throws {WeirError} 401, 403 without the scope or for a token of another environment, 404 for an unknown environment
 */
export async function authorizeEnvironment(
  access: ManagementAccess,
  request: FastifyRequest,
  scope: TokenScope,
): Promise<{ readonly manager: ActingManager; readonly environment: Environment }> {
  const manager = await access.authorize(request, scope);
  const { environment: named } = request.params as { readonly environment: string };
  const environment = ENVIRONMENTS.find((known) => known === named);
  if (environment === undefined) throw new WeirError('not_found');
  assertEnvironment(manager, environment);
  return { manager, environment };
}

/** @throws {WeirError} 403 for a token that is bound to another environment */
export function assertEnvironment(manager: ActingManager, environment: Environment): void {
  if (manager.environment !== undefined && manager.environment !== environment)
    throw new WeirError('forbidden', { message: 'The management token is bound to another environment' });
}

/** Documents `{environment}` in a path in OpenAPI. */
export function ApiEnvironment(): MethodDecorator {
  return applyDecorators(ApiParam({ name: 'environment', enum: ENVIRONMENTS satisfies readonly Environment[] }));
}
