/**
 * The stored parts of an event: its texts with their masks, and the facts of its decision. A decision can be computed again from this
 * data.
 */
export { MAX_EXCERPT } from './excerpt.js';
export { makersText, stageText } from './stage-text.js';
export { isWritten, makersOf, namedLeaves, stageSnapshot, type StageSnapshot } from './fact-snapshot.js';
export { rulesOfMasks, type RuleOfMask } from './mask-rules.js';
export { readRecordedDecision, SNAPSHOT_VERSION, type RecordedDecision } from './recorded-decision.js';
export { markingStored, MAX_MASKS, numbersOf, type StoredMask, type StoredMarks } from './stored-marks.js';
export type { StoredForm } from './stored-places.js';
export { readsSessions } from './session-facts.js';
