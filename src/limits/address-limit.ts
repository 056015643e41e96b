import type { OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { addressOf } from './auth-limits.js';
import type { RateLimits } from './rate-limits.js';

/**
 * A generous limit per address on every request, counted in this process before any other work, without the database and Redis. Answers
 * have no `RateLimit` headers for it until it is exceeded.
 */
export class AddressLimit implements OnModuleInit {
  /** @param limits counted in this process only */
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limits: RateLimits,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', async (request, reply) => {
      const headers: [string, string][] = [];
      try {
        await this.limits.take('address', addressOf(request), (name, value) => void headers.push([name, value]));
      } catch (error) {
        for (const [name, value] of headers) reply.header(name, value);
        throw error;
      }
    });
  }
}
