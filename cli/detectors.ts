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
 * The detectors named on the command line, with their defaults; all of them when none is named. `_` and `-` are the
 * same, since policies write `prompt_injection` where the plugin is called `prompt-injection`.
 *
 * @param names a comma-separated list of plugin ids
 * @param allCodes whether codes that are off by default are looked for
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

/** The detectors of a policy, or those of them whose key or plugin is named. */
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

/** @throws CliError (exit 2) for one that wants options */
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
 * A server must answer in time; here a text may be of any length and somebody waits for the whole answer. A service
 * that is asked keeps the policy's deadline: it may never answer.
 */
function withoutTimeLimit(detectors: readonly BoundDetector[]): BoundDetector[] {
  return detectors.map((detector) =>
    detector.remote === undefined
      ? { ...detector, binding: { ...detector.binding, timeoutMs: Number.POSITIVE_INFINITY } }
      : detector,
  );
}
