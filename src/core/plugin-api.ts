/**
 * The API of plugins: everything in Weir that a detector, a structure plugin or a ledger plugin may use, with its guarantees. Everything
 * else may change with any release.
 */
export {
  type CodeInfo,
  defineDetector,
  type DetectorExample,
  type DetectorMeta,
  type OpenStream,
  type Scan,
  type ScanSettings,
  type ScanStream,
  type Settled,
} from './detection/detector.js';
export type { Finding } from './model/finding.js';
export { toolNameForm, ToolNames } from './call/tool-name.js';
export { PrefixIndex } from './detection/engine/prefix-index.js';
export { allSame, digitsOf, weightedSum } from './detection/engine/checksums/digits.js';
export { passesMod11Minus2, passesMod11Over10, passesMod97 } from './detection/engine/checksums/iso7064.js';
export { passesLuhn } from './detection/engine/checksums/luhn.js';
export { passesVerhoeff } from './detection/engine/checksums/verhoeff.js';
export { compilePatterns, reachOf } from './detection/engine/compile-patterns.js';
export { withHiddenLetters } from './detection/engine/disguised-scan.js';
export { KeywordMatcher } from './detection/engine/keyword-matcher.js';
export { normalise, SHADOW_STRETCH } from './detection/engine/normalise.js';
export { expressionCost } from './detection/engine/expression-cost.js';
export type { Candidate } from './detection/engine/pattern-set.js';
export type { Finder, FindInfo, Found, MatchInfo, Pattern } from './detection/engine/pattern.js';
export { regexExtent } from './detection/engine/regex-extent.js';
export { MAX_CLUSTER_LENGTH, resolveOverlaps } from './detection/engine/resolve-overlaps.js';
export { SharedReading } from './detection/engine/shared-reading.js';
export { type CandidateSource, streamCandidates } from './detection/engine/stream-patterns.js';
export { JointWords } from './detection/engine/word-index.js';
export type { BudgetLedger, LedgerPlugin } from './detection/ledger.js';
export { RemoteAnswerError, type RemoteDetector, type RemoteRequest, type RemoteText } from './detection/remote.js';
export type { StructureContext, StructurePlugin } from './detection/structure.js';
export { utf16Offsets } from './detection/text-units.js';
export { canonicalJson } from './json/canonical-json.js';
export { parseJson } from './json/json-document.js';
export type { DecodedCall, JsonValue, ToolCall } from './model/call.js';
export { withFreeText } from './model/free-text.js';
export { SESSIONS, withToolsNamed } from './model/session.js';
export { type FactDefinition, type FactSet, type FactValue, type Stage, Unknown } from './model/fact.js';
