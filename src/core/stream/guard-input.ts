import type { AnswerPlan } from './answer-plan.js';
import type { ExpectedAnswer } from '../judge/index.js';
import type { Dialect, Segment } from '../model/call.js';
import type { DetectorOutcome } from '../model/finding.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { Turns } from '../steps/steps.js';
import type { BoundDetector } from '../detection/bind.js';

export interface GuardInput extends ExpectedAnswer {
  readonly dialect: Dialect;
  readonly plan: AnswerPlan;
  readonly detectors: readonly BoundDetector[];
  readonly hash?: KeyedHash;
  /** Yields to other work while many or long events arrive at once; without it, no other work runs in between. */
  readonly turns?: Turns;
  /** Scans complete texts with every detector. */
  scan(segments: readonly Segment[]): Promise<readonly DetectorOutcome[]>;
}
