import { parse } from 'tldts';
import type { Finder, Pattern } from '../../src/core/plugin-api.js';
import { findIpv4, findIpv6, mayBeIpv4, mayBeIpv6, undecidedIpv6 } from './ip-address.js';
import { findMac, mayBeMac, undecidedMac } from './mac-address.js';
import { SPELLED_EMAILS } from './spelled-email.js';

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

/** Letters of scripts without spaces between words, and Hangul, whose particles follow a word directly. */
function isOfUnspacedScript(unit: number): boolean {
  return (
    (unit >= 0x0e00 && unit < 0x10a0) ||
    (unit >= 0x1100 && unit < 0x1200) ||
    (unit >= 0x1780 && unit < 0x1800) ||
    (unit >= 0x1950 && unit < 0x1ab0) ||
    (unit >= 0x3040 && unit < 0xd800)
  );
}

const INTRANET = /\.(?:local|localhost|internal|intranet|corp|lan|home|invalid|test|example)$/i;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * Finds the address around the `@` at offset `at`. The domain must end in a public suffix, or in a typical intranet suffix with a lower
 * score.
 */
function findEmail(text: string, at: number): { start: number; end: number; score: number } | undefined {
  let first = at;
  while (first > 0 && at - first < MAX_LOCAL && isLocal(text.charCodeAt(first - 1))) first--;
  const start = localStart(text, first, at);
  if (start === at || text[at - 1] === '.') return undefined;
  for (const end of hostEnds(text, at + 1)) {
    const domain = text.slice(at + 1, end);
    const { isIcann, isPrivate, hostname } = parse(domain, { allowPrivateDomains: true });
    if (hostname === null) continue;
    const isPublic = isIcann === true || isPrivate === true;
    if (!isPublic && !INTRANET.test(domain)) continue;
    return { start: ASCII.test(domain) ? asciiStart(text, start, at) : start, end, score: isPublic ? 0.95 : 0.7 };
  }
  return undefined;
}

/** The first offset in `[from, at)` at which the local part of an address can begin; `at` if there is none. */
function localStart(text: string, from: number, at: number): number {
  let start = from;
  while (start < at && !isLetterOrDigit(text.charCodeAt(start)) && text[start] !== '_') start++;
  return start;
}

/**
 * The start of the local part without the sentence in front of it: `我的邮箱是zhang@example.com` has no space there. Only for domains in
 * ASCII: before an internationalised domain, the local part may also be in two scripts.
 */
function asciiStart(text: string, start: number, at: number): number {
  let ascii = at;
  while (ascii > start && text.charCodeAt(ascii - 1) < 0x80) ascii--;
  if (ascii === start || !isOfUnspacedScript(text.charCodeAt(ascii - 1))) return start;
  const first = localStart(text, ascii, at);
  return first === at ? start : first;
}

/**
 * The offsets at which the host name at `from` may end, the preferred one first: the end of the last label, the end of the ASCII characters
 * with which that label begins (in `example.com으로`, the sentence goes on without a space), then the same without the last label.
 */
function hostEnds(text: string, from: number): number[] {
  const ends: number[] = [];
  const limit = Math.min(text.length, from + MAX_DOMAIN);
  let at = from;
  while (at < limit && isLetterOrDigit(text.charCodeAt(at))) {
    const label = at;
    while (at < limit && (isLetterOrDigit(text.charCodeAt(at)) || text[at] === '-' || text[at] === '_')) at++;
    const end = labelEnd(text, at);
    if (label > from) {
      const ascii = asciiEnd(text, label, end);
      if (ascii > label && ascii < end) ends.push(ascii);
      ends.push(end);
    }
    if (end !== at || text[at] !== '.') break;
    at++;
  }
  return ends.reverse();
}

/** The end of a label without trailing hyphens and underscores. */
function labelEnd(text: string, to: number): number {
  let end = to;
  while (text[end - 1] === '-' || text[end - 1] === '_') end--;
  return end;
}

/** The end of the ASCII characters with which a label begins. */
function asciiEnd(text: string, from: number, to: number): number {
  let end = from;
  while (end < to && text.charCodeAt(end) < 0x80) end++;
  return labelEnd(text, end);
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
  ...SPELLED_EMAILS,
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
