/** Loads plugins, the shipped ones and those of npm packages, and refuses incompatible ones. It runs none of them. */
export { PLUGINS as SHIPPED_PLUGINS } from '../../plugins/index.js';
export { LoadedPlugins, PluginRegistryModule, type PluginRegistryModuleOptions } from './plugin-registry.module.js';
export { loadPlugins, PluginLoadError, type PluginRegistryOptions } from './plugin-registry.js';
export { addPacked, PackedList, packFindings } from './packed-findings.js';
export { packJoins, unpackingJoins } from './packed-joins.js';
export * from './scan-protocol.js';
