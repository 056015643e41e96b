import type { AppConfig, RateLimit } from '../config/index.js';

const MINUTE_SECONDS = 60;

/**
 * Every rate limit of the service, with the key by which it counts. The names are in `RateLimit` headers, metrics and Redis' keys, and are
 * never renamed.
 */
export const LIMITS = {
  address: { by: 'address', rate: ({ rates }: AppConfig) => rates.address },
  events: { by: 'app', rate: ({ rates }: AppConfig) => rates.events },
  batch: { by: 'app', rate: ({ rates }: AppConfig) => rates.batch },
  proxy: { by: 'app', rate: ({ rates }: AppConfig) => rates.proxy },
  calls: { by: 'app', rate: ({ rates }: AppConfig) => rates.calls },
  management: { by: 'account', rate: ({ rates }: AppConfig) => rates.management },
  evaluate: { by: 'account', rate: unlessOff({ limit: 60, windowSeconds: MINUTE_SECONDS }) },
  auth: { by: 'address and route', rate: ({ rates }: AppConfig) => rates.auth },
  // Never by the account alone: an attacker who guesses a person's password must not lock that person out.
  'auth-attempts': { by: 'account and address', rate: perAccount({ limit: 10, windowSeconds: 15 * MINUTE_SECONDS }) },
} as const satisfies Record<
  string,
  { readonly by: string; readonly rate: (config: AppConfig) => RateLimit | undefined }
>;

export type LimitName = keyof typeof LIMITS;

/** A separate limit in addition to the management limit; off if the management limit is off. */
function unlessOff(limit: RateLimit) {
  return ({ rates }: AppConfig): RateLimit | undefined => (rates.management === undefined ? undefined : limit);
}

/** The limits of accounts are active unless those of addresses are off. */
function perAccount(limit: RateLimit) {
  return ({ rates }: AppConfig): RateLimit | undefined => (rates.auth === undefined ? undefined : limit);
}
