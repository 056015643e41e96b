import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1: the octets of a local part, of a domain, and of a path. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;
const MAX_ADDRESS = 254;

/** No blanks, control characters, quotes, brackets, commas, colons: nothing that a header could be made of. */
const LOCAL = /^[^\s\p{Cc}\p{Cs}"(),:;<>@[\\\]]+$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

export interface EmailAddress {
  /** As typed, without blanks around it: mail is sent there. */
  readonly typed: string;
  /**
   * What two addresses are compared by: the domain in lower case and punycode, the local part folded to lower case.
   * RFC 5321 lets local parts differ by case alone; no mail service makes use of it, and people mistype it.
   */
  readonly key: string;
}

/** Takes an address apart; null when it is none that mail could be sent to. */
export function readEmailAddress(text: string): EmailAddress | null {
  const typed = text.trim().normalize('NFC');
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, at);
  const domain = domainToASCII(typed.slice(at + 1)).toLowerCase();
  const fits =
    at > 0 &&
    Buffer.byteLength(local) <= MAX_LOCAL &&
    domain.length <= MAX_DOMAIN &&
    Buffer.byteLength(typed) <= MAX_ADDRESS;
  if (!fits || !LOCAL.test(local) || !DOMAIN.test(domain)) return null;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  return { typed, key: `${local.toLowerCase()}@${domain}` };
}
