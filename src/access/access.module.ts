import { Module } from '@nestjs/common';
import { AdminAudit } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseClock, DatabaseModule } from '../database/index.js';
import { Metrics } from '../metrics/index.js';
import { ApiKeys } from './api-keys.js';
import { Apps } from './apps.js';
import { Bootstrap } from './bootstrap.js';
import { AHEAD_DEFAULTS, CACHE_DEFAULTS } from './credential-cache.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { AppsController } from './management/apps.controller.js';
import { AuditReader } from './management/audit-reader.js';
import { AuditController } from './management/audit.controller.js';
import { KeyMakers } from './management/key-makers.js';
import { KeysController } from './management/keys.controller.js';
import { TokensController } from './management/tokens.controller.js';
import { ManagementAccess } from './management-access.js';
import { ManagementTokens } from './management-tokens.js';
import { Revocations } from './revocations.js';
import { Sessions } from './sessions.js';
import { TokenAuthenticator } from './token-authenticator.js';
import { TokenKeys } from './token-keys.js';

const NOTICES_HELP =
  '1 while other processes notify this process of changes, such as deleted keys; 0 while this process polls instead, and notices changed keys and tokens within a second.';

/** Provides the authenticators; times of last use are written before the database is closed. */
@Module({
  imports: [DatabaseModule],
  controllers: [AppsController, AuditController, KeysController, TokensController],
  providers: [
    {
      provide: Revocations,
      inject: [Database, Metrics],
      useFactory: (database: Database, metrics: Metrics): Revocations => {
        metrics.gauge('weir_notices_connected', NOTICES_HELP, () => (database.isHearing ? 1 : 0), 'min');
        return new Revocations(database);
      },
    },
    {
      provide: KeyAuthenticator,
      inject: [Database, Revocations],
      useFactory: (database: Database, revocations: Revocations): KeyAuthenticator => {
        const authenticator = new KeyAuthenticator(database.callSql, () => database.clock.now(), {
          ...CACHE_DEFAULTS,
          ahead: AHEAD_DEFAULTS,
        });
        revocations.onRevoked((accountId) => authenticator.forget(accountId));
        database.beforeClose(() => authenticator.settle());
        return authenticator;
      },
    },
    {
      provide: TokenAuthenticator,
      inject: [Database, Revocations],
      useFactory: (database: Database, revocations: Revocations): TokenAuthenticator => {
        const authenticator = new TokenAuthenticator(database.callSql, () => database.clock.now());
        revocations.onRevoked((accountId) => authenticator.forget(accountId));
        database.beforeClose(() => authenticator.settle());
        return authenticator;
      },
    },
    {
      provide: ApiKeys,
      inject: [Database, AdminAudit, Revocations],
      useFactory: (...parts: ConstructorParameters<typeof ApiKeys>) => new ApiKeys(...parts),
    },
    {
      provide: Apps,
      inject: [Database, AdminAudit, Revocations],
      useFactory: (...parts: ConstructorParameters<typeof Apps>) => new Apps(...parts),
    },
    {
      provide: ManagementTokens,
      inject: [Database, AdminAudit, Revocations],
      useFactory: (...parts: ConstructorParameters<typeof ManagementTokens>) => new ManagementTokens(...parts),
    },
    {
      provide: KeyMakers,
      inject: [Database],
      useFactory: (database: Database) => new KeyMakers(database),
    },
    {
      provide: AuditReader,
      inject: [Database, AdminAudit],
      useFactory: (...parts: ConstructorParameters<typeof AuditReader>) => new AuditReader(...parts),
    },
    {
      provide: Sessions,
      inject: [Database],
      useFactory: ({ callSql, clock }: Database) => new Sessions(callSql, () => clock.now()),
    },
    {
      provide: ManagementAccess,
      inject: [TokenAuthenticator, Sessions, DatabaseClock],
      useFactory: (tokens: TokenAuthenticator, sessions: Sessions, clock: DatabaseClock) =>
        new ManagementAccess(tokens, sessions, () => clock.nowMs()),
    },
    {
      provide: Bootstrap,
      inject: [Database, APP_CONFIG],
      useFactory: (database: Database, config: AppConfig) => new Bootstrap(database, config.dataDir),
    },
    {
      provide: TokenKeys,
      inject: [Database, APP_CONFIG],
      useFactory: (database: Database, { tokenSecret }: AppConfig) => new TokenKeys(database.sql, tokenSecret),
    },
  ],
  exports: [
    ...[KeyAuthenticator, TokenAuthenticator, ManagementAccess, Sessions, ApiKeys, Bootstrap, TokenKeys],
    ...[Apps, ManagementTokens, Revocations],
  ],
})
export class AccessModule {}
