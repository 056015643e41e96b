import { Module } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AccessModule, KeyAuthenticator, Sessions, TokenAuthenticator } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Metrics } from '../metrics/index.js';
import { AddressLimit } from './address-limit.js';
import { AdmissionLimit } from './admission-limit.js';
import { AuthLimits } from './auth-limits.js';
import { BodyRooms, usualBodyRoom } from './body-limit.js';
import { BodySenders } from './body-senders.js';
import { EvaluateLimit } from './evaluate-limit.js';
import { LimitStorage, LimitStorageModule } from './limit-storage.js';
import { LimitGuard, THROTTLERS } from './limit.guard.js';
import { Overload } from './overload.js';
import { RateLimits } from './rate-limits.js';
import { throttlerStorage } from './storage-record.js';

function bodyRooms({ overload, workers }: AppConfig, metrics: Metrics): BodyRooms {
  const rooms = new BodyRooms(overload.bodyBytes ?? usualBodyRoom(workers.count));
  metrics.gauge('weir_body_bytes', 'Bytes of large request bodies in memory.', () => rooms.takenBytes);
  return rooms;
}

function bodySenders(
  host: HttpAdapterHost,
  rooms: BodyRooms,
  metrics: Metrics,
  keys: KeyAuthenticator,
  tokens: TokenAuthenticator,
  sessions: Sessions,
  work: Overload,
): BodySenders {
  const refused = metrics.count('weir_body_refused_total', 'Requests refused because the body memory was full.', []);
  const onRefused = (): void => refused({});
  return new BodySenders(host, rooms, { keys, tokens, sessions }, onRefused, (client, then) =>
    work.whenJudged(client, then),
  );
}

/** Counts requests, and provides the guards that other features use on their routes. */
@Module({
  imports: [
    AccessModule,
    LimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [LimitStorageModule],
      inject: [LimitStorage],
      useFactory: ({ shared }: LimitStorage) => ({ throttlers: [...THROTTLERS], storage: throttlerStorage(shared) }),
    }),
  ],
  providers: [
    {
      provide: RateLimits,
      inject: [APP_CONFIG, LimitStorage, Metrics],
      useFactory: (config: AppConfig, { shared }: LimitStorage, metrics: Metrics) =>
        new RateLimits(config, shared, (limit, outcome) => metrics.rateLimited(limit, outcome)),
    },
    {
      provide: AddressLimit,
      inject: [HttpAdapterHost, APP_CONFIG, LimitStorage, Metrics],
      useFactory: (host: HttpAdapterHost, config: AppConfig, { own }: LimitStorage, metrics: Metrics) =>
        new AddressLimit(host, new RateLimits(config, own, (limit, outcome) => metrics.rateLimited(limit, outcome))),
    },
    { provide: BodyRooms, inject: [APP_CONFIG, Metrics], useFactory: bodyRooms },
    {
      provide: BodySenders,
      inject: [HttpAdapterHost, BodyRooms, Metrics, KeyAuthenticator, TokenAuthenticator, Sessions, Overload],
      useFactory: bodySenders,
    },
    { provide: AdmissionLimit, inject: [RateLimits], useFactory: (limits: RateLimits) => new AdmissionLimit(limits) },
    { provide: EvaluateLimit, inject: [RateLimits], useFactory: (limits: RateLimits) => new EvaluateLimit(limits) },
    { provide: AuthLimits, inject: [RateLimits], useFactory: (limits: RateLimits) => new AuthLimits(limits) },
    { provide: APP_GUARD, useClass: LimitGuard },
    Overload,
  ],
  exports: [AdmissionLimit, AuthLimits, BodyRooms, EvaluateLimit, Overload, RateLimits],
})
export class LimitsModule {}
