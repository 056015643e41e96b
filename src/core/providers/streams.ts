import type { JsonNode } from '../json/json-node.js';
import { AGENT_CALLS, CALL_DELTAS, CONVERSE, OTHER_EVENTS, WHOLE_AGENT_CALLS } from './own/streams.js';
import { PROVIDERS } from './providers.js';
import type { StreamFamily } from './stream-family.js';

const OF_PROVIDERS = Object.values(PROVIDERS).flatMap(({ streams }): readonly StreamFamily[] => streams);
/** Every family of events, those with distinct types first. */
export const STREAM_FAMILIES: readonly StreamFamily[] = [
  ...OF_PROVIDERS.filter(({ hasTypes }) => hasTypes),
  CALL_DELTAS,
  AGENT_CALLS,
  WHOLE_AGENT_CALLS,
  ...OF_PROVIDERS.filter(({ hasTypes }) => !hasTypes),
  CONVERSE,
  OTHER_EVENTS,
];

/** The family of an event, by its content and not by its provider: many upstreams serve other providers' routes. */
export function familyOf(type: string, root: JsonNode | undefined): StreamFamily {
  return STREAM_FAMILIES.find(({ claims }) => claims(type, root)) ?? OTHER_EVENTS;
}
