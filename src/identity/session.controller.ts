import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCookieAuth,
  ApiExcludeEndpoint,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  ManagementAccess,
  SESSION_SECONDS,
  sessionCookie,
  Sessions,
  sessionTokenOf,
  type MemberSession,
} from '../access/index.js';
import { noteActor, Records } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { answerSchema, asPage, bodySchema, isForm, noteSubject, WeirError } from '../http/index.js';
import { AuthLimit, AuthLimits } from '../limits/index.js';
import { DONE, LOGIN, SESSION, SESSIONS } from './api-schemas.js';
import { Identity } from './identity.js';
import { browserAcceptsCookie } from './cookie-acceptance.js';
import { accountPage, loginPage, verifyYourAddressPage } from './pages/pages.js';
import { ownPath } from './own-path.js';
import { redirectTo, redisplayOnError, readSubmission } from './submission.js';

const UUID = z.uuid();
const NOT_ACCEPTED =
  'This address is not encrypted, so browsers do not keep you signed in. Use https, or http://localhost on the machine of the service.';

/** Routes for sign-in, sign-out and sessions. */
@ApiTags('identity')
@Controller('auth')
export class SessionController {
  constructor(
    @Inject(Identity) private readonly identity: Identity,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(AuthLimits) private readonly limits: AuthLimits,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
  ) {}

  @Get('login')
  @ApiExcludeEndpoint()
  loginForm(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    const { verified, reset, next } = request.query as Readonly<Record<string, unknown>>;
    const notice =
      verified === '1'
        ? 'Your e-mail address is confirmed. You can sign in now.'
        : reset === '1'
          ? 'Your new password is set. Sign in with it.'
          : undefined;
    const isAccepted = browserAcceptsCookie(this.config.server.baseUrl, request.headers.host);
    const shown = loginPage({
      ...(notice === undefined ? {} : { notice }),
      ...(isAccepted ? {} : { problem: NOT_ACCEPTED }),
      ...wantedNext(next),
    });
    return asPage(reply, 200, shown);
  }

  @Post('login')
  @HttpCode(200)
  @AuthLimit('login')
  @Records('session.started', { orNothingBecause: 'the form is shown again after a wrong password' })
  @ApiOperation({ operationId: 'login', security: [], summary: 'Sign in: the answer sets the session cookie.' })
  @ApiBody(bodySchema(LOGIN))
  @ApiResponse(answerSchema(200, 'Signed in.', SESSION))
  @ApiResponse({ status: 401, description: 'The address or the password is wrong.' })
  async login(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const work = async (): Promise<z.infer<typeof SESSION> | string> => {
      const { email, password, next } = readSubmission(LOGIN, request);
      await this.limits.attempt('login', email, request, reply);
      const before = await this.current(request);
      const started = await this.identity.login(email, password, noteActor(request, 'person', null), before);
      if (started === null) {
        throw new WeirError('authentication_error', { message: 'The e-mail address or the password is wrong' });
      }
      noteSubject(request, { accountId: started.accountId, personId: started.personId });
      reply.header('set-cookie', sessionCookie(started.token, SESSION_SECONDS));
      if (!isForm(request)) return sessionView(started);
      // Before the address is verified, the dashboard is empty; the account page shows what to do.
      return redirectTo(reply, ownPath(next) ?? (started.emailVerified ? '/' : '/auth/account'));
    };
    return redisplayOnError(request, reply, work, ({ next, ...shown }) => loginPage({ ...shown, ...wantedNext(next) }));
  }

  @Post('logout')
  @HttpCode(200)
  @Records('session.ended', { orNothingBecause: 'the session may have ended' })
  @ApiOperation({
    operationId: 'logout',
    security: [],
    summary: 'Sign out: the session ends and the cookie is removed.',
  })
  @ApiResponse(answerSchema(200, 'The caller is signed out, even if there was no session.', DONE))
  async logout(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const session = await this.current(request);
    if (session !== null) {
      await this.identity.endSession(session, session.id, noteActor(request, 'person', session.personId));
    }
    reply.header('set-cookie', sessionCookie(null, 0));
    return isForm(request) ? redirectTo(reply, '/auth/login') : { status: 'done' };
  }

  @Get('session')
  @ApiCookieAuth('session')
  @ApiOperation({
    operationId: 'getSession',
    summary: 'The signed-in person, even before the address is confirmed.',
  })
  @ApiResponse(answerSchema(200, 'The session that the cookie belongs to.', SESSION))
  @ApiResponse({ status: 401, description: 'There is no session.' })
  async session(@Req() request: FastifyRequest) {
    return sessionView((await this.access.member(request)).session);
  }

  @Get('sessions')
  @ApiCookieAuth('session')
  @ApiOperation({ operationId: 'listSessions', summary: "The person's sessions, newest first." })
  @ApiResponse(answerSchema(200, 'The active sessions.', SESSIONS))
  async list(@Req() request: FastifyRequest): Promise<z.infer<typeof SESSIONS>> {
    const session = await this.verified(request);
    const sessions = await this.sessions.list(session);
    return {
      data: sessions.map((each) => ({
        id: each.id,
        current: each.id === session.id,
        created_at: each.createdAt.toISOString(),
        last_seen_at: each.lastSeenAt.toISOString(),
        expires_at: each.expiresAt.toISOString(),
        from: { address: each.address, user_agent: each.userAgent },
      })),
    };
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @Records('session.ended')
  @ApiCookieAuth('session')
  @ApiOperation({ operationId: 'endSession', summary: 'End a session at once, on all replicas.' })
  @ApiParam({ name: 'id', description: 'Id of the session.' })
  @ApiResponse({ status: 204, description: 'The session has ended.' })
  @ApiResponse({ status: 404, description: 'There is no such session, or it has ended.' })
  async end(@Req() request: FastifyRequest): Promise<void> {
    await this.endNamed(request);
  }

  @Post('sessions/:id/end')
  @Records('session.ended')
  @ApiExcludeEndpoint()
  async endByForm(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    await this.endNamed(request);
    return redirectTo(reply, '/auth/account');
  }

  @Get('account')
  @ApiExcludeEndpoint()
  async account(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const session = await this.current(request);
    if (session === null) return redirectTo(reply, '/auth/login');
    const { email, emailVerified, id: sessionId } = session;
    if (!emailVerified) return asPage(reply, 200, verifyYourAddressPage(email));
    return asPage(reply, 200, accountPage({ email, sessionId }, await this.sessions.list(session)));
  }

  private async endNamed(request: FastifyRequest): Promise<void> {
    const session = await this.verified(request);
    const { id } = request.params as { readonly id: string };
    const actor = noteActor(request, 'person', session.personId);
    const ended = UUID.safeParse(id).success && (await this.identity.endSession(session, id, actor));
    if (!ended) throw new WeirError('not_found');
  }

  private async verified(request: FastifyRequest): Promise<MemberSession> {
    const { session } = await this.access.member(request);
    if (!session.emailVerified) throw new WeirError('email_not_verified');
    return session;
  }

  private async current(request: FastifyRequest): Promise<MemberSession | null> {
    const token = sessionTokenOf(request);
    return token === undefined ? null : this.sessions.find(token);
  }
}

/** The path to continue at, for the sign-in form; empty if it is not a path of this service. */
function wantedNext(next: unknown): { readonly next?: string } {
  const path = ownPath(next);
  return path === undefined ? {} : { next: path };
}

/** A session as the API returns it. */
export function sessionView(
  session: Pick<
    MemberSession,
    'id' | 'personId' | 'email' | 'emailVerified' | 'accountId' | 'expiresAt' | 'authenticatedAt'
  >,
): z.infer<typeof SESSION> {
  const { id, personId, email, emailVerified, accountId, expiresAt, authenticatedAt } = session;
  return {
    person: { id: personId, email, email_verified: emailVerified },
    account: { id: accountId },
    session: { id, authenticated_at: authenticatedAt.toISOString(), expires_at: expiresAt.toISOString() },
  };
}
