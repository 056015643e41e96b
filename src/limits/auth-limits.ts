/** The stricter limits of routes that accept a password, an address or a link, used by `src/identity`. */
import { createHash } from 'node:crypto';
import { SetMetadata } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readEmailAddress } from '../access/index.js';
import type { RateLimits } from './rate-limits.js';

const AUTH_LIMIT = 'weir:auth-limit';

/**
 * Applies the limit per address (`WEIR_RATE_AUTH`) to a route or to all routes of a controller. The guard counts each name separately,
 * before the handler runs.
 *
 * @param name such as `login`; routes with the same name share a count
 */
export function AuthLimit(name: string): MethodDecorator & ClassDecorator {
  return SetMetadata(AUTH_LIMIT, name);
}

/** The name that `@AuthLimit` sets on a handler or its class. */
export function authLimitOf(...targets: readonly object[]): string | undefined {
  return targets.map((target) => Reflect.getMetadata(AUTH_LIMIT, target) as string | undefined).find(Boolean);
}

/** The address by which a request is counted: for IPv6 the /64 network, which one subscriber usually has. */
export function addressOf(request: Pick<FastifyRequest, 'ip'>): string {
  return normalizeIp(request.ip);
}

/** The limit that handlers check once they know the account. Accounts that do not exist are counted like any other. */
export class AuthLimits {
  constructor(private readonly limits: RateLimits) {}

  /**
   * Counts an attempt at an account from the request's address: at most 10 in 15 minutes. Each address has its own count, so nobody is
   * locked out of an account by somebody else's guesses.
   *
   * @param name as in `@AuthLimit`
   * @param account the submitted name of the account, such as the e-mail address in any spelling; only a digest is stored
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  async attempt(name: string, account: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = `${name}:${digest(account)}:${addressOf(request)}`;
    await this.limits.take('auth-attempts', key, (header, value) => void reply.header(header, value));
  }
}

/** Spellings of one address have one digest: they are compared in the form by which accounts are found. */
function digest(account: string): string {
  const name = readEmailAddress(account)?.key ?? account.trim().toLowerCase();
  return createHash('sha256').update(name).digest('base64url');
}
