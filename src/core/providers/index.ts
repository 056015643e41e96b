/**
 * Data about each provider, in one folder each, and the decoding of calls with it. A new provider is a folder and a line in
 * providers.ts: docs/guides/add-a-provider.md.
 */
export { decodeAnswer, decodeRequest, decodingAnswer, decodingRequest, segmentsOf } from './decode-call.js';
export { estimatingSentUsage, estimatingUsage } from './estimate-usage.js';
export { searchesAlways } from './shared-fields.js';
export { dialectFacts, dialectOfRoute, DIALECTS, isStreamedList } from './dialects.js';
export type { CannedAnswer } from './canned-answer.js';
export {
  credentialParameters,
  isProviderStyle,
  PROVIDERS,
  PROVIDER_STYLES,
  providerOfStyle,
  styleOfDialect,
  type ProviderStyle,
} from './providers.js';
export type { FramePlace, Provider, ProviderDialect, RouteFacts, StyledError, WeirInfo } from './provider.js';
