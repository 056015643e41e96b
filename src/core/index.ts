/**
 * The only public interface of the pure domain: the code that judges calls, without the code for writing policies (src/authoring). No code
 * in core may use Node, Nest, the clock, randomness or logging: the same code runs in the server, the CLI and the tests.
 */
export * from './errors.js';
export { stackFrames } from './stack-frames.js';

export * from './bundle/index.js';

export * from './budget/budget-api.js';
export * from './budget/call-bound.js';
export * from './budget/ledger-step.js';
export * from './budget/scope.js';

export * from './model/call.js';
export { compareText } from './model/compare-text.js';
export { definedFields } from './model/defined-fields.js';
export { findingBase64 } from './call/base64-places.js';
export { unwrapped } from './call/wrapped-base64.js';
export * from './call/file-edits.js';
export * from './call/logprobs.js';
export * from './call/token-ids.js';
export { toolNameForm, ToolNames } from './call/tool-name.js';
export * from './call/unread-texts.js';
export { findingPrompts } from './call/unknown-requests.js';
export { cutsAtCodedText } from './call/coded-text.js';
export { isNameLike } from './call/json-path.js';
export { cutsOfIdentifier, isIdentifier, isIdentifierOf, isPlain, isPlainOf } from './call/scalar-forms.js';
export * from './providers/index.js';
export * from './call/usage.js';

export * from './coding/base64.js';
export * from './coding/charsets.js';
export * from './text/runs.js';
export * from './text/two-byte-texts.js';
export { findingShiftEnd, readingShift } from './coding/utf7.js';
export {
  bytesOfText,
  isWideCharset,
  readingTextOfBytes,
  textOfBytes,
  type CodedText,
  type TextCoding,
} from './coding/text-coding.js';

export * from './decision/contents-rules.js';
export * from './model/actions.js';
export * from './model/decision.js';
export * from './decision/unmaskable.js';

export * from './detection/bind.js';
export * from './detection/bind-structures.js';
export * from './detection/catalog.js';
export { defaultBinding } from './detection/default-binding.js';
export * from './detection/described.js';
export * from './detection/detector.js';
export * from './detection/engine/prefix-index.js';
export * from './detection/engine/checksums/digits.js';
export * from './detection/engine/checksums/iso7064.js';
export * from './detection/engine/checksums/luhn.js';
export * from './detection/engine/checksums/verhoeff.js';
export * from './detection/engine/compile-patterns.js';
export * from './detection/engine/keyword-matcher.js';
export * from './detection/engine/normalise.js';
export type { Candidate, CompileSettings } from './detection/engine/pattern-set.js';
export * from './detection/engine/pattern.js';
export * from './detection/engine/regex-extent.js';
export * from './detection/engine/resolve-overlaps.js';
export * from './detection/engine/shared-reading.js';
export * from './detection/engine/stream-patterns.js';
export { JointWords } from './detection/engine/word-index.js';
export * from './facts/join-catalog.js';
export { joinsOf } from './detection/joined-texts.js';
export type { Joined } from './detection/split-values.js';
export * from './detection/ledger.js';
export * from './detection/pieces.js';
export * from './detection/reach-stream.js';
export * from './detection/remote.js';
export * from './detection/rereadings.js';
export * from './detection/run-scan.js';
export * from './model/finding.js';
export * from './detection/structure.js';
export * from './detection/text-units.js';

export * from './facts/build-facts.js';
export * from './model/fact.js';
export { memoizeByObject } from './model/memoize.js';
export { nameUpTo } from './model/name.js';
export * from './facts/read-path.js';
export * from './facts/registry.js';

export * from './history/conversation.js';
export * from './history/repair-history.js';
export * from './history/session-state.js';
export { required } from './model/required.js';
export * from './model/session.js';
export { TOKEN_SCOPES, type TokenScope } from './model/token-scopes.js';

export * from './json/canonical-json.js';
export * from './json/json-document.js';
export * from './json/json-node.js';
export * from './json/json-parser.js';
export { longNumberOf } from './json/long-number.js';
export * from './json/splice.js';

export * from './judge/index.js';

export * from './money/model-price.js';
export * from './money/nano-usd.js';
export * from './money/usage-parts.js';

export * from './policy/compile-policy.js';
export { dumpNodes, readFileOnce, rememberReading, type ReadableFile } from './policy/source/known-reading.js';
export * from './model/compiled-policy.js';
export * from './policy/format-problems.js';
export { builtInPolicies, builtInPolicy, isBuiltIn, newestBuiltIn } from './policy/built-in/index.js';
export { OPERATOR_NAMES, OPERATORS } from './policy/operators.js';
export { timeOf } from './policy/operator-values.js';
export { instantMs } from './policy/policy-format.js';
export * from './policy/problem-codes.js';
export { didYouMean, nearestWord } from './policy/source/did-you-mean.js';
export { plainWords } from './policy/source/plain-words.js';
export { schemaProblems } from './policy/source/schema-problems.js';
export type { LeafPlace, PolicySources, RulePlace, SourcePlace } from './model/policy-sources.js';

export * from './redaction/index.js';

export {
  atOnce,
  atOnceOrInTurns,
  filtered,
  joinedLists,
  mapped,
  oneStep,
  isStop,
  THINGS_BETWEEN_STOPS,
  type Steps,
  type Turns,
} from './steps/steps.js';

export * from './stored/index.js';
export { joining, replacing } from './text/replacing.js';

export * from './stream/answer-plan.js';

export * from './stream/assemble-stream.js';
export * from './stream/guarded-stream.js';
export { isPlainField, parseSse, SseBlocks } from './stream/sse.js';
export type { StreamedFile } from './stream/stream-event.js';
export * from './stream/stream-order-error.js';
