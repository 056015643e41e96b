/** Whether digits pass ISO/IEC 7064 MOD 11,10 (German tax id, Croatian OIB): the hybrid system with a running product. */
export function passesMod11Over10(digits: readonly number[]): boolean {
  if (digits.length < 2) return false;
  let product = 10;
  for (let index = 0; index < digits.length - 1; index++) {
    const sum = (digits[index]! + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digits[digits.length - 1];
}

/**
 * Whether a text of digits and letters (A = 10 ... Z = 35) is 1 modulo 97: ISO/IEC 7064 MOD 97-10. An IBAN is checked in this way after its
 * first four characters were moved to the end.
 */
export function passesMod97(text: string): boolean {
  let rest = 0;
  for (let index = 0; index < text.length; index++) {
    const value = parseInt(text.charAt(index), 36);
    if (Number.isNaN(value)) return false;
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest === 1;
}

/** Whether digits pass ISO/IEC 7064 MOD 11-2 (Chinese resident id, ORCID); `last` is the check character's value, 10 for X. */
export function passesMod11Minus2(digits: readonly number[], last: number): boolean {
  let sum = 0;
  for (const digit of digits) sum = ((sum + digit) * 2) % 11;
  return (12 - sum) % 11 === last;
}
