import { domainToASCII, domainToUnicode } from 'node:url';

/** Maximum lengths of a local part, a domain and an address (RFC 5321, section 4.5.3.1). */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;
const MAX_ADDRESS = 254;

/** No blanks, control characters, quotes, brackets, commas, colons: nothing that could inject a header. */
const LOCAL = /^[^\s\p{Cc}\p{Cs}"(),:;<>@[\\\]]+$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

export interface EmailAddress {
  /** The address as typed, without surrounding blanks; mail is sent to it. */
  readonly typed: string;
  /**
   * The form by which addresses are compared: the domain in lower case and punycode, the local part folded to lower case. RFC 5321
   * allows local parts that differ only by case; no mail service uses this, and people mistype it.
   */
  readonly key: string;
}

/** Parses an address; null when no mail could be sent to it. */
export function readEmailAddress(text: string): EmailAddress | null {
  const typed = text.trim().normalize('NFC');
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, at);
  const typedDomain = typed.slice(at + 1).toLowerCase();
  const domain = domainToASCII(typedDomain).toLowerCase();
  // The conversion drops the part after a slash, for example: the mail would be sent to another domain than the compared one.
  const isWhole = typedDomain === domain || typedDomain === domainToUnicode(domain);
  const fits =
    at > 0 &&
    isWhole &&
    Buffer.byteLength(local) <= MAX_LOCAL &&
    domain.length <= MAX_DOMAIN &&
    Buffer.byteLength(typed) <= MAX_ADDRESS;
  if (!fits || !LOCAL.test(local) || !DOMAIN.test(domain)) return null;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  return { typed, key: `${local.toLowerCase()}@${domain}` };
}
