/**
 * The common steps of a call for every entry point: authentication, admission, judgement and outcome, and the reading of bodies in
 * providers' formats. The entry points read requests and send answers; nothing here contacts a provider.
 */
export { headerTextsOf, isPlainHeader, type HeaderText } from './answer-headers.js';
export { UnreadableAnswer, type CallTimes, type JudgedAnswer } from './answer-judge.js';
export { isReadAnswer, mayChange, unreadBytesOf, type AnswerHead } from './answer-kind.js';
export { isEventStream, isFramed, isUnreadable, looksLikeStream, requireReadableStream } from './answer-texts.js';
export { clientStyle, clientStyleAt } from './client-style.js';
export { KnownTargets } from './known-targets.js';
export { holdsOwnCredential, routeTexts } from './call-envelope.js';
export { bodyOf, CallIntake, type ArrivingCall, type EnteredCall } from './call-intake.js';
export { callOfRequest, unpacked, type RawRequest } from './call-of-body.js';
export { CallRecord, CallRecords, ENDED_BEFORE, type AbandonedAnswer, type RecordedEnd } from './call-record.js';
export { CallEntrance, type Entered } from './call-entrance.js';
export { endId } from './call-event.js';
export { isErrorStatus } from './error-answer.js';
export { exceptionFrame, FramedEvents } from './framed-events.js';
export { UnreadableBody } from './unreadable-body.js';
export {
  CallPipeline,
  type EventContent,
  type Judged,
  type Recorded,
  type Refused,
  type Stored,
} from './call-pipeline.js';
export { CallReplays, StoredBefore } from './call-replays.js';
export { CallsModule } from './calls.module.js';
export {
  answerLimits,
  CodingError,
  isWrappedDeflate,
  RATIO_FREE_BYTES,
  unpackBody,
  unpackedOrUnreadable,
  type CodedBody,
  type UnpackedLimits,
} from './content-coding.js';
export {
  dialectAnswer,
  dialectError,
  dialectErrorFrame,
  errorInfo,
  requestIdHeaders,
  type DialectErrorInfo,
} from './dialect-error.js';
export type { PartialAnswer } from './failure-recorder.js';
export { callContext, spendingCall, type AdmittedCall, type ProxiedCall, type RequestClaim } from './proxied-call.js';
export {
  CALLS_PREFIX,
  governedRoutes,
  providerOf,
  PROXIED_METHODS,
  PROXY_PREFIX,
  proxyTarget,
  type ProxyTarget,
} from './proxy-target.js';
export { isContentBlock, refusalOf } from './refusal.js';
export { changedBody, requestBody, requestChanges } from './request-body.js';
export { RequestJudge } from './request-judge.js';
export { FileWatch } from './streamed-files.js';
export { callHeaders, refusalHeaders, weirHeaders } from './weir-headers.js';
export { CallSessions } from './call-sessions.js';
