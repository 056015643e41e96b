/**
 * What browsers are told about every answer, also about those that no browser asked for. Most answers are JSON: should one
 * be opened as a page it may load nothing, run nothing and stand in no frame. A page says itself what it needs
 * (`content-security-policy`), and it never needs a script in its own text.
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

/** A year, which is what lists of preloaded hosts ask for; other hosts of the domain are not ours to decide about. */
const HSTS = { 'strict-transport-security': 'max-age=31536000' } as const;

/** @param baseUrl where users reach the service; only `https:` can promise to stay encrypted */
export function securityHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { ...FOR_ALL, ...HSTS } : FOR_ALL;
}
