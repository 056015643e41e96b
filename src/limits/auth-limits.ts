/** The stricter limits of routes that accept a password, an address or a link, used by `src/identity`. */
import { createHash } from 'node:crypto';
import { SetMetadata } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from './rate-limits.js';

const AUTH_LIMIT = 'weir:auth-limit';

/**
 * Puts the limit per address on a route (or on all of a controller): `WEIR_RATE_AUTH`, counted apart for each name, by the
 * guard, before the handler runs.
 *
 * @param name such as `login`; routes with one name share a count
 */
export function AuthLimit(name: string): MethodDecorator & ClassDecorator {
  return SetMetadata(AUTH_LIMIT, name);
}

/** What a handler or its class says with `@AuthLimit`. */
export function authLimitOf(...targets: readonly object[]): string | undefined {
  return targets.map((target) => Reflect.getMetadata(AUTH_LIMIT, target) as string | undefined).find(Boolean);
}

/** The address that a request is counted by: of IPv6 the network of 64 bits, which is what one subscriber has. */
export function addressOf(request: Pick<FastifyRequest, 'ip'>): string {
  return normalizeIp(request.ip);
}

/** What handlers call once they know which account is meant. Accounts that do not exist are counted like any other. */
export class AuthLimits {
  constructor(private readonly limits: RateLimits) {}

  /**
   * Counts an attempt at an account from this request's address: 10 in 15 minutes. Other addresses have their own count,
   * so nobody can be shut out of their account by somebody else's guesses.
   *
   * @param name as in `@AuthLimit`
   * @param account what names the account, such as the e-mail address as it was sent; only a digest of it is kept
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  attempt(name: string, account: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = `${name}:${digest(account)}:${addressOf(request)}`;
    return this.limits.take('auth-attempts', key, (header, value) => void reply.header(header, value));
  }
}

function digest(account: string): string {
  return createHash('sha256').update(account.trim().toLowerCase()).digest('base64url');
}
