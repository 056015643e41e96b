/** Whether browsers store the session cookie of a page at this address. */

const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** They do over `https:`, and from their own machine. */
export const acceptsCookie = (protocol: string, hostname: string): boolean =>
  protocol === 'https:' || LOCAL.test(hostname);

/**
 * Whether the browser that sent a request stores the cookie. With a base URL of `https:`, the service is behind TLS; otherwise the address
 * that the browser asked counts.
 *
 * @param host the header `Host`
 */
export function browserAcceptsCookie(baseUrl: string, host: string | undefined): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  const asked = `http://${host ?? ''}`;
  return acceptsCookie(protocol, URL.canParse(asked) ? new URL(asked).hostname : hostname);
}
