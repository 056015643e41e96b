import { mergeUsage } from '../call/usage.js';
import type { Dialect, Usage } from '../model/call.js';
import type { JsonNode } from '../json/json-node.js';
import { ANTHROPIC } from './anthropic/index.js';
import { GEMINI } from './gemini/index.js';
import { OPENAI } from './openai/index.js';
import type { Provider } from './provider.js';

/** The API style of an upstream. */
export const PROVIDER_STYLES = ['openai', 'anthropic', 'gemini'] as const;
export type ProviderStyle = (typeof PROVIDER_STYLES)[number];

/** The built-in providers, in the order of messages and documentation. */
export const PROVIDERS: Readonly<Record<ProviderStyle, Provider>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
} satisfies Record<ProviderStyle, Provider>;

/** The properties of providers with this API style. */
export function providerOfStyle(style: ProviderStyle): Provider {
  return PROVIDERS[style];
}

/** The style of the provider that defined a dialect; undefined for formats that no built-in provider defined. */
export function styleOfDialect(dialect: Dialect): ProviderStyle | undefined {
  const [maker = ''] = dialect.split('.', 1);
  return isProviderStyle(maker) ? maker : undefined;
}

/**
 * Query parameters that hold a credential: those of the upstream's provider, and of the provider that defined the route's dialect. For
 * other providers, parameters with these names are ordinary text.
 */
export function credentialParameters(style: ProviderStyle, dialect: Dialect): ReadonlySet<string> {
  const maker = styleOfDialect(dialect);
  const styles = maker === undefined ? [style] : [style, maker];
  return new Set(styles.flatMap((each) => PROVIDERS[each].credentialParameters));
}

/** The distinct readers of token counts; some providers share one. */
const USAGE_READERS = [...new Set(Object.values(PROVIDERS).map(({ usage }) => usage))];

/**
 * The token counts of an answer in any provider's format: upstreams that serve another provider's route do not always use its format
 * for usage.
 *
 * @param answer the object with the counts: an answer, or a part of a stream event
 */
export function usageOfAny(answer: JsonNode | undefined): Usage | undefined {
  return USAGE_READERS.reduce<Usage | undefined>((found, read) => mergeUsage(found, read(answer)), undefined);
}

export function isProviderStyle(text: string): text is ProviderStyle {
  return (PROVIDER_STYLES as readonly string[]).includes(text);
}
