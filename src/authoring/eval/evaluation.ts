/** Quality of detectors on labelled texts. Pure: the host reads the corpus and measures time. */

/** A place where something is, as a person labelled it. Half-open, UTF-16 units. */
export interface GoldSpan {
  readonly code: string;
  readonly start: number;
  readonly end: number;
  /** Neither a miss when it is not found nor a false hit when it is: labels that their makers doubt themselves. */
  readonly doubtful?: boolean;
}

export interface LabelledText {
  readonly id: string | number;
  readonly spans: readonly GoldSpan[];
  /** The codes that were labelled exhaustively. Findings of other codes are not judged. Absent: all of them; empty: the text counts for speed alone. */
  readonly scope?: readonly string[];
  /** Whether the text as a whole holds what is looked for; absent when the label does not say. */
  readonly positive?: boolean;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
}

export interface ScoredFinding {
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

export interface CodeScore {
  readonly code: string;
  /** Labelled spans. */
  readonly gold: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  /** 0 to 1; null where it would be a division by zero. */
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  /** Findings per 10^6 bytes of texts that have no span at all; null when there is no such text in scope. */
  readonly falseHitsPerMb: number | null;
}

/** Whether a text was noticed at all, whatever the place. */
export interface RecordScore {
  readonly positives: number;
  readonly negatives: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  readonly falsePositiveRate: number | null;
}

/** A span that was not found, or a finding where nothing is. Places only, never text. */
export interface Miss {
  readonly kind: 'missed' | 'false_hit';
  readonly id: string | number;
  readonly code: string;
  readonly start: number;
  readonly end: number;
  /** What stands at this place on the other side: the code that was found instead, or labelled instead. */
  readonly instead: string | null;
}

/** How often a labelled code (null: no label there) was taken for a found code (null: nothing found there). */
export interface ConfusionCell {
  readonly gold: string | null;
  readonly found: string | null;
  readonly count: number;
}

export interface Evaluation {
  readonly texts: number;
  readonly bytes: number;
  readonly codes: readonly CodeScore[];
  /** All codes together, each span counting one. */
  readonly micro: CodeScore;
  /** The mean of the codes' F1, over codes that have spans; null when none has. */
  readonly macroF1: number | null;
  /** Set when at least one text says as a whole what it is. */
  readonly records: RecordScore | null;
  readonly confusion: readonly ConfusionCell[];
  readonly misses: readonly Miss[];
  /** Misses that were counted but are not in `misses`. */
  readonly missesNotListed: number;
}
