/**
 * The service: this folder joins the features and starts the process. Features are folders; scripts/layers.mjs defines which
 * folder may import which others.
 */
import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from './access/index.js';
import { AppsModule } from './apps/index.js';
import { AttentionModule } from './attention/index.js';
import { AdminAuditModule } from './admin-audit/index.js';
import { BudgetsModule } from './budgets/index.js';
import { CallChecksModule } from './call-checks/index.js';
import { Composition } from './composition.js';
import { ConfigModule, type AppConfig } from './config/index.js';
import type { PluginCatalog } from './core/index.js';
import { DashboardModule } from './dashboard/index.js';
import { DatabaseModule } from './database/index.js';
import { DeploymentsModule } from './deployments/index.js';
import { ErasureModule } from './erasure/index.js';
import { EventsModule } from './events/index.js';
import { ExportsModule } from './exports/index.js';
import { GatewayModule } from './gateway/index.js';
import { HealthModule } from './health/index.js';
import { HttpModule, type Logger } from './http/index.js';
import { IdentityModule } from './identity/index.js';
import { IngestModule } from './ingest/index.js';
import { InquiriesModule } from './inquiries/index.js';
import { InsightModule } from './insight/index.js';
import { MeModule } from './me/index.js';
import { Metrics, MetricsModule } from './metrics/index.js';
import { LoadedPlugins, PluginRegistryModule } from './plugin-registry/index.js';
import { PolicyStoreModule } from './policy-store/index.js';
import { ProcessesModule, type SupervisorLine } from './processes/index.js';
import { ViewsModule } from './views/index.js';

/** The parts that the application receives in addition to its settings. */
export interface AppParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The plugins, by default those that are shipped with Weir. */
  readonly plugins: PluginCatalog;
  /** The connection to the supervisor, if there is one. */
  readonly line: SupervisorLine | null;
}

/** The whole service, assembled from its features. */
@Module({})
export class AppModule {
  static forRoot(config: AppConfig, { logger, metrics, plugins, line }: AppParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        HttpModule.forRoot(logger),
        ProcessesModule.forRoot(line),
        MetricsModule.forRoot(metrics),
        DatabaseModule,
        AdminAuditModule,
        AccessModule,
        IdentityModule,
        PluginRegistryModule.forRootAsync({
          useFactory: () => ({ shipped: plugins, packages: config.plugins }),
        }),
        PolicyStoreModule.forRootAsync({
          inject: [LoadedPlugins],
          useFactory: ({ catalog }: LoadedPlugins) => ({
            directory: config.policies.dir,
            watch: config.policies.watch,
            plugins: catalog,
          }),
        }),
        DeploymentsModule,
        Composition,
        IngestModule,
        EventsModule,
        ExportsModule,
        ErasureModule,
        GatewayModule,
        CallChecksModule,
        BudgetsModule,
        InquiriesModule,
        InsightModule,
        MeModule,
        AttentionModule,
        AppsModule,
        ViewsModule,
        HealthModule,
        DashboardModule,
      ],
    };
  }
}
