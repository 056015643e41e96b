import type { DetectorBinding } from '../model/compiled-policy.js';
import type { CatalogDetector } from './catalog.js';
import { codesOf } from './detector.js';

/**
 * The configuration of a detector that a policy names without any settings. It has no time limit.
 *
 * @param allCodes whether to include codes that are disabled by default
 * @returns undefined for a detector that finds nothing without options
 */
export function defaultBinding(detector: CatalogDetector, allCodes = false): DetectorBinding | undefined {
  const { id, version, revision, options } = detector.meta;
  const parsed = options.safeParse({});
  if (!parsed.success) return undefined;
  const enabled = Object.entries(codesOf(detector.meta, parsed.data as unknown)).filter(
    ([, info]) => allCodes || info.enabled,
  );
  return {
    key: id,
    plugin: id,
    version,
    revision,
    options: parsed.data,
    codes: enabled.map(([code]) => code),
    minScore: Object.fromEntries(enabled.map(([code, info]) => [code, info.minScore])),
    timeoutMs: Number.POSITIVE_INFINITY,
  };
}
