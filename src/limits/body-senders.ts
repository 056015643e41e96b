import type { OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type KeyAuthenticator, type Sessions, sessionTokenOf, type TokenAuthenticator } from '../access/index.js';
import { bearerOf } from '../http/index.js';
import type { BodyParty } from '../overload/index.js';
import { addressOf } from './auth-limits.js';
import { type AfterWork, type BodyRooms, keepBodiesInRoom, type Senders } from './body-limit.js';

/** Routes under these prefixes need a key, a token or a session. */
const WITH_CREDENTIALS: readonly string[] = ['/v1/', '/proxy/'];

export interface Authenticators {
  readonly keys: Pick<KeyAuthenticator, 'authenticate'>;
  readonly tokens: Pick<TokenAuthenticator, 'authenticate'>;
  readonly sessions: Pick<Sessions, 'peek'>;
}

/** Looks up the sender of a large body before it is read, so that an invalid credential cannot occupy memory. */
export class BodySenders implements OnModuleInit, Senders {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly rooms: BodyRooms,
    private readonly access: Authenticators,
    private readonly onRefused: () => void,
    private readonly afterWork: AfterWork,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    keepBodiesInRoom(server, this.rooms, this, this.onRefused, this.afterWork);
  }

  wantsCredential({ routeOptions: { url } }: FastifyRequest): boolean {
    return url !== undefined && WITH_CREDENTIALS.some((prefix) => url.startsWith(prefix));
  }

  async of(request: FastifyRequest): Promise<BodyParty | null> {
    const { keys, tokens, sessions } = this.access;
    const serviceKey = request.headers['x-service-key'];
    for (const key of [[serviceKey].flat()[0], bearerOf(request)]) {
      const caller = await keys.authenticate(key);
      if (caller !== null) return [caller.accountId, caller.keyId];
    }
    const manager = await tokens.authenticate(bearerOf(request));
    if (manager !== null) return [manager.accountId, manager.tokenId];
    const token = sessionTokenOf(request);
    // The lookup does not extend the session.
    const session = token === undefined ? null : await sessions.peek(token);
    return session === null ? null : [session.accountId, session.personId];
  }

  strangerOf(request: FastifyRequest): BodyParty {
    return ['', addressOf(request)];
  }
}
