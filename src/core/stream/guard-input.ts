import type { AnswerPlan } from './answer-plan.js';
import type { ExpectedAnswer } from '../judge/index.js';
import type { Dialect, Segment } from '../model/call.js';
import type { DetectorOutcome } from '../model/finding.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { BoundDetector } from '../detection/bind.js';
import type { TextDigest } from './growing-text.js';

export interface GuardInput extends ExpectedAnswer {
  readonly dialect: Dialect;
  readonly plan: AnswerPlan;
  readonly detectors: readonly BoundDetector[];
  readonly hash?: KeyedHash;
  /** Recognises repetitions of long texts; without it, they are judged as separate texts. */
  readonly digest?: TextDigest | undefined;
  /** Scans complete texts with every detector. */
  scan(segments: readonly Segment[]): Promise<readonly DetectorOutcome[]>;
}
