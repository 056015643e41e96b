/**
 * Judges a call: scans it, builds the facts, evaluates the stages, repairs the history, plans the redaction and merges the results into
 * one verdict. Clock, keys, threads and pauses are passed in.
 */
export { decisionOf, findingsOf, judgeCall } from './judge-call.js';
export { answerOf } from './merge-decisions.js';
export { GrowingAnswer, type ExpectedAnswer } from './growing-answer.js';
export { answersAt, askRule, judgeStage, type StageToJudge } from './judge-stage.js';
export { readCall, scanCall, scanWithin, stageOfKind } from './read-call.js';
export type {
  CallJudgement,
  CallKind,
  CallReading,
  CallToJudge,
  EarlierRequest,
  JudgedStage,
  JudgeHost,
  JudgingPolicy,
  RepairedRequest,
  StageFacts,
  WhatIf,
} from './judgement.js';
