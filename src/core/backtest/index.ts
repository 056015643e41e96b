/** What is stored of a decision, and what another policy would have decided. Pure: the evaluator is that of live calls. */
export { Backtest, changedRules, type BacktestReport, type Flip, type Share } from './backtest.js';
export { makersOf, stageSnapshot, isWritten, namedLeaves, type StageSnapshot } from './fact-snapshot.js';
export { recordedVerdict, Recomputer, type Recomputed, type VerdictName } from './recompute.js';
export { readRecordedDecision, SNAPSHOT_VERSION, type RecordedDecision } from './recorded-decision.js';
