import { createHmac } from 'node:crypto';
import { z } from 'zod';

const FORM_ID = z.uuid();

/**
 * Returns the id of the sign-up that a form contains: a double click, or a page that is loaded again, sends the same sign-up once more. A
 * form that was changed, such as after "back", is another sign-up.
 *
 * Only the page contains the form's random id, and it is not stored. It is the key of an HMAC, so the id of a sign-up reveals nothing
 * about its password, and nobody else can produce it.
 *
 * @param formId the id as it was submitted
 * @returns a UUID of version 8 (RFC 9562, section 5.8); undefined if the form has no UUID
 */
export function signUpIdOf(formId: string | undefined, email: string, password: string): string | undefined {
  const key = FORM_ID.safeParse(formId);
  if (!key.success) return undefined;
  const bytes = createHmac('sha256', key.data.toLowerCase())
    .update(JSON.stringify([email, password]))
    .digest();
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x80;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
