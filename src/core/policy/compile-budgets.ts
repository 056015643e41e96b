import type { BudgetDefinition } from './compiled.js';
import { BUDGET } from './policy-format.js';
import type { Owned } from './resolve.js';
import { entryOf, nodeAt, valueOf } from './source/node.js';
import type { Problems } from './source/problems.js';

/** Checks and types one budget. Amounts of money stay exact: integer nano-dollars as text. */
export function compileBudget({ node }: Owned, problems: Problems): BudgetDefinition | undefined {
  const fields = BUDGET.read(node, problems);
  if (fields === undefined) return undefined;
  const { usd, tokens } = fields.limit;
  const limit = nodeAt(node, 'limit');
  if ((entryOf(limit, 'usd') === undefined) === (entryOf(limit, 'tokens') === undefined)) {
    problems.add('G007', (limit ?? node).span, 'a limit is either "usd" or "tokens"');
    return undefined;
  }
  if (usd === undefined && tokens === undefined) return undefined;
  const id = valueOf(node, 'id')!;
  problems.add('G031', id.span, `budget "${fields.id}" is checked for form, but not yet counted or enforced`);
  return {
    id: fields.id,
    scope: fields.scope,
    window: { per: fields.window.per, timezone: fields.window.timezone ?? 'UTC' },
    limit: usd === undefined ? { unit: 'tokens', tokens: tokens! } : { unit: 'usd', nanoUsd: usd },
    warnAt: [...new Set(fields.warn_at ?? [])].sort((a, b) => a - b),
    onExceed: fields.on_exceed ?? 'record',
  };
}
