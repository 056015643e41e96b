import { instantMs } from './policy-format.js';

/**
 * Parsers for structured values: times, e-mail addresses, URLs and numbers. Each returns undefined for a text that is not unambiguous;
 * rules then treat the condition as undecided and never guess.
 */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** An instant or a day (its start in UTC), in milliseconds since the epoch. */
export function timeOf(text: string): number | undefined {
  return instantMs(DAY.test(text) ? `${text}T00:00:00Z` : text);
}

const ADDRESS = /^[^\s@<>()[\]",:;\\]{1,64}@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,20})\.?$/;
const NAMED_ADDRESS = /^[^<>@",;:\\()]{0,100}<([^<>]{1,320})>$/;

/**
 * The domains of one or more e-mail addresses (`a@b.example`, `Name <a@b.example>`, separated by commas or semicolons), in lower case.
 * Quoted names, comments, groups and routes are not read, since mail programs disagree about them.
 */
export function emailDomains(text: string): string[] | undefined {
  if (text.length > 10_000) return undefined;
  const domains: string[] = [];
  for (const part of text.split(/[,;]/)) {
    const trimmed = part.trim();
    const address = NAMED_ADDRESS.exec(trimmed)?.[1] ?? trimmed;
    const domain = ADDRESS.exec(address.trim())?.[1];
    if (domain === undefined) return undefined;
    domains.push(domain.toLowerCase());
  }
  return domains;
}

const URL_FORM =
  /^[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?(?:[/?#][\x21-\x5b\x5d-\x7e\u00a1-\uffff]*)?$/;

/**
 * The host of an absolute URL in lower case. URLs with user names, backslashes, white space, escapes or non-ASCII letters in the host
 * are not read: parsers disagree about them (WHATWG URL against RFC 3986), and attackers use that.
 */
export function urlHost(text: string): string | undefined {
  if (text.length > 10_000) return undefined;
  const host = URL_FORM.exec(text)?.[1]?.toLowerCase();
  return host?.endsWith('.') === true ? host.slice(0, -1) : host;
}

/** Whether a host is one of the names; `*.acme.example` matches every name below acme.example. */
export function nameMatches(host: string, names: readonly unknown[]): boolean {
  return names.some((name) => {
    if (typeof name !== 'string') return false;
    const wanted = name.toLowerCase();
    return wanted.startsWith('*.')
      ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1
      : host === wanted;
  });
}

/** Converts a text for comparisons that ignore case and compatibility forms (Unicode NFKC). */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** A number, or the number written in a text: `"5000"` counts as 5000, since tools and headers send both forms. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return undefined;
  return Number(value);
}
