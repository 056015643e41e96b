import {
  bindDetectors,
  defaultBinding,
  type BoundDetector,
  type CatalogDetector,
  type CompiledPolicy,
  type DetectorBinding,
  type PluginCatalog,
} from '../src/core/index.js';
import { usageError } from './exit-code.js';

/**
 * The detectors named on the command line, with their defaults; without names, all that need no options. `_` and `-` are equivalent,
 * since policies write `prompt_injection` for the plugin `prompt-injection`.
 *
 * @param names a comma-separated list of plugin ids
 * @param allCodes whether to search for codes that are off by default
 * @throws CliError (exit 2) for a name that no plugin has
 */
export function detectorsByName(names: string | undefined, catalog: PluginCatalog, allCodes: boolean): BoundDetector[] {
  const chosen =
    names === undefined
      ? catalog.detectors.filter((detector) => !needsOptions(detector))
      : split(names).map((name) => named(name, catalog));
  return withoutTimeLimit(
    bindDetectors({ detectors: chosen.map((detector) => plainBinding(detector, allCodes)) }, catalog),
  );
}

/** The detectors of a policy; with names, only those whose key or plugin is named. */
export function detectorsOfPolicy(
  policy: CompiledPolicy,
  names: string | undefined,
  catalog: PluginCatalog,
): BoundDetector[] {
  const wanted = names === undefined ? undefined : split(names);
  for (const name of wanted ?? []) {
    if (!policy.detectors.some((binding) => matches(binding, name))) {
      const keys = policy.detectors.map(({ key }) => key).join(', ');
      throw usageError(`the policy has no detector "${name}"; it has: ${keys === '' ? 'none' : keys}`);
    }
  }
  const detectors = policy.detectors.filter(
    (binding) => wanted === undefined || wanted.some((name) => matches(binding, name)),
  );
  return withoutTimeLimit(bindDetectors({ detectors }, catalog));
}

/** @throws CliError (exit 2) for a detector that needs options */
function plainBinding(detector: CatalogDetector, allCodes: boolean): DetectorBinding {
  const binding = defaultBinding(detector, allCodes);
  if (binding !== undefined) return binding;
  const { id } = detector.meta;
  throw usageError(`"${id}" needs options: use --config with a policy that has them`);
}

function needsOptions(detector: CatalogDetector): boolean {
  return !detector.meta.options.safeParse({}).success;
}

function named(name: string, catalog: PluginCatalog): CatalogDetector {
  const found = catalog.detectors.find(({ meta }) => meta.id === name.replaceAll('_', '-'));
  if (found !== undefined) return found;
  const known = catalog.detectors.map(({ meta }) => meta.id).join(', ');
  throw usageError(`there is no detector "${name}"; there are: ${known}`);
}

function matches(binding: DetectorBinding, name: string): boolean {
  const plain = name.replaceAll('-', '_');
  return binding.key === plain || binding.plugin.replaceAll('-', '_') === plain;
}

function split(names: string): string[] {
  const list = names.split(',').map((name) => name.trim());
  if (list.some((name) => name === '')) throw usageError('--detectors takes names separated by commas');
  return [...new Set(list)];
}

/**
 * Local detectors have no deadline in the CLI: a text may have any length, and the user waits for the complete result. Remote detectors
 * keep the deadline of the policy, as their service may never respond.
 */
function withoutTimeLimit(detectors: readonly BoundDetector[]): BoundDetector[] {
  return detectors.map((detector) =>
    detector.remote === undefined
      ? { ...detector, binding: { ...detector.binding, timeoutMs: Number.POSITIVE_INFINITY } }
      : detector,
  );
}
