/** Judging one call here and now: the detectors, facts, evaluator and redaction of the service, without the service. */
export {
  answeringSources,
  OfflineJudge,
  type OfflineCall,
  type OfflineHost,
  type OfflineJudgement,
} from './offline-judge.js';
export { callOf, messagesCallOf, textCallOf, toolCallOf, type ReadCall } from './read-call.js';
export { shownTexts, type ShownMask, type ShownTexts } from './masks.js';
