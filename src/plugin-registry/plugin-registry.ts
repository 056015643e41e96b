import { catalogSource, joinCatalog, type PluginCatalog, type PluginSource } from '../core/index.js';

export interface PluginRegistryOptions {
  /** The plugins that come with the service. */
  readonly shipped: PluginCatalog;
  /** npm names of packages with further plugins, from the operator's settings. */
  readonly packages: readonly string[];
  /** How a package is imported; default `import()`. */
  readonly importPackage?: (name: string) => Promise<unknown>;
}

/** Plugins that cannot be loaded. `problems` names every one, never what a plugin contains. */
export class PluginLoadError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`plugins cannot be loaded:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'PluginLoadError';
  }
}

/** A bare npm name, scoped or not: never a path or a URL, so that settings cannot load an arbitrary file. */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._~-]{0,100}\/)?[a-z0-9][a-z0-9._~-]{0,200}$/;

/**
 * Joins the shipped plugins and those of the named packages into one catalog.
 *
 * @throws PluginLoadError naming every package that cannot be imported, every bad shape, duplicate id and duplicate
 * fact root at once. Nothing is loaded in part: a missing detector would be a silent hole.
 */
export async function loadPlugins(options: PluginRegistryOptions): Promise<PluginCatalog> {
  const importPackage = options.importPackage ?? ((name: string): Promise<unknown> => import(name));
  const problems: string[] = [];
  const sources: PluginSource[] = [catalogSource('Weir', options.shipped)];
  for (const name of new Set(options.packages)) {
    if (!PACKAGE_NAME.test(name)) {
      problems.push('one of the package names is not an npm package name');
      continue;
    }
    try {
      sources.push({ name, module: await importPackage(name) });
    } catch (error) {
      problems.push(`${name} cannot be imported (${codeOf(error)}): is it installed?`);
    }
  }
  const joined = joinCatalog(sources);
  problems.push(...joined.problems);
  if (problems.length > 0) throw new PluginLoadError(problems);
  return joined.catalog;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
