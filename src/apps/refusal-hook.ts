import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { KeyAuthenticator } from '../access/index.js';
import { ERROR_STATUS, subjectOf } from '../http/index.js';
import { Refusals } from './refusals.js';

/** Counts refused calls: those answered with an error that no event records, and those whose key has a known id but is not valid. */
@Injectable()
export class RefusalHook implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(KeyAuthenticator) private readonly keys: KeyAuthenticator,
    @Inject(Refusals) private readonly refusals: Refusals,
  ) {}

  onModuleInit(): void {
    this.keys.onRefused((key) =>
      this.refusals.note({ ...key, status: ERROR_STATUS.authentication_error, type: 'authentication_error' }),
    );
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onResponse', (request, _reply, done) => {
      const { accountId, appId, environment, refused } = subjectOf(request);
      if (accountId !== undefined && appId !== undefined && environment !== undefined && refused !== undefined) {
        this.refusals.note({ accountId, appId, environment, status: ERROR_STATUS[refused], type: refused });
      }
      done();
    });
  }
}
