import type { AnyDetector } from './detector.js';
import type { AnyRemoteDetector } from './remote.js';
import type { LedgerPlugin } from './ledger.js';
import type { StructurePlugin } from './structure.js';

/** A detector of either kind: one in this process, or one that calls a service. */
export type CatalogDetector = AnyDetector | AnyRemoteDetector;

/** The plugins that are loaded: what a policy may name. */
export interface PluginCatalog {
  readonly detectors: readonly CatalogDetector[];
  readonly structures: readonly StructurePlugin[];
  readonly ledgers: readonly LedgerPlugin[];
  /** Set where some detectors are only described: loads the catalog in which all of them, or those named, can look. */
  readonly whole?: (ids?: ReadonlySet<string>) => Promise<PluginCatalog>;
}

/**
 * The catalog with detectors that can look: what to bind with, where a catalog may hold descriptions.
 *
 * @param ids the plugins that have to look: the others may stay described, which saves loading them; all when absent
 */
export function wholeCatalog(catalog: PluginCatalog, ids?: ReadonlySet<string>): Promise<PluginCatalog> {
  return catalog.whole?.(ids) ?? Promise.resolve(catalog);
}
