import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { noteActor, Records } from '../admin-audit/index.js';
import { answerSchema, asPage, bodySchema, checked, invalidRequest, isForm } from '../http/index.js';
import { AuthLimit, AuthLimits } from '../limits/index.js';
import { ACCEPTED, ADDRESS, LINK, LINK_QUERY, SIGN_UP, SIGN_UP_FORM, VERIFIED } from './api-schemas.js';
import { EmailTokens } from './email-tokens.js';
import { Identity, type Confirmation } from './identity.js';
import {
  askResetPage,
  confirmedPage,
  confirmPage,
  deadLinkPage,
  expiredPage,
  mailSentPage,
  resendPage,
  signUpPage,
} from './pages/pages.js';
import { ConfirmsLink } from './same-origin.js';
import { redirectTo, redisplayOnError, readSubmission } from './submission.js';

/** The answer for every address, known or not. */
export const MAIL_ACCEPTED: z.infer<typeof ACCEPTED> = {
  status: 'accepted',
  message: 'If this address can receive the requested mail, it was sent.',
};

const WITHOUT_PASSWORD = 'Your e-mail address is already confirmed, but you have no password yet.';

/** Routes for sign-up and the confirmation of addresses. No response reveals whether an address is known. */
@ApiTags('identity')
@Controller('auth')
export class SignUpController {
  constructor(
    @Inject(Identity) private readonly identity: Identity,
    @Inject(EmailTokens) private readonly tokens: EmailTokens,
    @Inject(AuthLimits) private readonly limits: AuthLimits,
  ) {}

  @Get('sign-up')
  @ApiExcludeEndpoint()
  signUpForm(@Res({ passthrough: true }) reply: FastifyReply): string {
    return asPage(reply, 200, signUpPage());
  }

  @Post('sign-up')
  @HttpCode(202)
  @AuthLimit('sign-up')
  @Records('account.created', { orNothingBecause: 'the account is created after the answer, if the address has none' })
  @ApiOperation({
    operationId: 'signUp',
    security: [],
    summary: 'Sign up: a link to confirm the address is sent by mail.',
  })
  @ApiBody(bodySchema(SIGN_UP))
  @ApiResponse(answerSchema(202, 'The answer is the same whether or not the address has an account.', ACCEPTED))
  @ApiResponse({ status: 422, description: 'The address is not valid, or the password is too short or too common.' })
  async signUp(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const work = async (): Promise<z.infer<typeof ACCEPTED> | string> => {
      const schema: z.ZodType<z.infer<typeof SIGN_UP_FORM>> = isForm(request) ? SIGN_UP_FORM : SIGN_UP;
      const { email, password, form_id: formId } = readSubmission(schema, request);
      await this.limits.attempt('sign-up', email, request, reply);
      await this.identity.signUp(email, password, noteActor(request, 'person', null), formId);
      return isForm(request) ? asPage(reply, 202, mailSentPage()) : MAIL_ACCEPTED;
    };
    return redisplayOnError(request, reply, work, (shown) => signUpPage(shown));
  }

  @Get('verify')
  @ApiOperation({
    operationId: 'showVerification',
    security: [],
    summary:
      'The page that the link in the mail opens. Opening the page changes nothing; its button confirms the address.',
  })
  @ApiResponse({
    status: 200,
    description: 'The confirmation page. It contains one button and no script.',
    content: { 'text/html': { schema: { type: 'string' } } },
  })
  async verification(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { token } = checked(LINK_QUERY, request.query);
    const known = await this.tokens.look('verify', token);
    const html = known?.state === 'expired' ? expiredPage(known.address.typed) : confirmPage('verify', token);
    return asPage(reply, 200, html);
  }

  @Post('verify')
  @ConfirmsLink()
  @HttpCode(200)
  @AuthLimit('verify')
  @Records('email.verified', { orNothingBecause: 'at a second click, the address is already confirmed' })
  @ApiOperation({
    operationId: 'verify',
    security: [],
    summary: 'Confirm an address with the token of the link sent to it. Accepted only from a page of this service.',
  })
  @ApiBody(bodySchema(LINK))
  @ApiResponse(
    answerSchema(
      200,
      'The address is confirmed. This does not start a session. All earlier sessions end. If several sign-ups used the address, no password may be valid until a new one is chosen by a reset.',
      VERIFIED,
    ),
  )
  @ApiResponse({
    status: 303,
    description:
      'The address is confirmed; the form of the page is redirected to the sign-in page, or to the page for choosing a password.',
  })
  @ApiResponse({ status: 403, description: 'The request does not come from a page of this service.' })
  @ApiResponse({ status: 422, description: 'The link is unknown or has expired.' })
  async verify(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { token } = readSubmission(LINK, request);
    const outcome = await this.identity.verify(token, (personId) => noteActor(request, 'person', personId));
    if (outcome === 'no') return this.deadLink(request, reply, token);
    if (!isForm(request)) return { status: statusOf(outcome) };
    if (outcome === 'verified') return redirectTo(reply, '/auth/login?verified=1');
    if (outcome === 'already') return asPage(reply, 200, confirmedPage('Your e-mail address is already confirmed.'));
    if (outcome === 'without_password') return asPage(reply, 200, askResetPage({ notice: WITHOUT_PASSWORD }));
    return redirectTo(reply, `/auth/reset?confirmed=1&token=${outcome.choosePasswordBy}`);
  }

  @Get('resend')
  @ApiExcludeEndpoint()
  resendForm(@Res({ passthrough: true }) reply: FastifyReply): string {
    return asPage(reply, 200, resendPage());
  }

  @Post('resend')
  @HttpCode(202)
  @AuthLimit('resend')
  @Records([], { orNothingBecause: 'no data of the account changes; at most, a mail is sent' })
  @ApiOperation({
    operationId: 'resendVerification',
    security: [],
    summary: 'Send the link to confirm an address again.',
  })
  @ApiBody(bodySchema(ADDRESS))
  @ApiResponse(
    answerSchema(
      202,
      'The answer is the same for every address. At most one mail a minute is sent, and five a day for each network of callers.',
      ACCEPTED,
    ),
  )
  async resend(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const work = async (): Promise<z.infer<typeof ACCEPTED> | string> => {
      const { email } = readSubmission(ADDRESS, request);
      await this.identity.wantMail('resend', email, noteActor(request, 'person', null));
      return isForm(request) ? asPage(reply, 202, mailSentPage()) : MAIL_ACCEPTED;
    };
    return redisplayOnError(request, reply, work, (shown) => resendPage(shown));
  }

  private async deadLink(request: FastifyRequest, reply: FastifyReply, token: string): Promise<string> {
    if (!isForm(request)) throw invalidRequest([{ path: 'token', message: 'is not valid, or no longer valid' }]);
    const known = await this.tokens.look('verify', token);
    return asPage(reply, 422, known?.state === 'expired' ? expiredPage(known.address.typed) : deadLinkPage('verify'));
  }
}

/** The status that a program gets. If a password is still to be chosen, it is chosen by a reset: only a page gets a token at once. */
function statusOf(outcome: Exclude<Confirmation, 'no'>): z.infer<typeof VERIFIED>['status'] {
  if (outcome === 'already') return 'already_verified';
  return outcome === 'without_password' ? 'already_verified_without_password' : 'verified';
}
