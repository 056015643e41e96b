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

/** Data from a caller in addition to the texts of a call. */
export type HiddenName = 'model' | 'provider';

/** What is to be judged, whatever door it came through. */
export interface JudgeInput {
  readonly policy: ActivePolicy;
  /** Whose call it is: stable tokens are keyed by it. */
  readonly accountId: string;
  readonly context: CallContext;
  /** What the policy's budgets have used; without it nobody knows. */
  readonly ledger?: BudgetLedger;
  readonly call: DecodedCall;
  /** Names of the call in which something was found that must not be stored. */
  readonly hiddenNames?: readonly HiddenName[];
  /** What happened earlier in the session, or why nobody knows. */
  readonly session?: SessionHistory | Unknown;
  /** The request's document, where earlier turns can be taken out of it. */
  readonly doc?: JsonDocument;
  readonly kind: CallKind;
  /** False where nothing can be done any more (`ai.response` over REST): rules report, nothing is enforced. */
  readonly enforceable: boolean;
  /** The caller asked for judging without enforcement; it counts only where the policy honours it. */
  readonly monitorRequested: boolean;
  /** For an answer: the request it belongs to and how that was judged, when this process knows. */
  readonly request?: { readonly call: DecodedCall; readonly judgement: Judgement };
  /** For an answer whose request was judged by somebody else: what the log knows about it. */
  readonly earlierRequest?: EarlierRequest;
}

/** The outcome of one judgement: what to do, what to tell, what to store. */
export interface Judgement extends Omit<CallJudgement, 'stages' | 'repair' | 'redact' | 'masked' | 'clientMonitor'> {
  /** Set when the request goes on without earlier turns that are blocked. */
  readonly repair?: Omit<NonNullable<CallJudgement['repair']>, 'stages'>;
  /** Fact snapshot: JSON text without any matched text. */
  readonly snapshot: string;
  /** Milliseconds spent on judging. */
  readonly tookMs: number;
}

/** A streamed answer that is to be guarded on its way. */
export interface GuardAnswerInput extends Pick<JudgeInput, 'policy' | 'accountId' | 'context' | 'ledger' | 'session'> {
  readonly dialect: Dialect;
  readonly plan: AnswerPlan;
  readonly request: NonNullable<JudgeInput['request']>;
}
