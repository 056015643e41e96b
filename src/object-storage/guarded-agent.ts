/**
 * The allowed destinations of accounts' exports: public addresses, over TLS. An account names the endpoint, so it must not make the
 * service connect to private addresses. The address of a name is checked when the connection is opened, so that it cannot change between
 * the check and the use.
 */
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';
import { NAMES } from '../resilience/index.js';

/** The endpoint is not an allowed destination of exports; the message is for people. */
export class ForbiddenEndpoint extends Error {
  override readonly name = 'ForbiddenEndpoint';
  readonly code = 'FORBIDDEN_ENDPOINT';
}

const CONNECT_MS = 10_000;
/** How the name of an endpoint is looked up. One at a time of those that accounts name, because they may be slow on purpose. */
export const ENDPOINT_LOOKUPS = {
  ofOperator: NAMES.services.lookup(CONNECT_MS),
  ofAccount: NAMES.accounts.lookup(CONNECT_MS),
  /** Refused while another name is looked up: a person can try again, so exports have precedence. */
  ofAccountAtOnce: NAMES.accounts.lookup(CONNECT_MS, false),
};
/** Maximum time without a part of an answer. */
export const ANSWER_MS = 120_000;

/** The problem of an endpoint, as far as its text reveals one; undefined if there is none. */
export function endpointProblem(text: string, trusted: readonly string[]): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must contain no credentials';
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return 'must end after the host and port';
  if (trusted.includes(url.origin)) return undefined;
  if (url.protocol !== 'https:') return 'must be an https URL';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) return 'must not be an address of a private network';
  return undefined;
}

/**
 * An agent for one endpoint: connections to private networks are refused unless the operator trusts the endpoint.
 *
 * @param lookup looks up the name of an endpoint that the operator does not trust
 */
export function guardedAgent(
  endpoint: string,
  trusted: readonly string[],
  lookup: LookupFunction = ENDPOINT_LOOKUPS.ofAccount,
): Agent {
  const timeouts = { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
  const isTrusted = trusted.includes(new URL(endpoint).origin);
  return new Agent({
    ...timeouts,
    connect: { timeout: CONNECT_MS, lookup: isTrusted ? ENDPOINT_LOOKUPS.ofOperator : publicOnly(lookup) },
  });
}

/** Refuses names with an address in a private network. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const found = error === null && Array.isArray(addresses) ? addresses : [];
      const [first] = found;
      if (first === undefined) return callback(error ?? new Error('no address'), '', 0);
      // A single private address is enough to refuse: a name with both kinds is likely an attack.
      if (!found.every(({ address }) => isPublic(address))) {
        return callback(new ForbiddenEndpoint('The endpoint is an address of a private network'), '', 0);
      }
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

/** Whether the internet routes to an address: no loopback, private, link-local, carrier, documentation or transition range. */
function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
