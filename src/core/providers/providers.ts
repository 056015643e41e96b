import { mergeUsage } from '../call/usage.js';
import type { Dialect, Usage } from '../model/call.js';
import type { JsonNode } from '../json/json-node.js';
import { ANTHROPIC } from './anthropic/index.js';
import { GEMINI } from './gemini/index.js';
import { OPENAI } from './openai/index.js';
import type { Provider } from './provider.js';

/** The API of an upstream. */
export const PROVIDER_STYLES = ['openai', 'anthropic', 'gemini'] as const;
export type ProviderStyle = (typeof PROVIDER_STYLES)[number];

/** The providers that are built in, in the order in which people are told of them. */
export const PROVIDERS: Readonly<Record<ProviderStyle, Provider>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
} satisfies Record<ProviderStyle, Provider>;

/** What is known about providers of this style. */
export function providerOfStyle(style: ProviderStyle): Provider {
  return PROVIDERS[style];
}

/**
 * Parameters of the query that hold a credential of the provider: those of whoever the call goes to, and of whoever made the
 * dialect that its route speaks. For anybody else a parameter of that name is a word like others.
 */
export function credentialParameters(style: ProviderStyle, dialect: Dialect): ReadonlySet<string> {
  const [maker = ''] = dialect.split('.', 1);
  const styles = isProviderStyle(maker) ? [style, maker] : [style];
  return new Set(styles.flatMap((each) => PROVIDERS[each].credentialParameters));
}

/** How the providers tell token counts; several tell them alike. */
const USAGE_READERS = [...new Set(Object.values(PROVIDERS).map(({ usage }) => usage))];

/**
 * The token counts of an answer in any provider's words: the same route is served by many, and not all of them translate.
 *
 * @param answer the object that tells them: an answer, or the part of a stream's event
 */
export function usageOfAny(answer: JsonNode | undefined): Usage | undefined {
  return USAGE_READERS.reduce<Usage | undefined>((found, read) => mergeUsage(found, read(answer)), undefined);
}

export function isProviderStyle(text: string): text is ProviderStyle {
  return (PROVIDER_STYLES as readonly string[]).includes(text);
}
