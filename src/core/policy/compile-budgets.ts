import type { BudgetDefinition, PriceOverride } from '../model/compiled-policy.js';
import { BUDGET, PRICE } from './policy-format.js';
import type { Owned, ResolvedPolicy } from './resolve.js';
import { entryOf, nodeAt, valueOf, type Node } from './source/node.js';
import type { Problems } from './source/problems.js';

/**
 * Checks one budget and returns its typed form. Amounts of money stay exact: integer nano-dollars as text.
 *
 * @param capped whether the policy caps the output of calls that name no limit
 */
export function compileBudget({ node }: Owned, capped: boolean, problems: Problems): BudgetDefinition | undefined {
  const fields = BUDGET.read(node, problems);
  if (fields === undefined) return undefined;
  const { usd, tokens } = fields.limit;
  const limit = nodeAt(node, 'limit');
  if ((entryOf(limit, 'usd') === undefined) === (entryOf(limit, 'tokens') === undefined)) {
    problems.add('G007', (limit ?? node).span, 'a limit is either "usd" or "tokens"');
    return undefined;
  }
  if (usd === undefined && tokens === undefined) return undefined;
  if (fields.on_exceed === 'block' && !capped) {
    const message = `budget "${fields.id}" can be exceeded by calls without a token limit`;
    problems.add('G125', valueOf(node, 'id')!.span, message, 'set default_max_tokens in this policy');
  }
  return {
    id: fields.id,
    scope: fields.scope,
    window: { per: fields.window.per, timezone: fields.window.timezone ?? 'UTC' },
    limit: usd === undefined ? { unit: 'tokens', tokens: tokens ?? 0 } : { unit: 'usd', nanoUsd: usd },
    warnAt: [...new Set(fields.warn_at ?? [])].sort((a, b) => a - b),
    onExceed: fields.on_exceed ?? 'record',
    ...(fields.on_unknown_price === 'allow' ? { onUnknownPrice: 'allow' } : {}),
  };
}

/** Compiles the prices set by the policy, in the order of model names; undefined if the policy sets none. */
export function compilePrices(
  { prices }: ResolvedPolicy,
  problems: Problems,
): Readonly<Record<string, PriceOverride>> | undefined {
  const read = prices.size === 0 ? undefined : [...prices].map(([name, node]) => [name, priceOf(node, problems)]);
  return read === undefined ? undefined : (Object.fromEntries(read) as Record<string, PriceOverride>);
}

function priceOf(node: Node, problems: Problems): PriceOverride {
  const fields = PRICE.read(node, problems) ?? {};
  const named = {
    input: fields.input_usd_per_million,
    output: fields.output_usd_per_million,
    cacheRead: fields.cache_read_usd_per_million,
    cacheWrite: fields.cache_write_usd_per_million,
    cacheWrite1h: fields.cache_write_1h_usd_per_million,
    reasoning: fields.reasoning_usd_per_million,
  };
  return Object.fromEntries(Object.entries(named).filter(([, nanoUsd]) => nanoUsd !== undefined));
}
