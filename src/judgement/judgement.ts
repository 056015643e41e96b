import type {
  BlockReason,
  CallContext,
  DecisionAction,
  DecodedCall,
  DetectorOutcome,
  Edit,
  FiredRule,
  LocatedFinding,
  RedactionCount,
  Violation,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';

/** What is to be judged, whatever door it came through. */
export interface JudgeInput {
  readonly policy: ActivePolicy;
  readonly context: CallContext;
  readonly call: DecodedCall;
  /** `request`: stage pre. `answer`: stage post, and stage tool once per new call. `tool_call`: stage tool. */
  readonly kind: 'request' | 'answer' | 'tool_call';
  /** False where nothing can be done any more (`ai.response` over REST): rules report, nothing is enforced. */
  readonly enforceable: boolean;
  /** The caller asked for judging without enforcement; it counts only where the policy honours it. */
  readonly monitorRequested: boolean;
  /** For an answer: the request it belongs to and how that was judged, when this process knows. */
  readonly request?: { readonly call: DecodedCall; readonly judgement: Judgement };
}

/** The outcome of one judgement: what to do, what to tell, what to store. */
export interface Judgement {
  readonly action: DecisionAction;
  /** Set for a block that a rule decided. */
  readonly reason?: BlockReason;
  /** The block rests only on facts that could not be had: 503, not 400. */
  readonly unavailable: boolean;
  /** Detector keys (or `budget`) that were missing. */
  readonly missing: readonly string[];
  readonly fired: readonly FiredRule[];
  /** One per fired rule, except rules that fired only because a fact was missing. */
  readonly violations: readonly Violation[];
  /** What is to be replaced before the call goes on; empty unless `action` is `redact`. */
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
  readonly outcomes: readonly DetectorOutcome[];
  readonly findings: readonly LocatedFinding[];
  /** Fact snapshot: JSON text without any matched text. */
  readonly snapshot: string;
  /** True when the caller asked for monitor mode and the policy ignores it. */
  readonly monitorIgnored: boolean;
  /** Milliseconds spent on judging. */
  readonly tookMs: number;
}
