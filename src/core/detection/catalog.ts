import type { AnyDetector } from './detector.js';
import type { AnyRemoteDetector } from './remote.js';
import type { LedgerPlugin } from './ledger.js';
import type { StructurePlugin } from './structure.js';

/** A detector of either kind: one in this process, or one that calls a service. */
export type CatalogDetector = AnyDetector | AnyRemoteDetector;

/** The loaded plugins, which a policy may name. */
export interface PluginCatalog {
  readonly detectors: readonly CatalogDetector[];
  readonly structures: readonly StructurePlugin[];
  readonly ledgers: readonly LedgerPlugin[];
  /** Set if some detectors are only descriptions: loads a catalog in which all detectors, or those with these ids, can scan. */
  readonly whole?: (ids?: ReadonlySet<string>) => Promise<PluginCatalog>;
}

/**
 * Loads the catalog with detectors that can scan. Use it before binding, because a catalog may contain only descriptions.
 *
 * @param ids the plugins that must be able to scan (default: all); the others may stay descriptions, to save loading them
 */
export function wholeCatalog(catalog: PluginCatalog, ids?: ReadonlySet<string>): Promise<PluginCatalog> {
  return catalog.whole?.(ids) ?? Promise.resolve(catalog);
}
