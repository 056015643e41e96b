/** Checksums of identifiers, such as Luhn and ISO 7064. They check whether digits are valid. */

/** The decimal digits of a text as numbers; everything else is skipped. */
export function digitsOf(text: string): number[] {
  const digits: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x30 && unit <= 0x39) digits.push(unit - 0x30);
  }
  return digits;
}

/** Sum of digit times weight; digits beyond the weights are ignored. */
export function weightedSum(digits: readonly number[], weights: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index++) sum += (digits[index] ?? 0) * weights[index]!;
  return sum;
}

/** Whether all digits are the same, as in `000 000 000`: such a number passes many checksums and is never issued. */
export function allSame(digits: readonly number[]): boolean {
  return digits.every((digit) => digit === digits[0]);
}
