import type { FastifyRequest } from 'fastify';
import { noteActor } from '../admin-audit/index.js';
import { bearerOf, noteSubject, WeirError } from '../http/index.js';
import type { ActingToken, TokenScope } from './caller.js';
import type { TokenAuthenticator } from './token-authenticator.js';

/**
 * The holder of the management token that a request presents, noted for the request's log line and for the admin audit log.
 *
 * @param scope that the token must have; without it any token will do
 * @throws {WeirError} 401 without a valid token, 403 without the scope
 * @throws {AccessUnavailable}
 */
export async function requireManager(
  tokens: TokenAuthenticator,
  request: FastifyRequest,
  scope?: TokenScope,
): Promise<ActingToken> {
  const manager = await tokens.authenticate(bearerOf(request));
  if (manager === null) {
    throw new WeirError('authentication_error', { message: 'The management token is not valid' });
  }
  if (scope !== undefined && !manager.scopes.includes(scope)) {
    throw new WeirError('forbidden', { message: `The management token lacks the scope ${scope}` });
  }
  noteSubject(request, { accountId: manager.accountId, tokenId: manager.tokenId });
  return { ...manager, actor: noteActor(request, 'token', manager.tokenId) };
}
