import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Sessions, sessionTokenOf, TokenAuthenticator } from '../access/index.js';
import { bearerOf } from '../http/index.js';
import { addressOf, authLimitOf } from './auth-limits.js';
import { RateLimits } from './rate-limits.js';

/** The throttler's list of names: the limits themselves come from `RateLimits`, which reads the settings. */
export const THROTTLERS = [
  { name: 'auth', limit: 0, ttl: 0 },
  { name: 'management', limit: 0, ttl: 0 },
] as const;

const MANAGEMENT_PREFIX = '/v1/';
/** Routes with a limit per app, which is counted once the key is known, or without a limit. */
const WITH_KEYS: ReadonlySet<string> = new Set([
  'POST /v1/events',
  'POST /v1/events::batch',
  'POST /v1/calls/:call/answer',
  'POST /v1/calls/answers',
  'GET /v1/calls/routes',
]);

/**
 * The throttler's guard on every controller: reads and management are counted per account, routes with `@AuthLimit` per
 * address. A request without valid credentials has no account; the limit per address has counted it before.
 */
@Injectable()
export class LimitGuard extends ThrottlerGuard {
  /** The names from `@AuthLimit` by handler, cached so that decorators are read once. */
  private readonly authNames = new Map<unknown, { readonly of: unknown; readonly name: string | undefined }>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    @Inject(Reflector) reflector: Reflector,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(TokenAuthenticator) private readonly tokens: TokenAuthenticator,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {
    super(options, storage, reflector);
  }

  /** Routes with keys are not counted here, so the throttler need not read their decorators. */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isCountedByKey(request) && this.authNameOf(context) === undefined) return Promise.resolve(true);
    return super.canActivate(context);
  }

  protected override async handleRequest({ context, throttler }: ThrottlerRequest): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const key = throttler.name === 'auth' ? this.authKey(context, request) : await this.accountOf(request);
    if (key === undefined) return true;
    const name = throttler.name === 'auth' ? 'auth' : 'management';
    await this.limits.take(name, key, (header, value) => void reply.header(header, value));
    return true;
  }

  private authKey(context: ExecutionContext, request: FastifyRequest): string | undefined {
    const name = this.authNameOf(context);
    return name === undefined ? undefined : `${name}:${addressOf(request)}`;
  }

  private authNameOf(context: ExecutionContext): string | undefined {
    const [handler, of] = [context.getHandler(), context.getClass()];
    const known = this.authNames.get(handler);
    if (known !== undefined && known.of === of) return known.name;
    const name = authLimitOf(handler, of);
    this.authNames.set(handler, { of, name });
    return name;
  }

  private async accountOf(request: FastifyRequest): Promise<string | undefined> {
    if (request.routeOptions.url?.startsWith(MANAGEMENT_PREFIX) !== true || isCountedByKey(request)) return undefined;
    const manager = await this.tokens.authenticate(bearerOf(request));
    if (manager !== null && manager !== undefined) return manager.accountId;
    // Counting a request does not extend its session; its handler decides that.
    const token = sessionTokenOf(request);
    return token === undefined ? undefined : (await this.sessions.peek(token))?.accountId;
  }
}

/** Whether requests of this route are counted later, once their key is known. */
function isCountedByKey({ routeOptions: { url, method } }: FastifyRequest): boolean {
  return WITH_KEYS.has(`${[method].flat()[0]} ${url}`);
}
