import type {
  AnswerPlan,
  BlockReason,
  CallContext,
  DecisionAction,
  DecodedCall,
  DetectorOutcome,
  Dialect,
  Edit,
  ExceptedInCall,
  FiredRule,
  JsonDocument,
  KnownBudget,
  LocatedFinding,
  RedactionCount,
  TextEdit,
  Violation,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';

/** What a caller names beside the texts of a call. */
export type HiddenName = 'model' | 'provider';

/** What is to be judged, whatever door it came through. */
export interface JudgeInput {
  readonly policy: ActivePolicy;
  /** Whose call it is: stable tokens are keyed by it. */
  readonly accountId: string;
  readonly context: CallContext;
  /** The policy's budgets with what they have used; without it nobody knows. */
  readonly budgets?: readonly KnownBudget[];
  readonly call: DecodedCall;
  /** Names of the call in which something was found that must not be stored. */
  readonly hiddenNames?: readonly HiddenName[];
  /** The request's document, where earlier turns can be taken out of it. */
  readonly doc?: JsonDocument;
  /** `request`: stage pre. `answer`: stage post, and stage tool once per new call. `tool_call`: stage tool. */
  readonly kind: 'request' | 'answer' | 'tool_call';
  /** False where nothing can be done any more (`ai.response` over REST): rules report, nothing is enforced. */
  readonly enforceable: boolean;
  /** The caller asked for judging without enforcement; it counts only where the policy honours it. */
  readonly monitorRequested: boolean;
  /** For an answer: the request it belongs to and how that was judged, when this process knows. */
  readonly request?: { readonly call: DecodedCall; readonly judgement: Judgement };
  /** For an answer whose request was judged by somebody else: what the log knows about it. */
  readonly earlierRequest?: EarlierRequest;
}

/** A request that has been judged and recorded. */
export interface EarlierRequest {
  /** Absent when its texts are not known as they were. */
  readonly call?: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
}

/** What goes on of a request that would be blocked for earlier turns alone. */
export interface RepairedRequest {
  readonly mode: 'drop' | 'replace';
  /** Indices of the messages (or items) that are taken out. */
  readonly dropped: readonly number[];
  /** The same as edits of the document's text. */
  readonly removals: readonly TextEdit[];
  /** What the provider gets to see, and what was found in it. */
  readonly call: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
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
  /** Rules that matched and that an exception let go, and from what: from nothing where the call is refused all the same. */
  readonly excepted: readonly ExceptedInCall[];
  /** One per fired rule, except rules that fired only because a fact was missing. */
  readonly violations: readonly Violation[];
  /** What is to be replaced before the call goes on; empty unless `action` is `redact`. */
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
  /**
   * From token to value, for what is to be restored in the answer. It lives as long as the call: never stored, never
   * logged.
   */
  readonly restorable: ReadonlyMap<string, string>;
  /** Set when the request goes on without earlier turns that are blocked. */
  readonly repair?: RepairedRequest;
  readonly outcomes: readonly DetectorOutcome[];
  readonly findings: readonly LocatedFinding[];
  /** Fact snapshot: JSON text without any matched text. */
  readonly snapshot: string;
  /** True when the caller asked for monitor mode and the policy ignores it. */
  readonly monitorIgnored: boolean;
  /** Milliseconds spent on judging. */
  readonly tookMs: number;
}

/** A streamed answer that is to be guarded on its way. */
export interface GuardAnswerInput extends Pick<JudgeInput, 'policy' | 'accountId' | 'context' | 'budgets'> {
  readonly dialect: Dialect;
  readonly plan: AnswerPlan;
  readonly request: NonNullable<JudgeInput['request']>;
}
