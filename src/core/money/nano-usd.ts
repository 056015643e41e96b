/** One dollar is 10^9 nano-dollars. All amounts of money are integers in this unit. */
const NANO_DIGITS = 9;
const LITERAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Converts a non-negative decimal literal of US dollars, written like a number in JSON, to whole nano-dollars. Exact: it works on the
 * digits, not on binary fractions; digits below a nano-dollar are rounded half to even.
 *
 * @param literal such as `0.0000125`, `12`, `1.5e-3`
 * @returns `undefined` for any other text, and for an amount of more than 19 digits in nano-dollars
 */
export function nanoUsdOf(literal: string): bigint | undefined {
  const match = LITERAL.exec(literal);
  if (match === null) return undefined;
  const fraction = match[2] ?? '';
  const digits = ((match[1] ?? '') + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const shift = Number(match[3] ?? 0) - fraction.length + NANO_DIGITS;
  if (digits.length + shift > 19) return undefined;
  if (shift >= 0) return BigInt(digits + '0'.repeat(shift));
  const kept = digits.length + shift;
  if (kept < 0) return 0n;
  const whole = BigInt(kept === 0 ? '0' : digits.slice(0, kept));
  return roundsUp(whole, digits.slice(kept)) ? whole + 1n : whole;
}

function roundsUp(whole: bigint, rest: string): boolean {
  const first = rest.charCodeAt(0) - 0x30;
  if (first !== 5) return first > 5;
  return /[1-9]/.test(rest.slice(1)) || whole % 2n === 1n;
}
