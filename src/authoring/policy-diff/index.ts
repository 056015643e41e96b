/**
 * Comparison of two policies by requests that they decide differently. `comparePolicies` searches for such witnesses and reports the parts
 * that it did not search.
 */
export { comparePolicies, compareVerdicts } from './compare-verdicts.js';
export type { CompareOptions, PolicyComparison, SearchReport, VerdictChange } from './compare-verdicts.js';
export { sliceOf } from './slice-of.js';
export { WitnessSearch } from './witness-search.js';
export type { DescribedRequest } from './describe-request.js';
export type { RawFinding } from './request.js';
export { replacementIn, type Direction, type Verdict } from './verdict.js';
export { outcomeWord, requestLine, verdictLine } from './words.js';
export { sampleOf, type TextComparison } from './compare-texts.js';
export { samplesOf } from './sample-pattern.js';
