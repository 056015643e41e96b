import { getCountries } from 'libphonenumber-js';
import { Evaluator, type Evaluation } from '../../src/authoring/index.js';
import {
  bindDetectors,
  codesOf,
  SharedReading,
  type BoundDetector,
  type DetectorBinding,
  type Finding,
  type PluginCatalog,
} from '../../src/core/index.js';
import { findLabelled, familiesOf } from '../../cli/evaluation/labelled-findings.js';
import { PLUGINS } from '../../plugins/index.js';
import type { Corpus, MeasuredText } from './corpora.js';

const CATALOG: PluginCatalog = PLUGINS;
const families = familiesOf(CATALOG);
const countries = new Set<string>(getCountries());
const nowMs = (): number => performance.now();

export interface DetectorChoice {
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether codes that are off by default are also on. */
  readonly allCodes?: boolean;
}

/** A shipped detector, bound as by a policy that only names it, or names it with the given options. */
export function bound(plugin: string, choice: DetectorChoice = {}): BoundDetector {
  return bindDetectors({ detectors: [bindingOf(plugin, choice)] }, CATALOG)[0]!;
}

function bindingOf(plugin: string, { options = {}, allCodes = false }: DetectorChoice = {}): DetectorBinding {
  const detector = CATALOG.detectors.find(({ meta }) => meta.id === plugin);
  if (detector === undefined) throw new Error(`there is no plugin ${plugin}`);
  const parsed: unknown = detector.meta.options.parse(options);
  const codes = Object.entries(codesOf(detector.meta, parsed)).filter(([, info]) => allCodes || info.enabled);
  return {
    key: plugin,
    plugin,
    version: detector.meta.version,
    revision: detector.meta.revision,
    options: parsed,
    codes: codes.map(([code]) => code),
    minScore: Object.fromEntries(codes.map(([code, { minScore }]) => [code, minScore])),
    timeoutMs: Number.POSITIVE_INFINITY,
  };
}

/** Bindings of all detectors that need no options, with their defaults, as in a compiled policy. */
export function defaultBindings(): DetectorBinding[] {
  const ready = CATALOG.detectors.filter(({ meta }) => meta.options.safeParse({}).success);
  return ready.map(({ meta }) => bindingOf(meta.id));
}

/** The detectors of these bindings, ready to scan; by default those of `defaultBindings`. */
export function defaultDetectors(bindings: readonly DetectorBinding[] = defaultBindings()): BoundDetector[] {
  return bindDetectors({ detectors: bindings }, CATALOG);
}

/** Scans a text with all detectors, which share one reading of the text. */
export function findTogether(detectors: readonly BoundDetector[], text: string): Finding[] {
  const shared = new SharedReading(text);
  return detectors.flatMap(({ scan }) => scan(text, undefined, shared));
}

/** Scores one detector on the combined texts of some corpora. */
export async function score(
  corpora: readonly Corpus[],
  detectorFor: (text: MeasuredText) => BoundDetector,
  prepare: (text: MeasuredText) => Preparation = (text) => ({ text, renamed: new Map() }),
): Promise<Evaluation> {
  const evaluator = new Evaluator({ listedMisses: 0 });
  for (const { texts } of corpora) {
    for (const original of texts) {
      const { text, renamed } = prepare(original);
      const detectors = [detectorFor(text)];
      const { findings, failed } = await findLabelled(text, { detectors, names: { renamed, families } }, nowMs);
      if (failed > 0) throw new Error(`a scan failed in ${corpora.map(({ name }) => name).join(', ')}`);
      evaluator.add(text, findings);
    }
  }
  return evaluator.result();
}

export interface Preparation {
  readonly text: MeasuredText;
  /** Maps `detector/code` to the name in the labels of the text. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** The detector `pii` for the country of each text, if the corpus names one. */
export function piiByRegion(allCodes: boolean): (text: MeasuredText) => BoundDetector {
  const known = new Map<string, BoundDetector>();
  return ({ region }) => {
    const key = region !== undefined && countries.has(region) ? region : '';
    let detector = known.get(key);
    if (detector === undefined) {
      detector = bound('pii', { allCodes, ...(key === '' ? {} : { options: { regions: [key] } }) });
      known.set(key, detector);
    }
    return detector;
  };
}
