import type { CallContents, DecodedCall } from '../model/call.js';
import type { Decision, ExceptedInCall, RedactionCount, RedactSpec, Violation } from '../model/decision.js';
import type { BoundDetector } from '../detection/bind.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import type { BoundStructure } from '../detection/bind-structures.js';
import type { BudgetLedger } from '../detection/ledger.js';
import type { CallContext } from '../facts/build-facts.js';
import type { FactSet, Stage, Unknown } from '../model/fact.js';
import type { SessionHistory } from '../model/session.js';
import type { MergedDecision } from './merge-decisions.js';
import type { Conversation } from '../history/conversation.js';
import type { JsonDocument } from '../json/json-document.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Edit, TextEdit } from '../text/edit.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { Turns } from '../steps/steps.js';

/** A policy with its configured detectors, structure plugins and ledger plugins. */
export interface JudgingPolicy {
  readonly policy: CompiledPolicy;
  readonly detectors: readonly BoundDetector[];
  readonly structures: readonly BoundStructure[];
}

/** `request`: stage pre. `answer`: stage post, and stage tool once per new call. `tool_call`: stage tool. */
export type CallKind = 'request' | 'answer' | 'tool_call';

/** A call that is to be judged, whatever door it came through. */
export interface CallToJudge {
  readonly policy: JudgingPolicy;
  readonly context: CallContext;
  /** What the policy's budgets have used; without it nobody knows. */
  readonly ledger?: BudgetLedger;
  readonly call: DecodedCall;
  readonly kind: CallKind;
  /** The request's document, where earlier turns can be taken out of it. */
  readonly doc?: JsonDocument;
  /** Where there is no document: the turns of the request. */
  readonly conversation?: Conversation;
  /** False where nothing can be done any more (`ai.response` over REST): rules report, nothing is enforced. */
  readonly enforceable: boolean;
  /** The caller asked for judging without enforcement; it counts only where the policy honours it. */
  readonly monitorRequested: boolean;
  /** For an answer or a tool call: what is known of the request before it. */
  readonly request?: EarlierRequest;
  /** What happened earlier in the session, or why nobody knows. */
  readonly session?: SessionHistory | Unknown;
  /** Stage tool about one of the new calls alone; with undefined about a call of which nothing is known. */
  readonly onlyToolCall?: { readonly index: number | undefined };
  /** What is taken to be otherwise than it is. */
  readonly supposed?: WhatIf;
}

/** A request that has been judged already. */
export interface EarlierRequest {
  /** Absent when its texts are not known as they were. */
  readonly call?: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
}

/** A question of the kind "what if". */
export interface WhatIf {
  /** Keys of detectors, ids of structure plugins and ledger plugins that do not answer. */
  readonly down?: ReadonlySet<string>;
  /** Lays facts over those of the call. */
  readonly facts?: (facts: FactSet) => FactSet;
}

/** What judging needs of the outside: the judge itself has no clock, no keys and no threads. */
export interface JudgeHost {
  /** The instant of the call, milliseconds since the epoch: exceptions end by it. */
  readonly nowMs: number;
  /** Looks for findings in texts; see `scanWithin`. */
  readonly scan: ScanTexts;
  /** What stable tokens are made with; asked only where a rule masks with them. It may reject: then nothing is judged. */
  hash(): Promise<KeyedHash>;
  /** Lets others go first while a call with many findings is judged. Without it nobody waits. */
  readonly turns?: Turns;
}

/** @param neighbours whether values that are split over parts of a message are put together: for what a caller sends */
export type ScanTexts = (
  detectors: readonly BoundDetector[],
  segments: DecodedCall['segments'],
  neighbours: boolean,
) => Promise<readonly DetectorOutcome[]>;

/** The facts that the rules of one stage read. */
export interface StageFacts {
  readonly stage: Stage;
  /** At stage tool: index into `newToolCalls` of the call that is judged. */
  readonly toolCall?: number;
  readonly facts: FactSet;
  /** What of the call is no text. */
  readonly contents?: CallContents;
}

/** What detectors and structure plugins say of a call: everything that does not hang on what the rules say. */
export interface CallReading {
  readonly outcomes: readonly DetectorOutcome[];
  readonly stages: readonly StageFacts[];
}

/** One stage and what the rules made of it. */
export interface JudgedStage extends StageFacts {
  readonly decision: Decision;
}

/** The outcome of judging one call: what to do, and what to tell. Places are those of the call as it came. */
export interface CallJudgement extends Omit<MergedDecision, 'redact'> {
  /** Rules that matched and that an exception let go, and from what: from nothing where the call is refused all the same. */
  readonly excepted: readonly ExceptedInCall[];
  /** What the client is told: never more than rule, place and number. */
  readonly violations: readonly Violation[];
  /** What is replaced in the call's segments; empty unless the action is `redact`. */
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
  /**
   * Tokens and the values they stand for, for what this call's answer says. It lives as long as the call: never stored,
   * never logged.
   */
  readonly restorable: ReadonlyMap<string, string>;
  /** How findings are masked, by the rules that fired. */
  readonly redact: readonly RedactSpec[];
  /** The findings that they name and that the policy does not let go on as they are. */
  readonly masked: readonly LocatedFinding[];
  /** Set when the request goes on without earlier turns that are blocked. */
  readonly repair?: RepairedRequest;
  readonly outcomes: readonly DetectorOutcome[];
  readonly findings: readonly LocatedFinding[];
  readonly stages: readonly JudgedStage[];
  /** Whether the caller asked for monitor mode and the policy honours it. */
  readonly clientMonitor: boolean;
  /** True when the caller asked for monitor mode and the policy ignores it. */
  readonly monitorIgnored: boolean;
}

/** What goes on of a request that would be blocked for earlier turns alone. */
export interface RepairedRequest {
  readonly mode: 'drop' | 'replace';
  /** Indices of the messages (or items) that are taken out. */
  readonly dropped: readonly number[];
  /** How many turns are taken out, or texts replaced. */
  readonly count: number;
  /** The same as edits of the document's text. */
  readonly removals: readonly TextEdit[];
  /** What the provider gets to see, and what was found in it. */
  readonly call: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
  readonly findings: readonly LocatedFinding[];
  /** For each segment of that call, its index in the call as it came. */
  readonly segments: readonly number[];
  readonly stages: readonly JudgedStage[];
}
