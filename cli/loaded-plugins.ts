import { isSea } from 'node:sea';
import { constants, Script } from 'node:vm';
import type { PluginCatalog } from '../src/core/index.js';
import { usageError } from './exit-code.js';
import { write, type Io } from './io.js';
import { hasPluginSettings } from './offline.js';

/**
 * Loads the built-in plugins, some without their code (see `wholeCatalog`), and those of the npm packages named in the settings, as the
 * server does.
 *
 * @throws CliError exit 2 for invalid settings and for packages that cannot be loaded; stderr names each of them
 */
export async function loadedPlugins(io: Io): Promise<PluginCatalog> {
  if (!hasPluginSettings(io.env)) return (await import('../plugins/described.js')).DESCRIBED;
  const { PLUGINS } = await import('../plugins/index.js');
  const { serverConfig } = await import('./server/with-database.js');
  const { plugins } = await serverConfig(io);
  if (plugins.length === 0) return PLUGINS;
  const { loadPlugins, PluginLoadError } = await import('../src/plugin-registry/index.js');
  try {
    return await loadPlugins({ shipped: PLUGINS, packages: plugins, ...(isSea() && { importPackage: importHere() }) });
  } catch (error) {
    if (!(error instanceof PluginLoadError)) throw error;
    await write(io.stderr, `${error.message}\n`);
    throw usageError('WEIR_PLUGINS names a package that cannot be loaded');
  }
}

/**
 * Imports packages as a module in the current folder would. A single executable has no packages next to it, and `import` in its
 * embedded code finds only Node's own modules (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html).
 */
function importHere(): (name: string) => Promise<unknown> {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script('(name) => import(name)', { importModuleDynamically }).runInThisContext() as (
    name: string,
  ) => Promise<unknown>;
}
