import { Module } from '@nestjs/common';
import { AdminAudit } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { ApiKeys } from './api-keys.js';
import { Apps } from './apps.js';
import { Bootstrap } from './bootstrap.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { AccountController } from './management/account.controller.js';
import { AuditController } from './management/audit.controller.js';
import { KeysController } from './management/keys.controller.js';
import { TokensController } from './management/tokens.controller.js';
import { ManagementAccess } from './management-access.js';
import { ManagementTokens } from './management-tokens.js';
import { Sessions } from './sessions.js';
import { TokenAuthenticator } from './token-authenticator.js';
import { TokenKeys } from './token-keys.js';

/** Hands out the authenticators; notes of last use are written before the database closes. */
@Module({
  imports: [DatabaseModule],
  controllers: [AccountController, AuditController, KeysController, TokensController],
  providers: [
    {
      provide: KeyAuthenticator,
      inject: [Database],
      useFactory: (database: Database): KeyAuthenticator => {
        const authenticator = new KeyAuthenticator(database.sql);
        database.beforeClose(() => authenticator.settle());
        return authenticator;
      },
    },
    {
      provide: TokenAuthenticator,
      inject: [Database],
      useFactory: (database: Database): TokenAuthenticator => {
        const authenticator = new TokenAuthenticator(database.sql);
        database.beforeClose(() => authenticator.settle());
        return authenticator;
      },
    },
    {
      provide: ApiKeys,
      inject: [Database, AdminAudit],
      useFactory: (database: Database, audit: AdminAudit) => new ApiKeys(database, audit),
    },
    {
      provide: Apps,
      inject: [Database, AdminAudit],
      useFactory: (database: Database, audit: AdminAudit) => new Apps(database, audit),
    },
    {
      provide: ManagementTokens,
      inject: [Database, AdminAudit],
      useFactory: (database: Database, audit: AdminAudit) => new ManagementTokens(database, audit),
    },
    { provide: Sessions, inject: [Database], useFactory: ({ sql }: Database) => new Sessions(sql) },
    {
      provide: ManagementAccess,
      inject: [TokenAuthenticator, Sessions],
      useFactory: (tokens: TokenAuthenticator, sessions: Sessions) => new ManagementAccess(tokens, sessions),
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
    ...[Apps, ManagementTokens],
  ],
})
export class AccessModule {}
