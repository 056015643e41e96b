import type { AnyDetector } from './detector.js';
import type { AnyRemoteDetector } from './remote.js';
import type { StructurePlugin } from './structure.js';

/** A detector, wherever it looks: in this process, or by asking a service. */
export type CatalogDetector = AnyDetector | AnyRemoteDetector;

/** The plugins that are loaded: what a policy may name. */
export interface PluginCatalog {
  readonly detectors: readonly CatalogDetector[];
  readonly structures: readonly StructurePlugin[];
}
