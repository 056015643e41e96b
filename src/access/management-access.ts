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
 * The time for which a session may create credentials after its password was entered. OWASP ASVS 5.0, 7.5.1, leaves the time to the
 * application; ten minutes is acceptable for people who set up several keys.
 */
const FRESH_MS = 10 * 60_000;

/** Set to `1` when a page sends the request without an action of the user. Such requests do not extend the session. */
const BACKGROUND_HEADER = 'x-weir-background';

/**
 * Authenticates managers: holders of management tokens, and signed-in members. A request with an `Authorization` header is judged by
 * that header alone, whatever cookie it has: the two are never mixed. The manager is noted for the request's log record and for the
 * admin audit log.
 */
export class ManagementAccess {
  constructor(
    private readonly tokens: TokenAuthenticator,
    private readonly sessions: Sessions,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /**
   * @param scope that the token, or the member's role, must have; absent: no scope is required
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
   * Like `authorize`, for creating credentials that outlive a session, such as a key: members must have entered their password within the
   * last ten minutes, so that an open browser or a stolen cookie gives no access beyond the session.
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
   * Whether a long-running request would still be authorized. The check does not count as use: an open stream does not keep a session
   * from ending.
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
   * Passes on the pieces of a long answer. Before each further piece is read, it checks whether the request would still be authorized.
   * If not, it throws: the connection is closed before the end of the answer, so that the client sees that the answer is incomplete.
   *
   * @throws {WeirError} 401 if the credential has ended, or has lost the scope
   * @throws AccessUnavailable
   */
  async *whileAllowed<Piece>(
    request: FastifyRequest,
    scope: TokenScope,
    pieces: AsyncIterable<Piece>,
  ): AsyncGenerator<Piece> {
    for await (const piece of pieces) {
      yield piece;
      if (!(await this.stillAllows(request, scope))) throw nobody();
    }
  }

  /**
   * The signed-in member, even before the address is verified.
   *
   * @throws {WeirError} 401 without a session
   */
  async member(request: FastifyRequest): Promise<ActingMember> {
    const token = sessionTokenOf(request) ?? '';
    // Background requests of a page do not count as use of the session.
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

/** The same answer for all credentials that are not valid. */
function nobody(): WeirError {
  return new WeirError('authentication_error', { message: 'There is no valid management token or session' });
}
