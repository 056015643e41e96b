import type { AnswerPlan } from './answer-plan.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { DecodedCall, Dialect, Segment } from '../model/call.js';
import type { FactInput } from '../facts/build-facts.js';
import type { DetectorOutcome } from '../model/finding.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { BoundDetector } from '../detection/bind.js';

export interface GuardInput {
  readonly dialect: Dialect;
  readonly policy: CompiledPolicy;
  readonly plan: AnswerPlan;
  readonly detectors: readonly BoundDetector[];
  readonly facts: Pick<FactInput, 'context' | 'structures' | 'budgets'> & { readonly request: DecodedCall };
  /** What was found in the request: tool calls are judged by it, too. */
  readonly requestOutcomes: readonly DetectorOutcome[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** From stable tokens of the request to the values that are put back. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly hash?: KeyedHash;
  /** Scans texts that are complete, by every detector. */
  scan(segments: readonly Segment[]): Promise<readonly DetectorOutcome[]>;
}
