import type { AnswerPlan } from './answer-plan.js';
import type { ExpectedAnswer } from '../judge/index.js';
import type { Dialect, Segment } from '../model/call.js';
import type { DetectorOutcome } from '../model/finding.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { BoundDetector } from '../detection/bind.js';

export interface GuardInput extends ExpectedAnswer {
  readonly dialect: Dialect;
  readonly plan: AnswerPlan;
  readonly detectors: readonly BoundDetector[];
  readonly hash?: KeyedHash;
  /** Scans complete texts with every detector. */
  scan(segments: readonly Segment[]): Promise<readonly DetectorOutcome[]>;
}
