import { WeirError } from '../http/index.js';
import type { Manager, TokenScope } from './caller.js';
import type { TokenAuthenticator } from './token-authenticator.js';

/**
 * The holder of a presented management token that has a scope.
 *
 * @throws {WeirError} 401 without a valid token, 403 without the scope
 * @throws {AccessUnavailable}
 */
export async function requireManager(
  tokens: TokenAuthenticator,
  presented: string | undefined,
  scope: TokenScope,
): Promise<Manager> {
  const manager = await tokens.authenticate(presented);
  if (manager === null) {
    throw new WeirError('authentication_error', { message: 'The management token is not valid' });
  }
  if (!manager.scopes.includes(scope)) {
    throw new WeirError('forbidden', { message: `The management token lacks the scope ${scope}` });
  }
  return manager;
}
