import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from './access/index.js';
import { APP_CONFIG, ConfigModule, type AppConfig } from './config/index.js';
import type { PluginCatalog } from './core/index.js';
import { DatabaseModule } from './database/index.js';
import { EventsModule } from './events/index.js';
import { GatewayModule } from './gateway/index.js';
import { HealthModule } from './health/index.js';
import { HttpModule, type Logger } from './http/index.js';
import { Metrics, MetricsModule } from './metrics/index.js';
import { PolicyStoreModule } from './policy-store/index.js';

/** What the application is given besides its settings. */
export interface AppParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly plugins: PluginCatalog;
}

/** The whole service, put together from its features. */
@Module({})
export class AppModule {
  static forRoot(config: AppConfig, { logger, metrics, plugins }: AppParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        HttpModule.forRoot(logger),
        MetricsModule.forRoot(metrics),
        DatabaseModule,
        AccessModule,
        PolicyStoreModule.forRootAsync({
          inject: [APP_CONFIG],
          useFactory: ({ policies }: AppConfig) => ({
            directory: policies.dir,
            watch: policies.watch,
            plugins,
          }),
        }),
        EventsModule,
        GatewayModule,
        HealthModule,
      ],
    };
  }
}
