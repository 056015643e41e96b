import type { BudgetDefinition, CompiledPolicy, PriceOverride } from '../../core/model/compiled-policy.js';
import { WINDOWS } from './order.js';
import { dollars } from './show-value.js';

/** A call with a given state of a budget, and its outcome under two policies. */
export interface MoneyWitness {
  readonly direction: 'weaker' | 'stricter';
  /** In words, such as `a call of $10 after $50 spent: refused before, passes now`. */
  readonly text: string;
}

/** Windows, shortest first. */
const LENGTHS = ['hour', 'day', 'week', 'month', 'total'] as const;
const ANSWERS = ['refused', 'passes and is reported', 'passes'] as const;
type Answer = (typeof ANSWERS)[number];

/** Amounts: spent in the call's window (`now`), spent in the window before it (`earlier`), and the cost of the call. */
interface Spent {
  readonly now: bigint;
  readonly earlier: bigint;
  readonly call: bigint;
}

/** The simplest calls with different outcomes under two versions of a budget, at most one per direction. */
export function moneyWitnesses(
  before: BudgetDefinition | undefined,
  after: BudgetDefinition | undefined,
): MoneyWitness[] {
  const [was, is] = [amountOf(before), amountOf(after)];
  if (before !== undefined && after !== undefined && before.limit.unit !== after.limit.unit) return [];
  const unit = (after ?? before)?.limit.unit ?? 'usd';
  const shorter = shorterWindow(before, after);
  const found = new Map<MoneyWitness['direction'], MoneyWitness>();
  for (const spent of tries([was, is].filter((limit) => limit !== undefined))) {
    const old = answerOf(before, was, spent, shorter);
    const now = answerOf(after, is, spent, shorter);
    const direction = ANSWERS.indexOf(now) > ANSWERS.indexOf(old) ? 'weaker' : 'stricter';
    if (old === now || found.has(direction)) continue;
    found.set(direction, { direction, text: `${callText(spent, unit, shorter)}: ${old} before, ${now} now` });
  }
  return [...found.values()];
}

function tries(limits: readonly bigint[]): Spent[] {
  const calls = [...new Set(limits.flatMap((limit) => [limit / 5n + 1n, limit / 5n, limit, 1n]))].filter(
    (one) => one > 0n,
  );
  const states = [...new Set([0n, ...limits, ...limits.map((limit) => limit / 2n)])];
  const rounded = calls.sort((a, b) => digits(a) - digits(b));
  return rounded.flatMap((call) => [
    ...states.map((now): Spent => ({ now, earlier: 0n, call })),
    ...states.map((earlier): Spent => ({ now: 0n, earlier, call })),
  ]);
}

/** Number of digits without trailing zeros: round amounts are tried first. */
function digits(amount: bigint): number {
  return String(amount).replace(/0+$/, '').length;
}

function amountOf(budget: BudgetDefinition | undefined): bigint | undefined {
  if (budget === undefined) return undefined;
  return budget.limit.unit === 'usd' ? BigInt(budget.limit.nanoUsd) : BigInt(budget.limit.tokens);
}

/**
 * The shorter window of the two budgets: a new one starts between `earlier` and the call. Undefined unless there are two different windows,
 * one within the other.
 */
function shorterWindow(a: BudgetDefinition | undefined, b: BudgetDefinition | undefined): string | undefined {
  if (a === undefined || b === undefined || a.window.per === b.window.per) return undefined;
  // Weeks do not lie entirely within months, so spending in one does not determine spending in the other.
  if (WINDOWS.compare(a.window.per, b.window.per) === 'incomparable') return undefined;
  return LENGTHS[Math.min(LENGTHS.indexOf(a.window.per), LENGTHS.indexOf(b.window.per))];
}

/** Decides like the ledger: the used amount plus the call may reach the limit, but not exceed it. */
function answerOf(
  budget: BudgetDefinition | undefined,
  limit: bigint | undefined,
  { now, earlier, call }: Spent,
  shorter: string | undefined,
): Answer {
  if (budget === undefined || limit === undefined) return 'passes';
  const isForgotten = shorter === undefined || budget.window.per === shorter;
  const used = isForgotten ? now : now + earlier;
  if (used + call <= limit) return 'passes';
  return budget.onExceed === 'block' ? 'refused' : 'passes and is reported';
}

function callText({ now, earlier, call }: Spent, unit: 'usd' | 'tokens', shorter: string | undefined): string {
  const text = (amount: bigint): string => (unit === 'usd' ? dollars(amount) : `${amount} tokens`);
  const spent = unit === 'usd' ? 'spent' : 'used';
  const history =
    earlier > 0n ? `${text(earlier)} ${spent} in the ${shorter ?? 'window'} before` : `${text(now)} ${spent}`;
  return `a call of ${text(call)} after ${history}`;
}

const MILLION_TOKENS = {
  input: 'input tokens',
  output: 'output tokens',
  cacheRead: 'tokens read from the cache',
  cacheWrite: 'tokens written to the cache',
  cacheWrite1h: 'tokens written to the cache for an hour',
  reasoning: 'reasoning tokens',
} as const satisfies Record<keyof PriceOverride, string>;

/** The price of a million tokens under two policies, with the budgets that count dollars. */
export function priceWitnesses(model: string, base: CompiledPolicy, next: CompiledPolicy): string[] {
  const [before, after] = [base.prices?.[model] ?? {}, next.prices?.[model] ?? {}];
  const counted = next.budgets.filter(({ limit }) => limit.unit === 'usd').map(({ id }) => id);
  const where = counted.length === 0 ? '' : ` in ${counted.join(', ')}`;
  return (Object.keys(MILLION_TOKENS) as (keyof PriceOverride)[]).flatMap((kind) => {
    if (before[kind] === after[kind]) return [];
    const [was, is] = [before[kind], after[kind]].map((amount) =>
      amount === undefined ? 'the published price' : dollars(BigInt(amount)),
    );
    return [`1000000 ${MILLION_TOKENS[kind]} of ${model} count ${was} before${where}, ${is} now`];
  });
}
