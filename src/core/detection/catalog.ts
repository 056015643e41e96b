import type { AnyDetector } from './detector.js';
import type { StructurePlugin } from './structure.js';

/** The plugins that are loaded: what a policy may name. */
export interface PluginCatalog {
  readonly detectors: readonly AnyDetector[];
  readonly structures: readonly StructurePlugin[];
}
