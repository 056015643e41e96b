/**
 * One call with a provider's own body, whatever door it comes through: who calls, what is in it, may it go on, what came of
 * it. Doors read what stands on the wire, and answer; nothing here talks to a provider.
 */
export {
  AnswerJudge,
  UnreadableAnswer,
  type AnswerToJudge,
  type CallTimes,
  type JudgedAnswer,
} from './answer-judge.js';
export { isEventStream, isFramed, looksLikeStream } from './answer-texts.js';
export { looksLikeText } from './body-form.js';
export { holdsOwnCredential } from './call-envelope.js';
export { bodyOf, CallIntake, type ArrivingCall } from './call-intake.js';
export { callOfRequest, type RawRequest } from './call-of-body.js';
export { CallsModule } from './calls.module.js';
export {
  answerLimits,
  CodingError,
  isWrappedDeflate,
  RATIO_FREE_BYTES,
  type UnpackedLimits,
} from './content-coding.js';
export { dialectError, dialectErrorFrame, type DialectErrorInfo } from './dialect-error.js';
export { FailureRecorder, type SeenOfAnswer } from './failure-recorder.js';
export { kindOfType } from './media-type.js';
export { callContext, type AdmittedCall, type CallDoor } from './proxied-call.js';
export { providerOf, PROXY_PREFIX, proxyTarget, type ProxyTarget } from './proxy-target.js';
export { refusalOf } from './refusal.js';
export { requestBody } from './request-body.js';
export { RequestJudge } from './request-judge.js';
export { FileWatch } from './streamed-files.js';
export { weirHeaders } from './weir-headers.js';
