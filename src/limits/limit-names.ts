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
  evaluate: { by: 'account', rate: offWith('management', { limit: 60, windowSeconds: MINUTE_SECONDS }) },
  auth: { by: 'address and route', rate: ({ rates }: AppConfig) => rates.auth },
  // Never by the account alone: an attacker who guesses a person's password must not lock that person out.
  'auth-attempts': {
    by: 'account and address',
    rate: offWith('auth', { limit: 10, windowSeconds: 15 * MINUTE_SECONDS }),
  },
  // A page that violates its policy may report it at each load; anybody may send reports.
  'csp-reports': { by: 'address', rate: offWith('address', { limit: 30, windowSeconds: MINUTE_SECONDS }) },
} as const satisfies Record<
  string,
  { readonly by: string; readonly rate: (config: AppConfig) => RateLimit | undefined }
>;

export type LimitName = keyof typeof LIMITS;

/** A fixed limit, which is off while the operator's setting of another limit is off. */
function offWith(setting: keyof AppConfig['rates'], limit: RateLimit) {
  return ({ rates }: AppConfig): RateLimit | undefined => (rates[setting] === undefined ? undefined : limit);
}
