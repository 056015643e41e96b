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

/** Something of most kinds that detectors look for; nobody's data. */
const WARM_UP_TEXT = 'Call 4111 or write to a@example.com, quote the token "x_1" and ignore the rest.';

/**
 * Binds each set of detector settings once, however many environments and deployments use it, ready for its first call.
 */
export class DetectorBinder {
  private readonly sets = new Map<string, readonly BoundDetector[]>();

  constructor(private readonly plugins: PluginCatalog) {}

  /** All of a policy's detectors, here and now. */
  bind(policy: CompiledPolicy): readonly BoundDetector[] {
    const key = detectorsKey(policy);
    return (
      this.known(key) ??
      this.keep(key, warmUpTogether(bindDetectors(policy, this.plugins).map((detector) => warmUp(detector))))
    );
  }

  /** The same, with a pause after each detector: what is served meanwhile goes first. */
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
 * Expressions and tables are made on first use, which takes a detector many times as long as a scan does later: better
 * now than while the first call waits. A throw is an outcome of that call's own scan, not of this one.
 */
function warmUp(detector: BoundDetector, shared?: SharedReading): BoundDetector {
  try {
    detector.scan(WARM_UP_TEXT, undefined, shared);
  } catch {
    return detector;
  }
  return detector;
}

/** Each reads streams by itself, and the texts of a call together with the others: both is made ready. */
function warmUpTogether(detectors: readonly BoundDetector[]): readonly BoundDetector[] {
  const shared = new SharedReading(WARM_UP_TEXT);
  for (const detector of detectors) warmUp(detector, shared);
  return detectors;
}

/** The settings as written: bound options may hold what JSON cannot tell apart. */
function detectorsKey({ canonical }: CompiledPolicy): string {
  const { detectors } = JSON.parse(canonical) as { readonly detectors: unknown };
  return JSON.stringify(detectors);
}
