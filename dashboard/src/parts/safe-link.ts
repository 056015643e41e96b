/** Addresses from data may link only to pages of this service and to the payment provider. */
const PAYING = new Set(['checkout.stripe.com', 'billing.stripe.com']);

export function safePath(path: string): string {
  return /^\/(?![/\\])[^\\]*$/.test(path) ? path : '/';
}

/** @returns undefined where the address must not be opened */
export function payingUrl(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.protocol === 'https:' && PAYING.has(parsed.hostname) ? parsed.href : undefined;
}
