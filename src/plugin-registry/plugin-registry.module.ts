import { Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import type { PluginCatalog } from '../core/index.js';
import { PLUGINS } from '../../plugins/index.js';
import { loadPlugins, type PluginRegistryOptions } from './plugin-registry.js';
import type { ScanWorkerData } from './scan-protocol.js';

/** The plugins of the process, for `provide` and `inject`. */
export class LoadedPlugins {
  constructor(
    readonly catalog: PluginCatalog,
    /**
     * The data with which a thread loads the same plugins; undefined if they are objects of this process and cannot be loaded from
     * files.
     */
    readonly forThreads: ScanWorkerData | undefined,
  ) {}
}

export interface PluginRegistryModuleOptions {
  readonly imports?: ModuleMetadata['imports'];
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: FactoryProvider<PluginRegistryOptions>['useFactory'];
}

/** Provides the catalog of the process. The application does not start if a plugin cannot be loaded. */
@Module({})
export class PluginRegistryModule {
  static forRootAsync({ imports, inject, useFactory }: PluginRegistryModuleOptions): DynamicModule {
    return {
      module: PluginRegistryModule,
      global: true,
      imports: imports ?? [],
      providers: [
        {
          provide: LoadedPlugins,
          inject: inject ?? [],
          useFactory: async (...given: unknown[]): Promise<LoadedPlugins> => {
            const options = await useFactory(...given);
            return new LoadedPlugins(await loadPlugins(options), scanWorkerData(options));
          },
        },
      ],
      exports: [LoadedPlugins],
    };
  }
}

function scanWorkerData({ shipped, packages, importPackage }: PluginRegistryOptions): ScanWorkerData | undefined {
  return shipped === PLUGINS && importPackage === undefined ? { packages } : undefined;
}
