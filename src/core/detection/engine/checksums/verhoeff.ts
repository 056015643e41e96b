/**
 * The dihedral check of J. Verhoeff, "Error Detecting Decimal Codes" (Mathematical Centre Tract 29, 1969), used by Aadhaar.
 * Multiplication in D5: 0-4 are rotations, 5-9 reflections.
 */
function times(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b - 5) % 5);
  return b < 5 ? 5 + ((a - 5 - b + 5) % 5) : (a - b + 5) % 5;
}

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4] as const;

/** Whether digits, the check digit last, pass the Verhoeff check. */
export function passesVerhoeff(digits: readonly number[]): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place++) {
    let digit = digits[digits.length - 1 - place]!;
    for (let round = 0; round < place % 8; round++) digit = PERMUTATION[digit]!;
    check = times(check, digit);
  }
  return digits.length > 0 && check === 0;
}
