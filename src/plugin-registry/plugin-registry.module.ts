import { Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import { loadPlugins, type PluginRegistryOptions } from './plugin-registry.js';

/** Injection token of the loaded `PluginCatalog`. */
export const PLUGIN_CATALOG = Symbol('PLUGIN_CATALOG');

export interface PluginRegistryModuleOptions {
  readonly imports?: ModuleMetadata['imports'];
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: FactoryProvider<PluginRegistryOptions>['useFactory'];
}

const REGISTRY_OPTIONS = Symbol('PLUGIN_REGISTRY_OPTIONS');

/** Hands out the one catalog of the process. The application does not come up when a plugin cannot be loaded. */
@Module({})
export class PluginRegistryModule {
  static forRootAsync({ imports, inject, useFactory }: PluginRegistryModuleOptions): DynamicModule {
    return {
      module: PluginRegistryModule,
      global: true,
      imports: imports ?? [],
      providers: [
        { provide: REGISTRY_OPTIONS, inject: inject ?? [], useFactory },
        { provide: PLUGIN_CATALOG, inject: [REGISTRY_OPTIONS], useFactory: loadPlugins },
      ],
      exports: [PLUGIN_CATALOG],
    };
  }
}
