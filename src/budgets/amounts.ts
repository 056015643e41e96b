import type { BudgetUnit } from './ledger/ledger-types.js';

const NANO_DIGITS = 9;

/** Nano-dollars as dollars, or tokens, as exact decimal text: `0.95`, `-12.000000001`, `4096`. */
export function amountText(unit: BudgetUnit, amount: bigint): string {
  if (unit === 'tokens') return amount.toString();
  const digits = (amount < 0n ? -amount : amount).toString().padStart(NANO_DIGITS + 1, '0');
  const decimals = digits.slice(-NANO_DIGITS).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -NANO_DIGITS)}.${decimals}`;
}

/**
 * Parses the result of `amountText`.
 * @returns undefined for a fraction of a token, and for a text that is not a number of this form
 */
export function amountOfText(unit: BudgetUnit, text: string): bigint | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', decimals = ''] = match;
  if (unit === 'tokens' && /[1-9]/.test(decimals)) return undefined;
  const amount = unit === 'tokens' ? BigInt(whole) : BigInt(whole + decimals.padEnd(NANO_DIGITS, '0'));
  return sign === '-' ? -amount : amount;
}
