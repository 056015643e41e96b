/** Whether digits pass the Luhn check (ISO/IEC 7812-1, annex B). An empty list does not pass. */
export function passesLuhn(digits: readonly number[]): boolean {
  let sum = 0;
  for (let index = digits.length - 1, doubled = false; index >= 0; index--, doubled = !doubled) {
    const digit = digits[index]!;
    sum += doubled ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit;
  }
  return digits.length > 0 && sum % 10 === 0;
}
