import {
  applyEdits,
  bindDetectors,
  defaultBinding,
  maskAll,
  runScan,
  type BoundDetector,
  type PluginCatalog,
  type Segment,
} from '../../core/index.js';
import { JudgementService, UNSCANNED } from '../../judgement/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';

/** Codes that are masked in every note, independently of the policy. */
const ALWAYS: readonly string[] = ['pii', 'secrets'];
/** A note is short: its detection takes a fraction of this time. */
const DEADLINE_MS = 1_000;

/** Masks sensitive data in notes before they are stored. */
export class NoteMasker {
  private readonly detectors: readonly BoundDetector[];

  constructor(
    private readonly judging: Pick<JudgementService, 'maskTexts'>,
    catalog: PluginCatalog,
  ) {
    const chosen = catalog.detectors.filter(({ meta }) => ALWAYS.includes(meta.id));
    const detectors = chosen.map((detector) => defaultBinding(detector)).filter((binding) => binding !== undefined);
    this.detectors = bindDetectors({ detectors }, catalog);
  }

  /** Returns the note of an account with the findings of the policy's and the built-in detectors masked; if a detector failed, a fixed text instead. */
  async masked(policy: ActivePolicy, accountId: string, note: string): Promise<string> {
    const whose = { accountId, anyway: true };
    const byPolicy = applyEdits(note, await this.judging.maskTexts(policy, [segment(note)], whose));
    const segments = [segment(byPolicy)];
    const limits = { nowMs: () => performance.now(), deadlineMs: DEADLINE_MS };
    const outcomes = await runScan(this.detectors, segments, limits);
    if (outcomes.some(({ status }) => status === 'failed')) return UNSCANNED;
    const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
    return applyEdits(byPolicy, maskAll(findings, segments));
  }
}

function segment(text: string): Segment {
  return { path: 'note', role: 'metadata', text, ref: 0 };
}
