import type { PluginCatalog } from '../core/index.js';
import type { Trial } from './trial.js';

/** The input of the worker thread when it starts. */
export interface VettingData {
  /** npm names of packages with further plugins, as the settings name them. */
  readonly packages: readonly string[];
  /** The plugins that the service has, as `pluginNames` gives them. */
  readonly plugins: readonly string[];
}

/** The names of the plugins of a catalog, by which two catalogs are compared. */
export function pluginNames({ detectors, structures, ledgers }: PluginCatalog): string[] {
  return [...detectors, ...structures, ...ledgers]
    .map(({ meta: { id, version, revision } }) => `${id} ${version} ${revision}`)
    .sort();
}

/** Nodes of files that were read without a problem, as `dumpNodes` gives them. */
export type Readings = readonly { readonly path: string; readonly nodes: string }[];

/** The result of an upload in the worker: why it is refused, or the readings that the service need not repeat. */
export type Verdict = ({ readonly refusal: Extract<Trial, { ok: false }> } | { readonly readings: Readings }) & {
  /** CPU time that it took, milliseconds. */
  readonly workMs: number;
};

/** The maximum CPU time of one piece of a trial: calls may have to wait for it when a deployment is activated. */
export const MAX_PIECE_MS = 500;
