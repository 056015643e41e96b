import { parse } from 'tldts';
import type { Finder, Pattern } from '../../src/core/plugin-api.js';
import { findIpv4, findIpv6, mayBeIpv4, mayBeIpv6, undecidedIpv6 } from './ip-address.js';
import { findMac, mayBeMac, undecidedMac } from './mac-address.js';

export type ContactCode = 'EMAIL' | 'URL' | 'IP_ADDRESS' | 'MAC_ADDRESS';

/** RFC 5321, section 4.5.3.1: 64 octets before the `@`, 255 after it. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

function isLetterOrDigit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0xc0 && unit < 0x2000 && unit !== 0xd7 && unit !== 0xf7) ||
    (unit >= 0x3040 && unit < 0xd800)
  );
}

/**
 * Includes `._%+-'` and rarer characters that real mail systems use; `=`, `/` and `:` are excluded, as they more often precede an
 * address.
 */
function isLocal(unit: number): boolean {
  return isLetterOrDigit(unit) || "._%+-'&~!#$".includes(String.fromCharCode(unit));
}

/**
 * Finds the address around the `@` at offset `at`. The domain must end in a public suffix, or in a typical intranet suffix with a lower
 * score.
 */
function findEmail(text: string, at: number): { start: number; end: number; score: number } | undefined {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--;
  while (start < at && !isLetterOrDigit(text.charCodeAt(start)) && text[start] !== '_') start++;
  if (start === at || text[at - 1] === '.') return undefined;
  const ends = labelEnds(text, at + 1);
  for (let count = ends.length; count > 1; count--) {
    const end = ends[count - 1]!;
    const domain = text.slice(at + 1, end);
    const { isIcann, isPrivate, hostname } = parse(domain, { allowPrivateDomains: true });
    if (hostname === null) continue;
    if (isIcann === true || isPrivate === true) return { start, end, score: 0.95 };
    if (/\.(?:local|localhost|internal|intranet|corp|lan|home|invalid|test|example)$/i.test(domain)) {
      return { start, end, score: 0.7 };
    }
  }
  return undefined;
}

/** The end offsets of the labels of the host name at `from`. */
function labelEnds(text: string, from: number): number[] {
  const ends: number[] = [];
  const limit = Math.min(text.length, from + MAX_DOMAIN);
  let at = from;
  while (at < limit && isLetterOrDigit(text.charCodeAt(at))) {
    while (at < limit && (isLetterOrDigit(text.charCodeAt(at)) || text[at] === '-' || text[at] === '_')) at++;
    let end = at;
    while (text[end - 1] === '-' || text[end - 1] === '_') end--;
    ends.push(end);
    if (end !== at || text[at] !== '.') break;
    at++;
  }
  return ends;
}

/** The start of a possible address that is truncated by the end of the text or depends on the next characters. */
function undecidedEmail(text: string): number {
  const lowest = Math.max(0, text.length - MAX_DOMAIN - 1);
  let at = text.length;
  while (at > lowest && isDomain(text.charCodeAt(at - 1))) at--;
  const sign = at > lowest && text[at - 1] === '@' ? at - 1 : text.length;
  let start = sign;
  while (start > 0 && sign - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--;
  return start === sign ? text.length : start;
}

function isDomain(unit: number): boolean {
  return isLetterOrDigit(unit) || unit === 0x2e || unit === 0x2d || unit === 0x5f;
}

export const CONTACT_PATTERNS: readonly (Pattern<ContactCode> | Finder<ContactCode>)[] = [
  {
    code: 'EMAIL',
    trigger: { on: 'literals', literals: ['@'] },
    maxLength: MAX_DOMAIN + 1,
    behind: MAX_LOCAL + 1,
    find: findEmail,
    undecided: undecidedEmail,
  },
  {
    code: 'URL',
    regex: /(?<![A-Za-z0-9])(?:https?:\/\/|ftp:\/\/|www\.)[A-Za-z0-9[][^\s<>"'`{}|\\^]{2,2000}(?<![.,;:!?)\]])/i,
    trigger: { on: 'literals', literals: ['http://', 'https://', 'ftp://', 'www.'] },
    score: 0.9,
  },
  {
    code: 'IP_ADDRESS',
    trigger: { on: 'token', token: 'digit', minDigits: 4 },
    maxLength: 20,
    behind: 2,
    begins: /\d{1,3}\.\d/,
    context: { words: ['ip', 'ipv4', 'ip address', 'addr', 'host', 'server', 'client', 'gateway', 'dns', 'ping'] },
    against: {
      words: [
        'version',
        'ver',
        'v',
        'release',
        'section',
        'chapter',
        'clause',
        'build',
        'firmware',
        'rfc',
        'oid',
        'figure',
      ],
      windowUnits: 3,
    },
    accepts: mayBeIpv4,
    find: findIpv4,
  },
  {
    code: 'IP_ADDRESS',
    trigger: { on: 'literals', literals: [':'] },
    maxLength: 64,
    behind: 6,
    accepts: mayBeIpv6,
    find: findIpv6,
    undecided: undecidedIpv6,
  },
  {
    code: 'MAC_ADDRESS',
    trigger: { on: 'literals', literals: [':', '-', '.'] },
    maxLength: 24,
    behind: 8,
    context: { words: ['mac', 'mac address', 'ethernet', 'hardware address', 'physical address', 'bssid'] },
    accepts: mayBeMac,
    find: findMac,
    undecided: undecidedMac,
  },
];
