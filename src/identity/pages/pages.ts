/** The pages for people who sign up, sign in or follow a link from a mail. They work without scripts. */

/** The pages for people who sign up, sign in or follow a link from a mail. */
import { randomUUID } from 'node:crypto';
import type { SessionView } from '../../access/index.js';
import { page, text } from '../../http/index.js';
import { MAX_PASSWORD, MIN_PASSWORD } from '../password-rules.js';

interface Shown {
  /** The problem of the submitted form. */
  readonly problem?: string;
  /** The result of the submitted form. */
  readonly notice?: string;
  /** The address of the submitted form. */
  readonly email?: string;
  /** The path of the service to continue at. */
  readonly next?: string;
}

const card = (content: string): string => `<section class="card">${content}</section>`;
const links = (...pairs: readonly (readonly [string, string])[]): string =>
  `<p class="links">${pairs.map(([path, label]) => `<a href="${path}">${label}</a>`).join(' · ')}</p>`;

function messages({ problem, notice }: Shown): string {
  const parts = [
    notice === undefined ? '' : `<p class="notice" role="status">${text(notice)}</p>`,
    problem === undefined ? '' : `<p class="problem" role="alert">${text(problem)}</p>`,
  ];
  return parts.join('');
}

function emailField(email: string | undefined, name = 'email', label = 'E-mail address'): string {
  const value = email === undefined ? '' : ` value="${text(email)}"`;
  return `<label for="${name}">${label}</label><input id="${name}" name="${name}" type="email" autocomplete="username" required maxlength="254"${value}>`;
}

function passwordField(name: string, label: string, use: 'current-password' | 'new-password', id = name): string {
  const lengths = use === 'new-password' ? ` minlength="${MIN_PASSWORD}" maxlength="${MAX_PASSWORD}"` : '';
  const hint =
    use === 'new-password' ? `<p class="hint">At least ${MIN_PASSWORD} characters; a sentence is fine.</p>` : '';
  return `<label for="${id}">${label}</label><input id="${id}" name="${name}" type="password" autocomplete="${use}" required${lengths}>${hint}`;
}

const form = (action: string, fields: string, label: string, kind = ''): string =>
  `<form method="post" action="${action}">${fields}<button type="submit"${kind}>${label}</button></form>`;
const hidden = (name: string, value: string): string => `<input type="hidden" name="${name}" value="${text(value)}">`;

/** Tells password managers to whom the password belongs. The field has no name, so it is not submitted. */
const userName = (email: string): string => `<input hidden readonly autocomplete="username" value="${text(email)}">`;

/** The form has a new id each time, by which it is recognized if it is submitted twice. */
export function signUpPage(shown: Shown = {}): string {
  const id = hidden('form_id', randomUUID());
  const fields = id + emailField(shown.email) + passwordField('password', 'Password', 'new-password');
  const body = `<h1>Create an account</h1>${messages(shown)}${form('/auth/sign-up', fields, 'Sign up')}`;
  return page('Sign up', card(body) + links(['/auth/login', 'Sign in instead']));
}

export function loginPage(shown: Shown = {}): string {
  const onward = shown.next === undefined ? '' : hidden('next', shown.next);
  const fields = onward + emailField(shown.email) + passwordField('password', 'Password', 'current-password');
  const body = `<h1>Sign in</h1>${messages(shown)}${form('/auth/login', fields, 'Sign in')}`;
  return page(
    'Sign in',
    card(body) + links(['/auth/sign-up', 'Create an account'], ['/auth/reset', 'Forgot your password?']),
  );
}

/** The same for every address, known or not. */
export function mailSentPage(): string {
  const body = `<h1>Check your mail</h1><p>If this address can receive the requested mail, it was sent. The mail comes from Weir and contains one link.</p>
<p class="hint">If no mail arrives within some minutes, look into the spam folder, then ask again. At most one mail a minute is sent, and five a day for each network.</p>`;
  return page(
    'Check your mail',
    card(body) + links(['/auth/login', 'Sign in'], ['/auth/resend', 'Send the link again']),
  );
}

export function resendPage(shown: Shown = {}): string {
  const body = `<h1>Send the link again</h1>${messages(shown)}<p>We send a new link to confirm your address.</p>${form('/auth/resend', emailField(shown.email), 'Send')}`;
  return page('Send the link again', card(body) + links(['/auth/login', 'Sign in']));
}

/** The same page for valid, used and unknown links: opening it reveals nothing and changes nothing. */
export function confirmPage(kind: 'verify' | 'change', token: string): string {
  const [action, what] =
    kind === 'verify'
      ? ['/auth/verify', 'Press the button to confirm your e-mail address.']
      : ['/auth/email/confirm', 'Press the button to make this the e-mail address of your account.'];
  const body = `<h1>Confirm your e-mail address</h1><p>${what}</p>${form(action, hidden('token', token), 'Confirm my e-mail')}`;
  return page('Confirm your e-mail address', card(body));
}

export function expiredPage(email: string): string {
  const body = `<h1>This link has expired</h1><p>A link works for 24 hours. We can send you a new one.</p>${form('/auth/resend', hidden('email', email), 'Send a new link')}`;
  return page('This link has expired', card(body));
}

export function deadLinkPage(kind: 'verify' | 'reset' | 'change'): string {
  const again = { verify: '/auth/resend', reset: '/auth/reset', change: '/auth/account' }[kind];
  const body = `<h1>This link does not work</h1><p>It was already used, has expired, or was not copied completely.</p><p><a href="${again}">Ask for a new one</a></p>`;
  return page('This link does not work', card(body));
}

export function confirmedPage(notice: string): string {
  const body = `<h1>Done</h1><p class="notice">${text(notice)}</p><p><a href="/auth/login">Sign in</a></p>`;
  return page('Confirmed', card(body));
}

export function askResetPage(shown: Shown = {}): string {
  const body = `<h1>Choose a new password</h1>${messages(shown)}<p>We send a link to your address. It works for one hour.</p>${form('/auth/reset', emailField(shown.email), 'Send the link')}`;
  return page('Choose a new password', card(body) + links(['/auth/login', 'Sign in']));
}

export function resetPage(token: string, shown: Shown = {}): string {
  const fields = hidden('token', token) + passwordField('password', 'New password', 'new-password');
  const body = `<h1>Choose a new password</h1>${messages(shown)}${form('/auth/reset/confirm', fields, 'Save')}`;
  return page('Choose a new password', card(body));
}

/** Actions that outlive a session, such as a new key, require the password again. */
export function reauthenticatePage(email: string, shown: Shown = {}): string {
  const fields = userName(email) + passwordField('password', 'Password', 'current-password');
  const body = `<h1>Enter your password again</h1>${messages(shown)}<p>You are signed in as <strong>${text(email)}</strong>. Creating keys and management tokens requires that the password was entered within the last ten minutes.</p>${form('/auth/reauthenticate', fields, 'Continue')}`;
  return page('Enter your password again', card(body) + links(['/auth/account', 'Your account']));
}

/** The only page for a person whose address is not confirmed yet. */
export function verifyYourAddressPage(email: string, shown: Shown = {}): string {
  const body = `<h1>Verify your address</h1>${messages(shown)}<p>We have sent a link to <strong>${text(email)}</strong>. Open it and press the button; then you can use everything else.</p>
${form('/auth/resend', hidden('email', email), 'Send the link again')}`;
  const out = form('/auth/logout', '', 'Sign out', ' class="quiet"');
  return page('Verify your address', card(body) + `<div class="links">${out}</div>`);
}

export function accountPage(
  { email, sessionId }: { readonly email: string; readonly sessionId: string },
  sessions: readonly SessionView[],
  shown: Shown = {},
): string {
  const rows = sessions.map((session) => sessionRow(session, session.id === sessionId));
  const cards = [
    `<h1>Your account</h1>${messages(shown)}<p>You are signed in as <strong>${text(email)}</strong>.</p>${form('/auth/logout', '', 'Sign out', ' class="quiet"')}`,
    `<h2>Sessions</h2><table><tr><th>From</th><th>Last seen</th><th></th></tr>${rows.join('')}</table>`,
    `<h2>Change the password</h2>${form('/auth/password', userName(email) + passwordField('current_password', 'Current password', 'current-password') + passwordField('new_password', 'New password', 'new-password'), 'Change password')}`,
    `<h2>Change the e-mail address</h2>${form('/auth/email', emailField(undefined, 'new_email', 'New e-mail address') + passwordField('password', 'Password', 'current-password'), 'Send a confirmation link')}`,
    `<h2>Close the account</h2><p>Its keys and management tokens stop working at once. This cannot be undone.</p>${form('/auth/close-account', userName(email) + passwordField('password', 'Password', 'current-password', 'closing_password'), 'Close the account', ' class="quiet"')}`,
  ];
  return page('Your account', cards.map(card).join(''), { wide: true });
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux'];

/** The common name of a program. Browsers also list the names of others, so the least common name in the text is used. */
function programOf(userAgent: string): string {
  const browser = BROWSERS.find((name) => userAgent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => userAgent.includes(name));
  if (browser === undefined) return userAgent.split(' ', 1)[0] ?? '';
  return `${NAMES[browser] ?? browser}${system === undefined ? '' : ` on ${system}`}`;
}

function sessionRow(session: SessionView, isThis: boolean): string {
  const from = [programOf(session.userAgent ?? ''), session.address ?? ''].filter(Boolean).join(' · ');
  const seen = session.lastSeenAt.toISOString().slice(0, 16).replace('T', ' ');
  const end = isThis ? 'this session' : form(`/auth/sessions/${session.id}/end`, '', 'End', ' class="quiet"');
  return `<tr><td>${text(from)}</td><td>${seen} UTC</td><td>${end}</td></tr>`;
}
