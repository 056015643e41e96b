import type { JsonNode } from '../json/json-node.js';
import {
  AGENT_CALLS,
  AGENT_TEXTS,
  CALL_DELTAS,
  COHERE_CHAT,
  CONVERSE,
  OTHER_EVENTS,
  WHOLE_AGENT_CALLS,
} from './own/streams.js';
import { PROVIDERS } from './providers.js';
import type { StreamFamily } from './stream-family.js';

const OF_PROVIDERS = Object.values(PROVIDERS).flatMap(({ streams }): readonly StreamFamily[] => streams);
/** Every family of events, those with distinct types first. */
export const STREAM_FAMILIES: readonly StreamFamily[] = [
  ...OF_PROVIDERS.filter(({ hasTypes }) => hasTypes),
  CALL_DELTAS,
  AGENT_CALLS,
  WHOLE_AGENT_CALLS,
  AGENT_TEXTS,
  ...OF_PROVIDERS.filter(({ hasTypes }) => !hasTypes),
  CONVERSE,
  COHERE_CHAT,
  OTHER_EVENTS,
];

/** The family of an event, by its content and not by its provider: many upstreams serve other providers' routes. */
export function familyOf(type: string, root: JsonNode | undefined): StreamFamily {
  return STREAM_FAMILIES.find(({ claims }) => claims(type, root)) ?? OTHER_EVENTS;
}
