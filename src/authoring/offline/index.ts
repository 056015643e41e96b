/**
 * Judges one call without a service, with the detectors, facts, evaluator and redaction of the service. The commands `try` and `repl` use
 * it.
 */
export {
  answeringSources,
  OfflineJudge,
  type OfflineCall,
  type OfflineHost,
  type OfflineJudgement,
} from './offline-judge.js';
export { callOf, messagesCallOf, textCallOf, toolCallOf, type ReadCall } from './read-call.js';
export { shownTexts, type ShownMask, type ShownTexts } from './masks.js';
