/** Evaluates recorded events with another policy. Pure, with the evaluator of live calls. */
export { Backtest, changedRules, type BacktestReport, type Flip, type Share } from './backtest.js';
export { recordedVerdict, Recomputer, type Recomputed, type VerdictName } from './recompute.js';
