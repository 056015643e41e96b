import { proxyFor } from '../environment-proxy.js';
import type { Io } from '../io.js';
import { ApiError, overTls } from './api-error.js';

/**
 * Node's error codes for responses that are not TLS. Other TLS errors, such as the one for a wrong certificate, mean that the server
 * does use TLS.
 */
const NO_TLS: ReadonlySet<string> = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);
/** The message of `fetch` for blocked ports; https://fetch.spec.whatwg.org/#port-blocking. The error has no code. */
const BAD_PORT = 'bad port';
/** The name of the error for a response that is not HTTP; the error has no code. */
const NO_HTTP = 'HTTPParserError';
/** Explanations for the error codes of Node.js and its `fetch`. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'there is no route to this host',
  ENETUNREACH: 'there is no route to this network',
  UND_ERR_ABORTED: 'the proxy refused the connection',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet: is the clock right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host: is the name right?',
};
/** Error codes for certificates of an unknown authority; https://nodejs.org/api/tls.html#x509-certificate-error-codes. */
const OWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Error codes that are explained above, but can also occur after a request was sent. */
const AT_ANY_TIME: ReadonlySet<string> = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_ABORTED']);

/** Whether a request may have reached the server: not if the connection failed before it could be used. */
export function mayHaveArrived(error: unknown): boolean {
  const code = codeOf(error);
  const isBefore = code in REASONS && !AT_ANY_TIME.has(code);
  return !isBefore && code !== BAD_PORT && !OWN_AUTHORITY.has(code) && !code.startsWith('ERR_SSL_');
}

/** The error for a connection that ended without a usable response. @param maybe what the server may have done */
export function brokenOff(url: string, error: unknown, maybe: string): ApiError {
  const code = codeOf(error);
  return new ApiError(
    0,
    'unreachable',
    `the connection to ${url} ended before the answer${code === '' ? '' : ` (${code})`}${maybe}`,
  );
}

/** Whether a response is a redirect. */
export function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

/** The error for a redirect; it names the target, such as a login page or the right address. */
export function redirected(response: Response, url: string): ApiError {
  const target = response.headers.get('location') ?? '';
  const to = URL.canParse(target, url) ? new URL(target, url).origin : 'another page';
  return new ApiError(
    response.status,
    'bad_answer',
    `${url} redirects to ${to}; credentials are not sent there: use the URL of the Weir server itself`,
  );
}

/** The error for a failed or broken connection, with an explanation if its error code has one. */
export function unreachable(url: string, error: unknown, env: Io['env']): ApiError {
  return new ApiError(0, 'unreachable', `${url} cannot be reached${whyOf(codeOf(error), url)}${aboutProxy(url, env)}`);
}

/** Says whether the proxy of the environment was used: the error may be about the proxy, or about a way around it. */
function aboutProxy(url: string, env: Io['env']): string {
  const { protocol, hostname } = new URL(url);
  const proxy = proxyFor(protocol, env);
  if (proxy === undefined || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return '';
  const { name, use } = proxy;
  if (use === 'invalid') return `; ${name} is not the URL of an HTTP proxy, so no proxy was used`;
  return use === 'used'
    ? `; the proxy in ${name} was used, unless NO_PROXY excludes this host`
    : `; to use the proxy in ${name}, set NODE_USE_ENV_PROXY=1`;
}

function whyOf(code: string, url: string): string {
  if (code === '') return '';
  if (code === BAD_PORT)
    return `: HTTP clients do not use port ${new URL(url).port}, which is reserved for another service`;
  if (OWN_AUTHORITY.has(code))
    return `: its certificate is from an unknown authority; to trust it, set NODE_EXTRA_CA_CERTS=ca.pem (${code})`;
  if (NO_TLS.has(code) && url.startsWith('https:'))
    return `: the server there does not use TLS; did you mean ${url.replace(/^https:/, 'http:')}? (${code})`;
  if (code === 'UND_ERR_SOCKET' || code === NO_HTTP)
    return url.startsWith('http:')
      ? `: the server there does not use HTTP; is the port right, or did you mean ${overTls(url)}? (${code})`
      : `: the server there is not a Weir server; is the port right? (${code})`;
  if (code === 'ECONNRESET')
    return `: the connection was closed${url.startsWith('http:') ? `; did you mean ${overTls(url)}?` : ''} (${code})`;
  const reason = REASONS[code];
  return reason === undefined ? `: ${code}` : `: ${reason} (${code})`;
}

/** Finds the error code in the chain of causes, where `fetch` puts it; '' if there is none. */
export function codeOf(error: unknown): string {
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : undefined) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if ('name' in at && at.name === NO_HTTP) return NO_HTTP;
    if ('message' in at && at.message === BAD_PORT) return BAD_PORT;
    if ('errors' in at && Array.isArray(at.errors) && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return '';
}
