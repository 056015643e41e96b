import type { FastifyRequest } from 'fastify';
import { noteActor } from '../admin-audit/index.js';
import { noteSubject, WeirError } from '../http/index.js';
import type { ActingManager, ActingMember, TokenScope } from './caller.js';
import { requireManager } from './require-manager.js';
import { sessionTokenOf } from './session-cookie.js';
import type { Sessions } from './sessions.js';
import { TOKEN_SCOPES, type TokenAuthenticator } from './token-authenticator.js';

/**
 * Who manages: the holder of a management token, or a member who has signed in. A request with an `Authorization`
 * header is judged by that alone, whatever cookie comes with it: the two are never mixed.
 */
export class ManagementAccess {
  constructor(
    private readonly tokens: TokenAuthenticator,
    private readonly sessions: Sessions,
  ) {}

  /**
   * @param scope that a token must have; members have all of them
   * @throws {WeirError} 401 without a valid token or session, 403 without the scope or before the address is verified
   */
  async authorize(request: FastifyRequest, scope?: TokenScope): Promise<ActingManager> {
    if (request.headers.authorization !== undefined) return requireManager(this.tokens, request, scope);
    const member = await this.member(request);
    if (!member.session.emailVerified) throw new WeirError('email_not_verified');
    return member;
  }

  /**
   * The member who has signed in, also before the address is verified.
   *
   * @throws {WeirError} 401 without a session
   */
  async member(request: FastifyRequest): Promise<ActingMember> {
    const token = sessionTokenOf(request);
    const session = token === undefined ? null : await this.sessions.find(token);
    if (session === null) {
      throw new WeirError('authentication_error', { message: 'There is no valid token or session' });
    }
    const { accountId, personId } = session;
    noteSubject(request, { accountId, personId });
    return { accountId, session, scopes: TOKEN_SCOPES, actor: noteActor(request, 'person', personId) };
  }
}
