/**
 * Security headers of every answer, even if no browser requested it. Most answers are JSON: if one is opened as a page, it may not load
 * or run anything, nor be framed. A page sets its own `content-security-policy`, which never allows inline scripts.
 * https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers
 */

const FOR_ALL = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // For browsers that do not know `frame-ancestors`.
  'x-frame-options': 'DENY',
} as const;

/** A year, as preload lists require; without `includeSubDomains`, because other hosts of the domain are not ours. */
const HSTS = { 'strict-transport-security': 'max-age=31536000' } as const;

/** @param baseUrl the public URL of the service; HSTS is only sent for `https:` */
export function securityHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { ...FOR_ALL, ...HSTS } : FOR_ALL;
}
