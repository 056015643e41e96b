import { z } from 'zod';
import { MAX_OWN_PATH } from './own-path.js';

/** The bodies of the routes under `/auth`. Excessively long values are refused before they are processed. */
const MAX_TEXT = 1024;
const email = z.string().max(MAX_TEXT).describe('E-mail address. Mails are sent to the address in this spelling.');
const present = z.string().max(MAX_TEXT);
const chosen = z.string().max(MAX_TEXT).describe('12 to 128 characters; common passwords are refused.');
const token = z.string().max(MAX_TEXT).describe('Token from the link in the mail.');
const instant = z.string().describe('RFC 3339, UTC.');

export const SIGN_UP = z.strictObject({ email, password: chosen });
/** The page of the sign-up contains a random id, by which a form that is submitted twice is recognized. */
export const SIGN_UP_FORM = SIGN_UP.extend({ form_id: z.string().max(MAX_TEXT).optional() });
export const LOGIN = z.strictObject({
  email,
  password: present,
  next: z
    .string()
    .max(MAX_OWN_PATH)
    .optional()
    .describe(
      "For the sign-in form only: path on this service to open after the sign-in. For any other value, the service's start page or the account page opens.",
    ),
});
export const ADDRESS = z.strictObject({ email });
export const LINK = z.strictObject({ token });
export const LINK_QUERY = z.object({ token: z.string().max(MAX_TEXT).default('') });
/** `confirmed=1`: the address has just been confirmed, and the password is still to be chosen. */
export const RESET_QUERY = LINK_QUERY.extend({ confirmed: z.string().max(MAX_TEXT).optional() });
export const RESET = z.strictObject({ token, password: chosen });
export const PASSWORD_CHANGE = z.strictObject({ current_password: present, new_password: chosen });
export const EMAIL_CHANGE = z.strictObject({ new_email: email, password: present });
export const CLOSING = z.strictObject({ password: present });
export const REAUTHENTICATION = z.strictObject({ password: present });

/** The same answer for every address, known or unknown. */
export const ACCEPTED = z.strictObject({ status: z.literal('accepted'), message: z.string() });
export const VERIFIED = z.strictObject({
  status: z
    .enum(['verified', 'already_verified', 'already_verified_without_password'])
    .describe(
      '`already_verified`: the address was confirmed before. `already_verified_without_password`: the address was confirmed before, but no password is valid until a new one is chosen by a reset.',
    ),
});
export const DONE = z.strictObject({ status: z.literal('done') });

export const SESSION = z
  .strictObject({
    person: z.strictObject({ id: z.uuid(), email: z.string(), email_verified: z.boolean() }),
    account: z.strictObject({ id: z.uuid() }),
    session: z.strictObject({
      id: z.uuid(),
      authenticated_at: instant.describe(
        'Time when the password was last entered. Keys and tokens can be created within ten minutes after that time.',
      ),
      expires_at: instant.describe('Time when the session ends, regardless of its use.'),
    }),
  })
  .meta({ id: 'Session' });
export const SESSIONS = z
  .strictObject({
    data: z.array(
      z.strictObject({
        id: z.uuid(),
        current: z.boolean(),
        created_at: instant,
        last_seen_at: instant.describe('Time of the last request, to the minute.'),
        expires_at: instant,
        from: z.strictObject({ address: z.string().nullable(), user_agent: z.string().nullable() }),
      }),
    ),
  })
  .meta({ id: 'Sessions' });
