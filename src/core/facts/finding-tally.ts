import type { Finding } from '../model/finding.js';
import { NOTHING_FOUND, type FindingFacts } from './build-facts.js';

type Counted = Pick<Finding, 'code' | 'score'>;

/** Counts the findings of one detector while they arrive, so that its facts need no pass over all of them. */
class FindingTally {
  private readonly counts = new Map<string, number>();
  /** The number of findings with each score: detectors have few scores, however many findings they report. */
  private readonly scores = new Map<number, number>();
  private total = 0;

  add(finding: Counted): void {
    this.change(finding, 1);
  }

  remove(finding: Counted): void {
    this.change(finding, -1);
  }

  /** Equal to `factsOfFindings` of the same findings. */
  get facts(): FindingFacts {
    if (this.total === 0) return NOTHING_FOUND;
    let highest = 0;
    for (const score of this.scores.keys()) highest = Math.max(highest, score);
    const types = [...this.counts.keys()].sort();
    return { types, count: this.total, score: highest, counts: Object.fromEntries(this.counts) };
  }

  private change({ code, score }: Counted, by: 1 | -1): void {
    this.total += by;
    changeCount(this.counts, code, by);
    changeCount(this.scores, score, by);
  }
}

/** The facts of findings that arrive one after the other, by the key of their detector. */
export class FindingTallies {
  private readonly byDetector = new Map<string, FindingTally>();

  add(finding: Counted & { readonly detector: string }): void {
    const known = this.byDetector.get(finding.detector) ?? new FindingTally();
    this.byDetector.set(finding.detector, known);
    known.add(finding);
  }

  /** Called for a finding that was added and no longer counts. */
  remove(finding: Counted & { readonly detector: string }): void {
    this.byDetector.get(finding.detector)?.remove(finding);
  }

  factsOf(detector: string): FindingFacts {
    return this.byDetector.get(detector)?.facts ?? NOTHING_FOUND;
  }
}

function changeCount<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
