import { join } from 'node:path';
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, Revocations, Sessions } from '../access/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { LOGGER, type Logger } from '../http/index.js';
import { LimitsModule } from '../limits/index.js';
import { CredentialsController } from './credentials.controller.js';
import { EmailTokens } from './email-tokens.js';
import { Identity } from './identity.js';
import { acceptsCookie } from './cookie-acceptance.js';
import { MailDecisions } from './mail/mail-decisions.js';
import { fileMailer, smtpMailer } from './mail/mailer.js';
import { MailOutbox } from './mail/outbox.js';
import { OutboxWorker } from './mail/outbox-worker.js';
import { PasswordRules } from './password-rules.js';
import { SessionController } from './session.controller.js';
import { SignUpController } from './sign-up.controller.js';

/** The module for people. Requested mail is sent, or at least stored, before the database is closed. */
@Module({
  imports: [AccessModule, DatabaseModule, LimitsModule],
  controllers: [SignUpController, SessionController, CredentialsController],
  providers: [
    {
      provide: MailOutbox,
      inject: [Database],
      useFactory: ({ sql, clock }: Database) => new MailOutbox(sql, () => clock.now()),
    },
    {
      provide: EmailTokens,
      inject: [Database],
      useFactory: ({ sql, clock }: Database) => new EmailTokens(sql, () => clock.now()),
    },
    {
      provide: OutboxWorker,
      inject: [Database, MailOutbox, EmailTokens, AdminAudit, Sessions, APP_CONFIG, LOGGER],
      useFactory: (
        database: Database,
        outbox: MailOutbox,
        tokens: EmailTokens,
        audit: AdminAudit,
        sessions: Sessions,
        config: AppConfig,
        log: Logger,
      ): OutboxWorker => {
        const { smtpUrl, from } = config.mail;
        const worker = new OutboxWorker({
          sql: database.sql,
          outbox,
          tokens,
          decisions: new MailDecisions(outbox, audit, sessions, () => database.clock.now()),
          mailer:
            smtpUrl === undefined ? fileMailer(join(config.dataDir, 'outbox'), from, log) : smtpMailer(smtpUrl, from),
          baseUrl: config.server.baseUrl,
          log,
          nowMs: () => database.clock.nowMs(),
        });
        database.beforeClose(() => worker.close());
        worker.start();
        return worker;
      },
    },
    {
      provide: Identity,
      inject: [Database, Sessions, Revocations, MailOutbox, OutboxWorker, EmailTokens, AdminAudit],
      useFactory: (
        database: Database,
        sessions: Sessions,
        revocations: Revocations,
        outbox: MailOutbox,
        worker: OutboxWorker,
        tokens: EmailTokens,
        audit: AdminAudit,
      ): Identity => {
        const passwords = new PasswordRules();
        database.beforeClose(() => passwords.close());
        const { sql, clock } = database;
        return new Identity({
          ...{ sql, sessions, revocations, outbox, worker, tokens, audit, passwords },
          now: () => clock.now(),
        });
      },
    },
  ],
})
export class IdentityModule implements OnModuleInit {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Warns if browsers would reject the session cookie: they accept it over `https:`, and from their own machine. */
  onModuleInit(): void {
    const { protocol, hostname } = new URL(this.config.server.baseUrl);
    if (!acceptsCookie(protocol, hostname)) {
      this.log.warn('WEIR_BASE_URL is plain http: browsers on other machines cannot stay signed in');
    }
  }
}
