/** The layout of pages that the service renders itself, and the page of an error. They use no script. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorHeaders } from '../error-answer.js';
import { ERROR_STATUS } from '../error-status.js';
import { loggedIdOf } from '../request-id.js';
import type { WeirError } from '../weir-error.js';
import { asPage, page, text } from './layout.js';

const FORM = /^application\/x-www-form-urlencoded(?:;|$)/i;
/** The prefix of pages for people; all other routes are for programs. */
const PAGES_PREFIX = '/auth/';

/** Whether a form of a page sent the request; all others are answered in JSON. */
export function isForm({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return FORM.test(headers['content-type'] ?? '');
}

/**
 * Whether a person sees the answer: the request is for a page, and comes from a form or a browser. If no route matches, the URL tells
 * whether it is for a page, so that this error is also shown as a page.
 */
export function wantsPage({
  url,
  headers,
  routeOptions,
}: Pick<FastifyRequest, 'url' | 'headers' | 'routeOptions'>): boolean {
  const route = routeOptions.url ?? url;
  return route.startsWith(PAGES_PREFIX) && (isForm({ headers }) || /\btext\/html\b/i.test(headers.accept ?? ''));
}

/** Sends an error as a page: what happened, what to do now, and for a failure of the service the id by which the operator finds it. */
export function sendErrorPage(error: WeirError, request: FastifyRequest, reply: FastifyReply): void {
  const [heading, advice] = wordsFor(error);
  const status = ERROR_STATUS[error.type];
  const id = `<p class="hint">If the problem persists, give this id to the operator: <code>${text(loggedIdOf(request))}</code></p>`;
  const body = `<section class="card"><h1>${text(heading)}</h1><p class="problem">${text(advice)}</p>${status < 500 ? '' : id}</section>
<p class="links"><a href="/auth/login">Sign in</a> · <a href="/auth/account">Your account</a></p>`;
  const html = asPage(reply, status, page(heading, body));
  void reply.headers(errorHeaders(error.type, error.options)).send(html);
}

function wordsFor({ type, message, options }: WeirError): [heading: string, advice: string] {
  const status = ERROR_STATUS[type];
  if (status === 429) return ['Too many attempts', `Wait ${waiting(options.retryAfterSeconds)}, then try again.`];
  if (status === 401) return ['You are not signed in', 'Your session has ended, or you have not signed in yet.'];
  if (status === 404) return ['Not found', 'There is no such page, or the object that it shows no longer exists.'];
  if (status === 503) return ['Not available now', 'The service cannot answer at the moment. Try again shortly.'];
  if (status >= 500) return ['Something went wrong', 'The error is on our side. Try again shortly.'];
  const details = options.details?.map(({ path, message: problem }) => `${path} ${problem}`.trim()).join('; ');
  return ['The request failed', `${message}${details === undefined ? '' : `: ${details}`}.`];
}

const MINUTE_SECONDS = 60;

function waiting(seconds = MINUTE_SECONDS): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole <= MINUTE_SECONDS) return whole === 1 ? 'a second' : `${whole} seconds`;
  return `${Math.ceil(whole / MINUTE_SECONDS)} minutes`;
}
