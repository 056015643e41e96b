import type {
  AnswerPlan,
  BudgetLedger,
  CallContext,
  CallJudgement,
  CallKind,
  DecodedCall,
  Dialect,
  EarlierRequest,
  JsonDocument,
  SessionHistory,
  Unknown,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';

export type { EarlierRequest, RepairedRequest } from '../core/index.js';

/** The names in a call, outside of its texts, that callers choose. */
export type HiddenName = 'model' | 'provider';

/** A call to be judged, from any of the three interfaces. */
export interface JudgeInput {
  readonly policy: ActivePolicy;
  /** The account of the call; stable tokens are keyed by it. */
  readonly accountId: string;
  readonly context: CallContext;
  /** The use of the policy's budgets; unknown if omitted. */
  readonly ledger?: BudgetLedger;
  readonly call: DecodedCall;
  /** Names of the call that contain findings and must not be stored. */
  readonly hiddenNames?: readonly HiddenName[];
  /** The earlier calls of the session, or the reason why they are unknown. */
  readonly session?: SessionHistory | Unknown;
  /** The request's document, when earlier turns can be removed from it. */
  readonly doc?: JsonDocument;
  readonly kind: CallKind;
  /** False when it is too late to enforce anything (`ai.response` over REST): rules only report. */
  readonly enforceable: boolean;
  /** Whether the caller asked for monitoring without enforcement; it takes effect only where the policy honours it. */
  readonly monitorRequested: boolean;
  /** For an answer: its request and the judgement of it, when this process has them. */
  readonly request?: { readonly call: DecodedCall; readonly judgement: Judgement };
  /** For an answer whose request was judged by another process: the log's record of it. */
  readonly earlierRequest?: EarlierRequest;
}

/** The outcome of one judgement: what to enforce, report and store. */
export interface Judgement extends Omit<CallJudgement, 'stages' | 'repair' | 'redact' | 'masked' | 'clientMonitor'> {
  /** Set when the request is forwarded without blocked earlier turns. */
  readonly repair?: Omit<NonNullable<CallJudgement['repair']>, 'stages'>;
  /** Fact snapshot: JSON text without any matched text. */
  readonly snapshot: string;
  /** Milliseconds spent on judging. */
  readonly tookMs: number;
}

/** A streamed answer that is guarded while it is sent. */
export interface GuardAnswerInput extends Pick<JudgeInput, 'policy' | 'accountId' | 'context' | 'ledger' | 'session'> {
  readonly dialect: Dialect;
  readonly plan: AnswerPlan;
  readonly request: NonNullable<JudgeInput['request']>;
}
