import type { CompiledPolicy, DetectorBinding } from '../policy/compiled.js';
import type { PluginCatalog } from './catalog.js';
import type { Scan } from './detector.js';

/** A detector as one policy uses it: options applied, codes chosen, ready to scan. */
export interface BoundDetector {
  readonly binding: DetectorBinding;
  readonly scan: Scan;
}

/**
 * Creates the scans of a compiled policy's detectors. Done once per activation: `create` may precompute.
 * Findings below the binding's `minScore` for their code are dropped here, so nothing downstream sees them.
 *
 * @throws Error when a plugin of the policy is not in the catalog (the compiler refuses that, so it means the two differ).
 */
export function bindDetectors(policy: Pick<CompiledPolicy, 'detectors'>, catalog: PluginCatalog): BoundDetector[] {
  return policy.detectors.map((binding) => {
    const plugin = catalog.detectors.find((detector) => detector.meta.id === binding.plugin);
    if (plugin === undefined) throw new Error(`plugin "${binding.plugin}" is not loaded`);
    const scan: Scan = plugin.create(binding.options, { codes: new Set(binding.codes) });
    return {
      binding,
      scan: (text, hint) =>
        scan(text, hint).filter((finding) => finding.score >= (binding.minScore[finding.code] ?? 0)),
    };
  });
}
