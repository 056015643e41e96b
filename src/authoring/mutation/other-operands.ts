import type { FactDefinition } from '../../core/model/fact.js';

/** Replaces inclusive limits by strict limits and the other way round, including negated limits. */
export const STRICTNESS: Readonly<Record<string, string>> = {
  gt: 'gte',
  gte: 'gt',
  lt: 'lte',
  lte: 'lt',
  not_gt: 'not_gte',
  not_gte: 'not_gt',
  not_lt: 'not_lte',
  not_lte: 'not_lt',
};

/**
 * Other operands, each with the description of the change: a number one step lower and higher, or a list without one entry.
 *
 * @param fact the compared fact; undefined if only the operand shows which numbers are possible
 */
export function otherOperands(
  value: unknown,
  fact: Pick<FactDefinition, 'type' | 'range'> | undefined,
): [string, unknown][] {
  if (typeof value === 'number') {
    const isWhole = fact?.type === 'integer' || (Number.isInteger(value) && Math.abs(value) > 1);
    const step = isWhole ? 1 : 0.01;
    const { min = -Infinity, max = Infinity } = fact?.range ?? {};
    return [value - step, value + step]
      .map((number) => Number(number.toPrecision(12)))
      .filter((number) => number >= min && number <= max)
      .map((number) => [`${value} becomes ${number}`, number]);
  }
  if (!Array.isArray(value) || value.length < 2) return [];
  const entries = value as readonly unknown[];
  return entries.map((entry) => [`drop ${String(entry)}`, entries.filter((other) => other !== entry)]);
}
