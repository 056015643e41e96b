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

/** A call to be judged, from any surface. */
export interface CallToJudge {
  readonly policy: JudgingPolicy;
  readonly context: CallContext;
  /** The used amounts of the policy's budgets; without it they are unknown. */
  readonly ledger?: BudgetLedger;
  readonly call: DecodedCall;
  readonly kind: CallKind;
  /** The parsed body of the request, if earlier turns can be removed from it. */
  readonly doc?: JsonDocument;
  /** The turns of the request, if there is no `doc`. */
  readonly conversation?: Conversation;
  /** False if it is too late to enforce anything (`ai.response` over REST): rules only report. */
  readonly enforceable: boolean;
  /** Whether the caller asked for monitor mode; it applies only if the policy honours it. */
  readonly monitorRequested: boolean;
  /** For an answer or a tool call: the data known about its request. */
  readonly request?: EarlierRequest;
  /** The earlier steps of the session, or why they are unknown. */
  readonly session?: SessionHistory | Unknown;
  /** Judges only one of the new tool calls, at stage `tool`; with an undefined index, a call about which nothing is known. */
  readonly onlyToolCall?: { readonly index: number | undefined };
  /** Hypothetical changes to the call or the plugins. */
  readonly supposed?: WhatIf;
}

/** A request that was already judged. */
export interface EarlierRequest {
  /** Absent if its original texts are not known. */
  readonly call?: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
  /** From the tokens that the provider received to the values that are restored in the answer; absent if nothing is restored. */
  readonly restorable?: ReadonlyMap<string, string>;
}

/** Assumptions for a what-if comparison. */
export interface WhatIf {
  /** Keys of detectors, and ids of structure and ledger plugins, that are assumed to fail. */
  readonly down?: ReadonlySet<string>;
  /** Replaces facts of the call. */
  readonly facts?: (facts: FactSet) => FactSet;
}

/** The judge's dependencies: it has no clock, keys or threads of its own. */
export interface JudgeHost {
  /** The time of the call in milliseconds since the epoch; decides whether an exception has expired. */
  readonly nowMs: number;
  /** Searches texts for findings; see `scanWithin`. */
  readonly scan: ScanTexts;
  /** The hash for stable tokens, called only if a rule uses them. If it rejects, the judgement fails. */
  hash(): Promise<KeyedHash>;
  /** Yields to other calls while a call with many findings is judged. Without it, the work is not interrupted. */
  readonly turns?: Turns;
}

/** @param neighbours whether values that are split over parts of a message are joined; true for requests */
export type ScanTexts = (
  detectors: readonly BoundDetector[],
  segments: DecodedCall['segments'],
  neighbours: boolean,
) => Promise<readonly DetectorOutcome[]>;

/** The facts that the rules of one stage read. */
export interface StageFacts {
  readonly stage: Stage;
  /** At stage `tool`: the index of the judged call in `newToolCalls`. */
  readonly toolCall?: number;
  readonly facts: FactSet;
  /** The parts of the call that are not text. */
  readonly contents?: CallContents;
}

/** The results of detectors and structure plugins for a call: everything that does not depend on the rules' results. */
export interface CallReading {
  readonly outcomes: readonly DetectorOutcome[];
  readonly stages: readonly StageFacts[];
}

/** One stage and the decision on it. */
export interface JudgedStage extends StageFacts {
  readonly decision: Decision;
}

/** The outcome of judging one call: the action and the report. Paths and segment indices refer to the original call. */
export interface CallJudgement extends Omit<MergedDecision, 'redact'> {
  /** Rules that matched but were softened by an exception, with the effect that was prevented: null if the call is refused anyway. */
  readonly excepted: readonly ExceptedInCall[];
  /** The report to the client: only rules, paths and counts. */
  readonly violations: readonly Violation[];
  /** The replacements in the call's segments; empty unless the action is `redact`. */
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
  /** From tokens to values, for restoring in this call's answer. It exists only during the call and is never stored or logged. */
  readonly restorable: ReadonlyMap<string, string>;
  /** How findings are masked, by the rules that fired. */
  readonly redact: readonly RedactSpec[];
  /** The findings that `redact` names, without those that the policy forwards unmasked. */
  readonly masked: readonly LocatedFinding[];
  /** Set if the request is forwarded without its blocked earlier turns. */
  readonly repair?: RepairedRequest;
  readonly outcomes: readonly DetectorOutcome[];
  readonly findings: readonly LocatedFinding[];
  readonly stages: readonly JudgedStage[];
  /** Whether the caller asked for monitor mode and the policy honours it. */
  readonly clientMonitor: boolean;
  /** True when the caller asked for monitor mode and the policy ignores it. */
  readonly monitorIgnored: boolean;
}

/** The forwarded part of a request of which only earlier turns are blocked. */
export interface RepairedRequest {
  readonly mode: 'drop' | 'replace';
  /** Indices of the removed messages (or items). */
  readonly dropped: readonly number[];
  /** The number of removed turns, or of replaced texts. */
  readonly count: number;
  /** The removals as edits of the document's text. */
  readonly removals: readonly TextEdit[];
  /** The call that the provider receives; `outcomes` and `findings` refer to it. */
  readonly call: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
  readonly findings: readonly LocatedFinding[];
  /** For each segment of `call`, its index in the original call. */
  readonly segments: readonly number[];
  readonly stages: readonly JudgedStage[];
}
