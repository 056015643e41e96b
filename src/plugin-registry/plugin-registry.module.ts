import { Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import { PLUGINS } from '../../plugins/index.js';
import { loadPlugins, type PluginRegistryOptions } from './plugin-registry.js';
import type { ScanWorkerData } from './scan-protocol.js';

/** Injection token of the loaded `PluginCatalog`. */
export const PLUGIN_CATALOG = Symbol('PLUGIN_CATALOG');

/**
 * Injection token of what a thread that scans needs to load the same plugins: `ScanWorkerData`, or undefined where it could
 * not, because the process was handed plugins that no file holds.
 */
export const SCAN_WORKER_DATA = Symbol('SCAN_WORKER_DATA');

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
        { provide: SCAN_WORKER_DATA, inject: [REGISTRY_OPTIONS], useFactory: scanWorkerData },
      ],
      exports: [PLUGIN_CATALOG, SCAN_WORKER_DATA],
    };
  }
}

function scanWorkerData({ shipped, packages, importPackage }: PluginRegistryOptions): ScanWorkerData | undefined {
  return shipped === PLUGINS && importPackage === undefined ? { packages } : undefined;
}
