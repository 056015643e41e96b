import type { FindInfo, Found } from '../../src/core/plugin-api.js';

const IPV4 =
  /(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?![\w.]?\d|[A-Za-z_]|-[A-Za-z])/y;

/** Whether an IPv4 address can begin at a digit: one to three digits must be followed by a full stop. */
export function mayBeIpv4(text: string, start: number): boolean {
  if (start > 0 && (text.charCodeAt(start - 1) === DOT || text.charCodeAt(start - 1) === LOW_LINE)) return false;
  let end = start + 1;
  while (end < start + 3 && isDigit(text.charCodeAt(end))) end++;
  return text.charCodeAt(end) === DOT;
}

/** Finds an IPv4 address in dotted form. Four small numbers are more often a section or version number and need context. */
export function findIpv4(text: string, start: number, { inContext }: FindInfo): Found | undefined {
  IPV4.lastIndex = start;
  const match = IPV4.exec(text);
  if (match === null) return undefined;
  const end = start + match[0].length;
  if (text[end] === '.' && /\w/.test(text[end + 1] ?? '')) return undefined;
  if (/^(?:127\.|0\.0\.0\.0$)/.test(match[0]) && !inContext) return { end, score: 0.55 };
  const small = match[0].split('.').every((octet) => Number(octet) < 32) && !match[0].startsWith('10.');
  return { end, score: inContext ? 0.95 : small ? 0.3 : 0.85 };
}

const DOT = 0x2e;
const COLON = 0x3a;
const LOW_LINE = 0x5f;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

/** Cheap check whether a colon can be the first of an IPv6 address; nearly all fail. */
export function mayBeIpv6(text: string, colon: number): boolean {
  const after = text.charCodeAt(colon + 1);
  return after === COLON || (isHex(after) && colon > 0 && isHex(text.charCodeAt(colon - 1)));
}

/** Finds an IPv6 address (RFC 4291, section 2.2) whose first colon is at `colon`, including a zone such as `%eth0`. */
export function findIpv6(text: string, colon: number): Found | undefined {
  let start = colon;
  while (start > 0 && colon - start < 5 && isHex(text.charCodeAt(start - 1))) start--;
  if (colon - start > 4 || /[\w:.%]/.test(text[start - 1] ?? '')) return undefined;
  const match = /^[0-9A-Fa-f:.]{2,46}/.exec(text.slice(start, start + 47));
  if (match === null) return undefined;
  const address = match[0].replace(/[.:]$/, (mark) => (match[0].endsWith('::') ? mark : ''));
  const end = start + address.length;
  if (/[\w]/.test(text[end] ?? '') || !isIpv6(address)) return undefined;
  if (address === '::1') return { start, end, score: 0.55 };
  const zone = /^%[A-Za-z0-9._-]{1,15}/.exec(text.slice(end, end + 16));
  return { start, end: end + (zone?.[0].length ?? 0), score: 0.85 };
}

/** The start of a possible address, including its zone, that the next characters can continue or rule out. */
export function undecidedIpv6(text: string): number {
  const match = /(?:[0-9A-Fa-f]{1,4}|:)[0-9A-Fa-f:.]{0,46}(?:%[A-Za-z0-9._-]{0,15})?$/.exec(
    text.slice(Math.max(0, text.length - 64)),
  );
  return match === null ? text.length : text.length - match[0].length;
}

function isIpv4(text: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split('.').every((octet) => Number(octet) < 256);
}

function isIpv6(address: string): boolean {
  const halves = address.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const tail = groups.at(-1)!.at(-1) ?? '';
  const embedded = tail.includes('.');
  if (embedded && !isIpv4(tail)) return false;
  const all = groups.flat();
  const plain = embedded ? all.slice(0, -1) : all;
  if (!plain.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  const count = plain.length + (embedded ? 2 : 0);
  if (halves.length === 1) return count === 8;
  // `a::b` is code more often than an address: without a digit it needs four groups.
  return count < 8 && (all.some((group) => /\d/.test(group)) || count >= 4);
}
