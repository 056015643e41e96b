import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { calcPrice, findProvider, type Provider } from '@pydantic/genai-prices';
import { nanoUsdOf, type ModelPrice, type Rate, type ServiceTier } from '../../core/index.js';

/** The data of a call, from its event and the configuration, that determines its price. */
export interface PricedModel {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The provider's address, for providers with a name that the operator chose. */
  readonly baseUrl?: string;
  /** Absent for the standard tier, whose prices are published. */
  readonly serviceTier?: ServiceTier;
}

/** Prices of models that the policy or the library knows. */
export interface PriceBook {
  /** @returns undefined when the price is unknown; never a price of zero instead */
  priceOf(model: PricedModel, at: Date): ModelPrice | undefined;
}

/**
 * The prices of `@pydantic/genai-prices`, as they are in the installed package: nothing is fetched. Prices that change
 * with time are those of the given instant.
 */
export class LibraryPrices implements PriceBook {
  readonly version = `genai-prices@${installedVersion()}`;

  priceOf({ provider, model, baseUrl, serviceTier }: PricedModel, at: Date): ModelPrice | undefined {
    if (model === undefined || serviceTier !== undefined) return undefined;
    const found = providerOf(provider, baseUrl);
    // An unknown provider may serve a well-known model at any price.
    if (found === undefined && (provider !== undefined || baseUrl !== undefined)) return undefined;
    const known = calcPrice({}, model, { timestamp: at, ...(found === undefined ? {} : { provider: found }) });
    return known === null ? undefined : this.modelPrice(known.model_price, known.model.context_window);
  }

  private modelPrice(rates: LibraryRates, contextWindow: number | undefined): ModelPrice | undefined {
    const input = rateOf(rates['input_mtok']);
    if (input === undefined) return undefined;
    const optional = {
      output: rateOf(rates['output_mtok']),
      cacheRead: rateOf(rates['cache_read_mtok']),
      cacheWrite5m: rateOf(rates['cache_write_mtok']),
      cacheWrite1h: rateOf(rates['cache_write_1h_mtok']),
      reasoning: rateOf(rates['output_reasoning_mtok']),
      audioInput: rateOf(rates['input_audio_mtok']),
      audioOutput: rateOf(rates['output_audio_mtok']),
      calls: rateOf(rates['requests_kcount'])?.base,
      webSearches: rateOf(rates['web_searches_kcount'])?.base,
      fileSearches: rateOf(rates['storage_searches_kcount'])?.base,
      contextWindow,
    };
    const given = Object.entries(optional).filter(([, value]) => value !== undefined);
    return { input, ...Object.fromEntries(given), version: this.version };
  }
}

/** Whether the list of prices contains exactly this model name. Names that callers invent can contain anything. */
export function isListedModel({ provider, model }: Pick<PricedModel, 'provider' | 'model'>): boolean {
  if (provider === undefined || model === undefined) return false;
  return findProvider({ providerId: provider })?.models.some(({ id }) => id === model) === true;
}

type LibraryRates = NonNullable<ReturnType<typeof calcPrice>>['model_price'];

function providerOf(id: string | undefined, baseUrl: string | undefined): Provider | undefined {
  const byId = id === undefined ? undefined : findProvider({ providerId: id });
  return byId ?? (baseUrl === undefined ? undefined : findProvider({ providerApiUrl: baseUrl }));
}

/** The library states prices in dollars per million tokens, with tiers by the size of the input. */
function rateOf(price: LibraryRates[string]): Rate | undefined {
  if (price === undefined) return undefined;
  if (typeof price === 'number') return rateOfUsd(price);
  const base = rateOfUsd(price.base);
  const tiers = price.tiers.flatMap(({ start, price: usd }) => {
    const rate = rateOfUsd(usd)?.base;
    return rate === undefined ? [] : [{ aboveInputTokens: start, rate }];
  });
  return base === undefined || tiers.length < price.tiers.length ? undefined : { ...base, tiers };
}

/** The shortest decimal for this double is the number that the library's authors wrote. */
function rateOfUsd(usd: number): Rate | undefined {
  const base = nanoUsdOf(String(usd));
  return base === undefined ? undefined : { base };
}

function installedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@pydantic/genai-prices'));
  const { version } = JSON.parse(readFileSync(fileURLToPath(manifest), 'utf8')) as { readonly version: string };
  return version;
}
