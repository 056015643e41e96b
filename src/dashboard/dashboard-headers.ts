import { reportedPolicy } from '../http/index.js';

/**
 * The content security policy of the dashboard. All resources come from this service; the page contains no inline script or style.
 */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  // Text that becomes a script or markup by mistake is also an error in the browser.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

const NEVER_ASKED_FOR = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'midi'];

/** Sent in addition to the headers of all answers. `no-cache`: browsers cache the page, but revalidate it each time. */
export const DASHBOARD_HEADERS = {
  ...reportedPolicy(POLICY),
  'permissions-policy': NEVER_ASKED_FOR.map((feature) => `${feature}=()`).join(', '),
  // With `no-referrer` browsers would send `Origin: null` with the page's requests.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
  'x-robots-tag': 'noindex',
} as const;
