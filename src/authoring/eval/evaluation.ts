/** Quality of detectors on labelled texts. Pure: the host reads the corpus and measures time. */

/** A labelled range of a text. Half-open, in UTF-16 units. */
export interface GoldSpan {
  readonly code: string;
  readonly start: number;
  readonly end: number;
  /** Set for labels that their authors were unsure of: they count neither as missed nor as found. */
  readonly doubtful?: boolean;
}

export interface LabelledText {
  readonly id: string | number;
  readonly spans: readonly GoldSpan[];
  /**
   * The codes that were labelled exhaustively. Findings of other codes are not judged. Absent: all codes; empty: the text is used only
   * to measure speed.
   */
  readonly scope?: readonly string[];
  /** Whether the text contains any of the codes; absent if the text has no such label. */
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
  /** Number of labelled spans. */
  readonly gold: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  /** 0 to 1; null if the denominator is zero. */
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  /** Findings per 10^6 bytes of texts without any span; null if no such text is in scope. */
  readonly falseHitsPerMb: number | null;
}

/** Scores per text: whether anything was found in it, at any position. */
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

/** A labelled span that was not found, or a finding without a labelled span. Only positions, never text. */
export interface Miss {
  readonly kind: 'missed' | 'false_hit';
  readonly id: string | number;
  readonly code: string;
  readonly start: number;
  readonly end: number;
  /** For a missed label, the code of a finding at this position; for a false hit, the code of a label. Null if there is none. */
  readonly instead: string | null;
}

/** How often a label's code (null: no label) coincided with a finding's code (null: no finding). */
export interface ConfusionCell {
  readonly gold: string | null;
  readonly found: string | null;
  readonly count: number;
}

export interface Evaluation {
  readonly texts: number;
  readonly bytes: number;
  readonly codes: readonly CodeScore[];
  /** Scores over all codes, with equal weight per span. */
  readonly micro: CodeScore;
  /** The mean F1 of the codes that have spans; null if there are none. */
  readonly macroF1: number | null;
  /** Null unless at least one text has `positive` set. */
  readonly records: RecordScore | null;
  readonly confusion: readonly ConfusionCell[];
  readonly misses: readonly Miss[];
  /** Misses that were counted but are not in `misses`. */
  readonly missesNotListed: number;
}
