import type { BoundDetector } from '../../core/detection/bind.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { Finding } from '../../core/model/finding.js';
import type { CompiledPolicy, DetectorBinding } from '../../core/model/compiled-policy.js';
import type { Annotation } from './annotations.js';
import type { DetectorMode } from './readings.js';
import { memoizeByObject } from '../../core/model/memoize.js';

/** The detector of a policy to which an annotation refers. */
export type MarkTarget =
  | { readonly kind: 'found'; readonly detector: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ambiguous'; readonly detectors: readonly string[] };

/** Finds the detector of an annotation. An annotation may name every code of the policy's plugins, even one that the policy does not enable. */
export function targetOf(mark: Annotation, policy: CompiledPolicy, catalog: PluginCatalog): MarkTarget {
  const candidates = policy.detectors.filter(
    (binding) =>
      (mark.detector === undefined || mark.detector === binding.key) && codesIn(catalog)(binding).has(mark.code),
  );
  const looking = candidates.filter((binding) => binding.codes.includes(mark.code));
  const [only, ...others] = looking.length > 0 ? looking : candidates;
  if (only === undefined) return { kind: 'unknown' };
  if (others.length > 0) return { kind: 'ambiguous', detectors: [only, ...others].map(({ key }) => key) };
  return { kind: 'found', detector: only.key };
}

/** The codes of a detector, cached because they are needed for every annotation of every test. */
const codesIn = memoizeByObject((catalog: PluginCatalog) =>
  memoizeByObject((binding: DetectorBinding): ReadonlySet<string> => {
    const plugin = catalog.detectors.find(({ meta }) => meta.id === binding.plugin);
    return new Set([...binding.codes, ...Object.keys(plugin?.meta.codes ?? {})]);
  }),
);

/** Whether a detector really scans the texts of a test; for the others, annotations replace the findings. */
export function looks(binding: DetectorBinding, mode: DetectorMode, catalog: PluginCatalog): boolean {
  if (mode === 'live') return true;
  if (mode === 'stub') return runsInEveryTest(binding, catalog);
  return catalog.detectors.find(({ meta }) => meta.id === binding.plugin)?.kind === 'text';
}

/**
 * Whether a detector scans the texts of every test, in every mode: it is local, and its patterns or words are in the policy. For other
 * detectors the policy contains only the codes that count, so annotations may replace their findings.
 */
export function runsInEveryTest({ plugin }: DetectorBinding, { detectors }: PluginCatalog): boolean {
  const found = detectors.find(({ meta }) => meta.id === plugin);
  return found?.kind === 'text' && found.meta.codesFrom !== undefined;
}

/** Detectors whose findings are the test's annotations, limited to the codes that the policy enables. */
export function stubDetectors(
  policy: CompiledPolicy,
  catalog: PluginCatalog,
  annotations: ReadonlyMap<string, readonly Annotation[]>,
): BoundDetector[] {
  return policy.detectors.map((binding) => ({
    binding: { ...binding, timeoutMs: Number.POSITIVE_INFINITY },
    scan: (text) => expectedFindings(text, binding, policy, catalog, annotations),
  }));
}

/** The findings of one detector according to the annotations of a text, each with score 1. */
export function expectedFindings(
  text: string,
  binding: DetectorBinding,
  policy: CompiledPolicy,
  catalog: PluginCatalog,
  annotations: ReadonlyMap<string, readonly Annotation[]>,
): Finding[] {
  return (annotations.get(text) ?? [])
    .filter((mark) => binding.codes.includes(mark.code))
    .filter((mark) => {
      const target = targetOf(mark, policy, catalog);
      return target.kind === 'found' && target.detector === binding.key;
    })
    .map(({ code, start, end }) => ({ code, start, end, score: 1 }));
}
