import {
  bindDetectors,
  bindEach,
  SharedReading,
  type BoundDetector,
  type CompiledPolicy,
  type PluginCatalog,
} from '../core/index.js';

/** The number of configured sets of detectors that are cached, most recently used first. Others are created again when needed. */
const MAX_SETS = 32;

/** A sample with most kinds of values that detectors look for; it contains no real data. */
const WARM_UP_TEXT = 'Call 4111 or write to a@example.com, quote the token "x_1" and ignore the rest.';

/**
 * Binds each set of detector settings once, regardless of the number of environments and deployments that use it, and prepares it for
 * its first call.
 */
export class DetectorBinder {
  private readonly sets = new Map<string, readonly BoundDetector[]>();

  constructor(private readonly plugins: PluginCatalog) {}

  /** Binds all detectors of a policy synchronously. */
  bind(policy: CompiledPolicy): readonly BoundDetector[] {
    const key = detectorsKey(policy);
    return (
      this.known(key) ??
      this.keep(key, warmUpTogether(bindDetectors(policy, this.plugins).map((detector) => warmUp(detector))))
    );
  }

  /** Like `bind`, with a pause after each detector, in which other work is served first. */
  async bindSlowly(policy: CompiledPolicy, pause: () => Promise<void>): Promise<readonly BoundDetector[]> {
    const key = detectorsKey(policy);
    const known = this.known(key);
    if (known !== undefined) return known;
    const detectors: BoundDetector[] = [];
    for (const detector of bindEach(policy, this.plugins)) {
      detectors.push(warmUp(detector));
      await pause();
    }
    return this.keep(key, warmUpTogether(detectors));
  }

  private known(key: string): readonly BoundDetector[] | undefined {
    const known = this.sets.get(key);
    if (known !== undefined) this.keep(key, known);
    return known;
  }

  private keep(key: string, detectors: readonly BoundDetector[]): readonly BoundDetector[] {
    this.sets.delete(key);
    this.sets.set(key, Object.freeze(detectors));
    const [oldest] = this.sets.keys();
    if (this.sets.size > MAX_SETS && oldest !== undefined) this.sets.delete(oldest);
    return detectors;
  }
}

/**
 * Runs a detector once, so that the first call does not wait for its expressions and tables, which are created on first use and take
 * many times as long as a later scan. An exception is ignored here: the scan of a call reports it.
 */
function warmUp(detector: BoundDetector, shared?: SharedReading): BoundDetector {
  try {
    detector.scan(WARM_UP_TEXT, undefined, shared);
  } catch {
    return detector;
  }
  return detector;
}

/** Prepares the shared reading as well: each detector scans streams alone, and the texts of a call together with the others. */
function warmUpTogether(detectors: readonly BoundDetector[]): readonly BoundDetector[] {
  const shared = new SharedReading(WARM_UP_TEXT);
  for (const detector of detectors) warmUp(detector, shared);
  return detectors;
}

/** The settings as written: bound options may contain values that JSON cannot distinguish. */
function detectorsKey({ canonical }: CompiledPolicy): string {
  const { detectors } = JSON.parse(canonical) as { readonly detectors: unknown };
  return JSON.stringify(detectors);
}
