import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCookieAuth, ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  ManagementAccess,
  SESSION_SECONDS,
  sessionCookie,
  Sessions,
  sessionTokenOf,
  type ActingMember,
  type MemberSession,
} from '../access/index.js';
import { noteActor, Records } from '../admin-audit/index.js';
import { answerSchema, asPage, bodySchema, checked, invalidRequest, isForm, WeirError } from '../http/index.js';
import { DatabaseClock } from '../database/index.js';
import { AuthLimit, AuthLimits } from '../limits/index.js';
import {
  ACCEPTED,
  ADDRESS,
  CLOSING,
  DONE,
  EMAIL_CHANGE,
  LINK,
  LINK_QUERY,
  PASSWORD_CHANGE,
  REAUTHENTICATION,
  RESET,
  RESET_QUERY,
  SESSION,
} from './api-schemas.js';
import { Identity } from './identity.js';
import {
  accountPage,
  askResetPage,
  confirmedPage,
  confirmPage,
  deadLinkPage,
  mailSentPage,
  reauthenticatePage,
  resetPage,
} from './pages/pages.js';
import { sessionView } from './session.controller.js';
import { MAIL_ACCEPTED } from './sign-up.controller.js';
import { ConfirmsLink } from './same-origin.js';
import { redirectTo, redisplayOnError, readSubmission } from './submission.js';

const DONE_ANSWER = { status: 'done' } as const satisfies z.infer<typeof DONE>;

/** Routes for changing the password or the e-mail address, resetting a password, and closing the account. */
@ApiTags('identity')
@Controller('auth')
export class CredentialsController {
  constructor(
    @Inject(Identity) private readonly identity: Identity,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(AuthLimits) private readonly limits: AuthLimits,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Get('reauthenticate')
  @ApiExcludeEndpoint()
  async reauthenticationForm(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const token = sessionTokenOf(request);
    const session = token === undefined ? null : await this.sessions.find(token);
    return session === null ? redirectTo(reply, '/auth/login') : asPage(reply, 200, reauthenticatePage(session.email));
  }

  @Post('reauthenticate')
  @HttpCode(200)
  @AuthLimit('password')
  @Records('session.reauthenticated', { orNothingBecause: 'the form is shown again after a wrong password' })
  @ApiCookieAuth('session')
  @ApiOperation({
    operationId: 'reauthenticate',
    summary: 'Enter the password again: the session may then create keys and management tokens for ten minutes.',
  })
  @ApiBody(bodySchema(REAUTHENTICATION))
  @ApiResponse(answerSchema(200, 'The session continues; the answer sets its new cookie.', SESSION))
  @ApiResponse({ status: 403, description: 'The password is wrong.' })
  async reauthenticate(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { session, actor } = await this.verified(request, reply);
    const work = async (): Promise<z.infer<typeof SESSION> | string> => {
      const { password } = readSubmission(REAUTHENTICATION, request);
      const renewed = await this.identity.reauthenticate(session, sessionTokenOf(request) ?? '', password, actor);
      const leftSeconds = Math.floor((renewed.expiresAt.getTime() - this.clock.nowMs()) / 1000);
      reply.header('set-cookie', sessionCookie(renewed.token, leftSeconds));
      return isForm(request) ? redirectTo(reply, '/auth/account') : sessionView(renewed);
    };
    return redisplayOnError(request, reply, work, ({ problem }) => reauthenticatePage(session.email, { problem }));
  }

  @Post('password')
  @HttpCode(200)
  @AuthLimit('password')
  @Records('password.changed', { orNothingBecause: 'the form is shown again after a wrong password' })
  @ApiCookieAuth('session')
  @ApiOperation({ operationId: 'changePassword', summary: 'Change the password: all other sessions end.' })
  @ApiBody(bodySchema(PASSWORD_CHANGE))
  @ApiResponse(answerSchema(200, 'The password is changed; the answer sets the cookie of a new session.', SESSION))
  @ApiResponse({ status: 403, description: 'The current password is wrong.' })
  async changePassword(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { session, actor } = await this.verified(request, reply);
    const work = async (): Promise<z.infer<typeof SESSION> | string> => {
      const { current_password: present, new_password: next } = readSubmission(PASSWORD_CHANGE, request);
      const started = await this.identity.changePassword(session, present, next, actor);
      reply.header('set-cookie', sessionCookie(started.token, SESSION_SECONDS));
      return isForm(request) ? redirectTo(reply, '/auth/account') : sessionView(started);
    };
    return this.orAccountPage(request, reply, session, work);
  }

  @Post('email')
  @HttpCode(202)
  @AuthLimit('email')
  @Records('email.change_requested', { orNothingBecause: 'the form is shown again after a wrong password' })
  @ApiCookieAuth('session')
  @ApiOperation({
    operationId: 'changeEmail',
    summary: 'Change the e-mail address: a link is sent to the new address.',
  })
  @ApiBody(bodySchema(EMAIL_CHANGE))
  @ApiResponse(
    answerSchema(
      202,
      'The answer is the same for every address. The old address stays valid until the new one is confirmed.',
      ACCEPTED,
    ),
  )
  @ApiResponse({ status: 403, description: 'The password is wrong.' })
  async wantEmail(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { session, actor } = await this.verified(request, reply);
    const work = async (): Promise<z.infer<typeof ACCEPTED> | string> => {
      const { new_email: email, password } = readSubmission(EMAIL_CHANGE, request);
      await this.identity.wantEmail(session, password, email, actor);
      return isForm(request) ? asPage(reply, 202, mailSentPage()) : MAIL_ACCEPTED;
    };
    return this.orAccountPage(request, reply, session, work);
  }

  @Get('email/confirm')
  @ApiExcludeEndpoint()
  emailConfirmation(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    return asPage(reply, 200, confirmPage('change', checked(LINK_QUERY, request.query).token));
  }

  @Post('email/confirm')
  @ConfirmsLink()
  @HttpCode(200)
  @AuthLimit('verify')
  @Records('email.changed', { orNothingBecause: 'the link may be invalid or expired' })
  @ApiOperation({
    operationId: 'confirmEmail',
    security: [],
    summary:
      'Confirm a changed e-mail address with the token of the link sent to it. Accepted only from a page of this service.',
  })
  @ApiBody(bodySchema(LINK))
  @ApiResponse(answerSchema(200, 'The address was changed; a mail to the old address reports the change.', DONE))
  @ApiResponse({ status: 422, description: 'The link is invalid or has expired, or the address is taken.' })
  async confirmEmail(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { token } = readSubmission(LINK, request);
    const done = await this.identity.changeEmail(token, (personId) => noteActor(request, 'person', personId));
    if (!done) return this.deadLink(request, reply, 'change');
    if (!isForm(request)) return DONE_ANSWER;
    return asPage(reply, 200, confirmedPage('This is now the e-mail address of your account.'));
  }

  @Get('reset')
  @ApiExcludeEndpoint()
  resetForm(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    const { token, confirmed } = checked(RESET_QUERY, request.query);
    if (token === '') return asPage(reply, 200, askResetPage());
    const notice = 'Your e-mail address is confirmed. It was used in several sign-ups, so choose your password now.';
    return asPage(reply, 200, resetPage(token, confirmed === '1' ? { notice } : {}));
  }

  @Post('reset')
  @HttpCode(202)
  @AuthLimit('reset')
  @Records([], { orNothingBecause: 'no data of the account changes; at most, a mail is sent' })
  @ApiOperation({
    operationId: 'askReset',
    security: [],
    summary: 'Request a link for choosing a new password. It is valid for one hour.',
  })
  @ApiBody(bodySchema(ADDRESS))
  @ApiResponse(
    answerSchema(
      202,
      'The answer is the same for every address. At most one mail a minute is sent, and five a day for each network of callers.',
      ACCEPTED,
    ),
  )
  async askReset(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const work = async (): Promise<z.infer<typeof ACCEPTED> | string> => {
      const { email } = readSubmission(ADDRESS, request);
      await this.identity.wantMail('reset', email, noteActor(request, 'person', null));
      return isForm(request) ? asPage(reply, 202, mailSentPage()) : MAIL_ACCEPTED;
    };
    return redisplayOnError(request, reply, work, (shown) => askResetPage(shown));
  }

  @Post('reset/confirm')
  @ConfirmsLink()
  @HttpCode(200)
  @AuthLimit('verify')
  @Records('password.reset', { orNothingBecause: 'the link may be invalid or expired' })
  @ApiOperation({
    operationId: 'resetPassword',
    security: [],
    summary:
      'Choose a new password with the token of the link in the mail: all sessions end. Accepted only from a page of this service.',
  })
  @ApiBody(bodySchema(RESET))
  @ApiResponse(answerSchema(200, 'The password is changed. This does not start a session.', DONE))
  @ApiResponse({
    status: 422,
    description: 'The link is invalid or has expired, or the password is too short or too common.',
  })
  async reset(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    let token = '';
    const work = async (): Promise<typeof DONE_ANSWER | string> => {
      const submission = readSubmission(RESET, request);
      token = submission.token;
      const actor = (personId: string) => noteActor(request, 'person', personId);
      if (!(await this.identity.reset(token, submission.password, actor)))
        return this.deadLink(request, reply, 'reset');
      return isForm(request) ? redirectTo(reply, '/auth/login?reset=1') : DONE_ANSWER;
    };
    return redisplayOnError(request, reply, work, ({ problem }) => resetPage(token, { problem }));
  }

  @Post('close-account')
  @HttpCode(200)
  @AuthLimit('password')
  @Records('account.closed', { orNothingBecause: 'the form is shown again after a wrong password' })
  @ApiCookieAuth('session')
  @ApiOperation({
    operationId: 'closeAccount',
    summary: 'Close the account: keys, management tokens and sessions stop working. This cannot be undone.',
  })
  @ApiBody(bodySchema(CLOSING))
  @ApiResponse(answerSchema(200, 'The account is closed.', DONE))
  @ApiResponse({ status: 403, description: 'The password is wrong.' })
  async close(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { session, actor } = await this.verified(request, reply);
    const work = async (): Promise<typeof DONE_ANSWER | string> => {
      await this.identity.closeAccount(session, readSubmission(CLOSING, request).password, actor);
      reply.header('set-cookie', sessionCookie(null, 0));
      return isForm(request) ? asPage(reply, 200, confirmedPage('Your account is closed.')) : DONE_ANSWER;
    };
    return this.orAccountPage(request, reply, session, work);
  }

  /** Returns the signed-in member and counts the attempt: each of these routes accepts a password, so guesses are limited per person. */
  private async verified(request: FastifyRequest, reply: FastifyReply): Promise<ActingMember> {
    const member = await this.access.member(request);
    if (!member.session.emailVerified) throw new WeirError('email_not_verified');
    await this.limits.attempt('password', member.session.personId, request, reply);
    return member;
  }

  private orAccountPage<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    { email, id: sessionId, personId, accountId }: MemberSession,
    work: () => Promise<T>,
  ): Promise<T | string> {
    return this.sessions
      .list({ personId, accountId })
      .then((sessions) =>
        redisplayOnError(request, reply, work, ({ problem }) =>
          accountPage({ email, sessionId }, sessions, { problem }),
        ),
      );
  }

  private deadLink(request: FastifyRequest, reply: FastifyReply, kind: 'reset' | 'change'): string {
    if (!isForm(request)) throw invalidRequest([{ path: 'token', message: 'is not valid, or no longer valid' }]);
    return asPage(reply, 422, deadLinkPage(kind));
  }
}
