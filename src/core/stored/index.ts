export { MAX_EXCERPT } from './excerpt.js';
export { rulesOfMasks, type RuleOfMask } from './mask-rules.js';
export { markingStored, MAX_MASKS, numbersOf, type StoredMask, type StoredMarks } from './stored-marks.js';
export type { StoredForm } from './stored-places.js';
