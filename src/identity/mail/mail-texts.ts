/** Every mail of the service: plain text, at most one link, no tracking. */

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The mails of the service. `verify`, `reset` and `change` contain a link. */
export type MailTemplate =
  | 'verify'
  | 'known_address'
  | 'reset'
  | 'change'
  | 'address_taken'
  | 'change_requested'
  | 'address_changed'
  | 'password_changed'
  | 'account_closed';

export interface MailFacts {
  readonly baseUrl: string;
  /** The link, for templates that contain one. */
  readonly link: string;
  readonly requestedAt: Date;
}

interface Text {
  readonly subject: string;
  readonly lines: (facts: MailFacts) => readonly string[];
}

const NOT_YOU = 'If this was not you, nothing has happened and you need not do anything.';

const TEXTS: Readonly<Record<MailTemplate, Text>> = {
  verify: {
    subject: 'Confirm your e-mail address',
    lines: ({ link, requestedAt }) => [
      `Somebody signed up at Weir with this e-mail address, or asked for this link, at ${minuteOf(requestedAt)}. To confirm that it was you, open this page and press the button:`,
      link,
      'The link works for 24 hours. Opening it alone changes nothing.',
      'If you get several of these mails, somebody else may have signed up with your address: only use the one from the time at which you signed up or asked for a link.',
      NOT_YOU,
    ],
  },
  known_address: {
    subject: 'You already have an account',
    lines: ({ baseUrl }) => [
      'Somebody tried to sign up at Weir with this e-mail address. The address already has an account, which was not changed.',
      `Sign in: ${baseUrl}/auth/login`,
      `Forgot the password? ${baseUrl}/auth/reset`,
      NOT_YOU,
    ],
  },
  reset: {
    subject: 'Choose a new password',
    lines: ({ link }) => [
      'Somebody requested a new password for the account with this e-mail address. To choose one, open this page:',
      link,
      'The link works for one hour. Opening it alone changes nothing.',
      NOT_YOU,
    ],
  },
  change: {
    subject: 'Confirm your new e-mail address',
    lines: ({ link }) => [
      'Somebody asked to use this e-mail address for a Weir account. To confirm, open this page and press the button:',
      link,
      'The link works for 24 hours. Opening it alone changes nothing.',
      NOT_YOU,
    ],
  },
  address_taken: {
    subject: 'Your e-mail address is in use',
    lines: () => [
      'Somebody tried to use this e-mail address for another Weir account. It already belongs to an account, so nothing was changed.',
      NOT_YOU,
    ],
  },
  change_requested: {
    subject: 'A new e-mail address was requested',
    lines: ({ baseUrl, requestedAt }) => [
      `Somebody who knows your password requested a different e-mail address for your Weir account at ${minuteOf(requestedAt)}. The address changes when the link in the mail to the new address is confirmed.`,
      `If this was not you, choose a new password immediately: ${baseUrl}/auth/reset`,
      'A new password also cancels the change of the address, and ends all sessions.',
    ],
  },
  address_changed: {
    subject: 'Your e-mail address was changed',
    lines: ({ baseUrl }) => [
      'The e-mail address of your account at Weir was changed. From now on, sign in with the new address.',
      `If this was not you, contact the operator of ${baseUrl}: somebody knew your password.`,
    ],
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: ({ baseUrl }) => [
      'The password of your account at Weir was changed, and all other sessions were ended.',
      `If this was not you, choose a new one immediately: ${baseUrl}/auth/reset`,
    ],
  },
  account_closed: {
    subject: 'Your account was closed',
    lines: ({ baseUrl }) => [
      'Your account at Weir was closed. Its keys and management tokens no longer work.',
      `If this was not you, contact the operator of ${baseUrl}.`,
    ],
  },
};

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The mail of a template. */
export function writeMail(template: MailTemplate, to: string, facts: MailFacts): Mail {
  const { subject, lines } = TEXTS[template];
  return { to, subject: `${subject} (Weir)`, text: `${lines(facts).join('\n\n')}\n` };
}
