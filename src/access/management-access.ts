import type { FastifyRequest } from 'fastify';
import { noteActor } from '../admin-audit/index.js';
import { ERROR_CATALOGUE, type TokenScope } from '../core/index.js';
import { bearerOf, noteSubject, WeirError } from '../http/index.js';
import type { ActingManager, ActingMember, ActingToken } from './caller.js';
import { SCOPES_OF_ROLE } from './roles.js';
import { sessionTokenOf } from './session-cookie.js';
import type { Sessions } from './sessions.js';
import type { TokenAuthenticator } from './token-authenticator.js';

/**
 * The time after entering its password during which a session may create credentials. OWASP ASVS 5.0, 7.5.1, leaves the time to the
 * application; ten minutes is acceptable for people who set up several keys.
 */
const FRESH_MS = 10 * 60_000;

/** `1`: nobody has asked for this, a page did by itself. Looking like that does not keep a session from ending. */
const BACKGROUND_HEADER = 'x-weir-background';

/**
 * Who manages: the holder of a management token, or a member who has signed in. A request with an `Authorization`
 * header is judged by that alone, whatever cookie comes with it: the two are never mixed. What they do is noted for the
 * request's log line and for the admin audit log.
 */
export class ManagementAccess {
  constructor(
    private readonly tokens: TokenAuthenticator,
    private readonly sessions: Sessions,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /**
   * @param scope that the token, or the member's role, must have; without it any will do
   * @throws {WeirError} 401 without a valid token or session, 403 without the scope or before the address is verified
   * @throws AccessUnavailable
   */
  async authorize(request: FastifyRequest, scope?: TokenScope): Promise<ActingManager> {
    if (request.headers.authorization !== undefined) return this.holder(request, scope);
    const member = await this.member(request);
    if (!member.session.emailVerified) throw new WeirError('email_not_verified');
    if (scope !== undefined && !member.scopes.includes(scope)) {
      throw new WeirError('forbidden', { message: `Your role in the account does not include ${scope}` });
    }
    return member;
  }

  /**
   * Like `authorize`, for what outlives a session, such as a new key: of members it wants a password that was entered
   * within ten minutes, so that a browser left open, or a stolen cookie, is not worth more than itself.
   *
   * @throws {WeirError} as `authorize`; 403 `reauthentication_required` when the password was entered longer ago
   */
  async authorizeSensitive(request: FastifyRequest, scope: TokenScope): Promise<ActingManager> {
    const manager = await this.authorize(request, scope);
    const authenticatedAt = manager.session?.authenticatedAt.getTime() ?? this.nowMs();
    if (this.nowMs() - authenticatedAt > FRESH_MS) {
      throw new WeirError('reauthentication_required', {
        message: `${ERROR_CATALOGUE.reauthentication_required.title}. ${ERROR_CATALOGUE.reauthentication_required.hint}`,
      });
    }
    return manager;
  }

  /**
   * Whether a request that goes on for long would still be let in. It asks, and nothing more: a stream that is followed
   * does not keep a session from ending.
   *
   * @throws AccessUnavailable
   */
  async stillAllows(request: FastifyRequest, scope: TokenScope): Promise<boolean> {
    if (request.headers.authorization !== undefined) {
      return (await this.tokens.authenticate(bearerOf(request)))?.scopes.includes(scope) === true;
    }
    const session = await this.sessions.peek(sessionTokenOf(request) ?? '');
    return session !== null && session.emailVerified && SCOPES_OF_ROLE[session.role].includes(scope);
  }

  /**
   * The member who has signed in, also before the address is verified.
   *
   * @throws {WeirError} 401 without a session
   */
  async member(request: FastifyRequest): Promise<ActingMember> {
    const token = sessionTokenOf(request) ?? '';
    // A page that asks by itself now and then is nobody's use of the session.
    const isBackground = request.headers[BACKGROUND_HEADER] === '1';
    const session = await (isBackground ? this.sessions.peek(token) : this.sessions.find(token));
    if (session === null) throw nobody();
    const { accountId, personId, role } = session;
    noteSubject(request, { accountId, personId });
    return { accountId, session, scopes: SCOPES_OF_ROLE[role], actor: noteActor(request, 'person', personId) };
  }

  private async holder(request: FastifyRequest, scope: TokenScope | undefined): Promise<ActingToken> {
    const manager = await this.tokens.authenticate(bearerOf(request));
    if (manager === null) throw nobody();
    if (scope !== undefined && !manager.scopes.includes(scope)) {
      throw new WeirError('forbidden', { message: `The management token lacks the scope ${scope}` });
    }
    noteSubject(request, { accountId: manager.accountId, tokenId: manager.tokenId });
    return { ...manager, actor: noteActor(request, 'token', manager.tokenId) };
  }
}

/** One answer for all credentials that do not count. */
function nobody(): WeirError {
  return new WeirError('authentication_error', { message: 'There is no valid management token or session' });
}
