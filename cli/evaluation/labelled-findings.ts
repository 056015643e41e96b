/** Evaluation of detectors and policies on labelled texts, for `weir eval`. The scores are computed in src/authoring/eval. */
import type { ScoredFinding } from '../../src/authoring/index.js';
import {
  runScan,
  type AskRemote,
  type BoundDetector,
  type DetectorFamily,
  type DetectorOutcome,
  type PluginCatalog,
  type Segment,
} from '../../src/core/index.js';
import type { CorpusText } from '../input/labelled-text.js';

/** Labels for every code of a detector family, as used by corpora of credentials and of attacks. */
const FAMILY_LABELS: Readonly<Record<string, DetectorFamily>> = { SECRET: 'secret', INJECTION: 'prompt_injection' };

/** The new names that findings get before they are compared with labels. */
export interface LabelNames {
  /** `detector` or `detector/code` to the code of the label; takes precedence over the families. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Plugin id to the family of its findings. */
  readonly families: ReadonlyMap<string, DetectorFamily>;
}

export interface LabelledScan {
  readonly detectors: readonly BoundDetector[];
  readonly names: LabelNames;
  /** The client for remote detectors. */
  readonly services?: { readonly ask?: AskRemote };
}

export interface LabelledFindings {
  readonly findings: readonly ScoredFinding[];
  /** Number of detectors that failed for the text. */
  readonly failed: number;
}

/** The families of a catalog's detectors, for texts that are labelled `SECRET` or `INJECTION`. */
export function familiesOf(catalog: PluginCatalog): ReadonlyMap<string, DetectorFamily> {
  return new Map(catalog.detectors.map(({ meta }) => [meta.id, meta.family]));
}

/** Runs detectors on one labelled text and renames their findings to the codes of its labels. */
export async function findLabelled(
  labelled: CorpusText,
  { detectors, names, services }: LabelledScan,
  nowMs: () => number,
): Promise<LabelledFindings> {
  const { text, key } = labelled;
  const segment: Segment = { path: 'text', role: 'user', text, ref: 0, ...(key === undefined ? {} : { key }) };
  const askRemote = services?.ask;
  const limits = { nowMs, deadlineMs: Number.POSITIVE_INFINITY, ...(askRemote === undefined ? {} : { askRemote }) };
  const outcomes = await runScan(detectors, [segment], limits);
  const labels = new Set([...(labelled.scope ?? []), ...labelled.spans.map(({ code }) => code)]);
  return {
    findings: outcomes.flatMap((outcome) => renamed(outcome, labels, names)),
    failed: outcomes.filter(({ status }) => status === 'failed').length,
  };
}

function renamed(outcome: DetectorOutcome, labels: ReadonlySet<string>, names: LabelNames): ScoredFinding[] {
  if (outcome.status === 'failed') return [];
  const family = names.families.get(outcome.plugin);
  const whole = Object.keys(FAMILY_LABELS).find((label) => labels.has(label) && FAMILY_LABELS[label] === family);
  return outcome.findings.map(({ detector, code, start, end, score }) => ({
    code: names.renamed.get(`${detector}/${code}`) ?? names.renamed.get(detector) ?? whole ?? code,
    start,
    end,
    score,
  }));
}
