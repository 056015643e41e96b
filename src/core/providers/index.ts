export { decodeAnswer, decodeRequest, decodingAnswer, decodingRequest, segmentsOf } from './decode-call.js';
export { sentUsage, usageOf } from './estimate-usage.js';
export { searchesAlways } from './shared-fields.js';
export { dialectFacts, dialectOfRoute, DIALECTS, isStreamedList } from './dialects.js';
export { isProviderStyle, PROVIDERS, PROVIDER_STYLES, providerOfStyle, type ProviderStyle } from './providers.js';
export type { Provider, ProviderDialect, RouteFacts, StyledError, WeirInfo } from './provider.js';
