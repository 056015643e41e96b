import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { addressOf } from './auth-limits.js';
import { RateLimits } from './rate-limits.js';

/** Injection token of the `RateLimits` that ask no other service. */
export const LOCAL_LIMITS = Symbol('LOCAL_LIMITS');

/**
 * A generous limit per address on every request, counted in this process before anything else is done for it: neither the
 * database nor Redis is asked. Answers tell nothing of it until it is passed.
 */
@Injectable()
export class AddressLimit implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(LOCAL_LIMITS) private readonly limits: RateLimits,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', async (request, reply) => {
      const told: [string, string][] = [];
      try {
        await this.limits.take('address', addressOf(request), (name, value) => void told.push([name, value]));
      } catch (error) {
        for (const [name, value] of told) reply.header(name, value);
        throw error;
      }
    });
  }
}
