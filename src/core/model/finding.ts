/** One finding: a half-open range in UTF-16 code units of the scanned text, never the matched text itself. */
export interface Finding<Code extends string = string> {
  readonly code: Code;
  readonly start: number;
  readonly end: number;
  /** Confidence, 0 to 1. */
  readonly score: number;
}

/** Findings of one text in text order: a list, or an object that creates each finding on demand. */
export type Findings = Pick<readonly Finding[], 'length' | 'at'>;

/** A finding with its place: the index of the segment and the range inside its text. */
export interface LocatedFinding extends Finding {
  /** The key under the policy's `detectors`. */
  readonly detector: string;
  readonly segment: number;
}

/** The result of one detector for one call. A failure is a result as well; a missing scan counts as failed. */
export type DetectorOutcome =
  | {
      readonly detector: string;
      readonly plugin: string;
      readonly revision: number;
      readonly status: 'scanned';
      readonly findings: readonly LocatedFinding[];
    }
  | {
      readonly detector: string;
      readonly plugin: string;
      readonly revision: number;
      readonly status: 'failed';
      readonly reason: 'failed' | 'timeout' | 'not_run';
    };
