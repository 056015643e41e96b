import { Logger, Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import { PolicyStore, type PolicyStoreOptions } from './policy-store.js';

export interface PolicyStoreModuleOptions {
  readonly imports?: ModuleMetadata['imports'];
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: FactoryProvider<PolicyStoreOptions>['useFactory'];
}

/**
 * Provides one started `PolicyStore`. The application does not start if the policies do not compile: creating it rejects with the
 * `PolicyLoadError`.
 */
@Module({})
export class PolicyStoreModule {
  static forRootAsync({ imports, inject, useFactory }: PolicyStoreModuleOptions): DynamicModule {
    return {
      module: PolicyStoreModule,
      global: true,
      imports: imports ?? [],
      providers: [
        {
          provide: PolicyStore,
          inject: inject ?? [],
          useFactory: async (...given: unknown[]): Promise<PolicyStore> => {
            const store = new PolicyStore(await useFactory(...given), {
              log: logThroughNest(),
              nowMs: () => Date.now(),
            });
            await store.start();
            return store;
          },
        },
      ],
      exports: [PolicyStore],
    };
  }
}

function logThroughNest() {
  const logger = new Logger(PolicyStore.name);
  return {
    info: (message: string): void => logger.log(message),
    warn: (message: string): void => logger.warn(message),
    error: (message: string): void => logger.error(message),
  };
}
